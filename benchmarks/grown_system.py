"""A system of any number of points, for benches: a suite that is imported and fitted, and copies of its series under other names.

Copies are stored in the order in which an import stores series, with their fits; what differs is the level of each. Django is set up,
and the database migrated, before this is imported.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import numpy as np
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from numpy.typing import NDArray

from benchmarks.bench_asv import write_folder
from dashboard.access import Principal, access_to
from dashboard.models import HistoryFit, Point, Series, System
from dashboard.services.bulk_inserts import insert, insert_arrays
from dashboard.services.histories.fits import fit_system

REVISIONS = 1_250
# What is imported: benchmarks, and series of each.
SHAPE = (25, 16)
SLUG = "suite"
_LEVELS_SEED = 20261127


@dataclass(frozen=True, slots=True, eq=False)
class Originals:
    """The rows that are copied: points by column, (n,) each; series and fits as values by the name of the column."""

    points: dict[str, NDArray[Any]]
    series: list[dict[str, Any]]
    fits: list[dict[str, Any]]


def grow(points: int, slug: str = SLUG) -> System:
    """Import a suite, fit it, and copy its series until so many points are stored; as it is where it was grown before."""
    if System.objects.filter(slug=slug).exists():
        return System.objects.get(slug=slug)
    with tempfile.TemporaryDirectory() as folder:
        write_folder(Path(folder), SHAPE, {"oak": REVISIONS})
        call_command("import", "asv", folder, "--system", slug, verbosity=0)
    system = System.objects.get(slug=slug)
    fit_system(access=access_to(Principal.operator(), slug))
    originals = _originals(system)
    rng = np.random.default_rng(_LEVELS_SEED)
    for number in range(1, max(round(points / len(originals.points["median"])), 1)):
        with transaction.atomic():
            _copy(originals, number, rng)
    # Ids were given: what is imported next counts on from them.
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [Series, HistoryFit]):
            cursor.execute(statement)
    # A former sweep of all tables: as PostgreSQL does by itself within minutes.
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    System.objects.filter(pk=system.pk).update(data_version=system.data_version + 1)
    return System.objects.get(pk=system.pk)


def _originals(system: System) -> Originals:
    columns = {
        "series_id": "i8",
        "revision_id": "i8",
        "batch_id": "i8",
        "n": "i8",
        "median": "f8",
        "spread": "f8",
    }
    rows = Point.objects.filter(series__system=system).order_by("pk").values_list(*columns)
    cells = zip(*rows, strict=True)
    points = {
        name: np.array(column, kind) for (name, kind), column in zip(columns.items(), cells, strict=True)
    }
    points["adjustment"] = np.zeros(len(points["median"]))
    tables = (Series.objects.filter(system=system), HistoryFit.objects.filter(series__system=system))
    series, fits = ([dict(row) for row in cast("Any", rows).order_by("pk").values()] for rows in tables)
    return Originals(points, series, fits)


def _copy(originals: Originals, number: int, rng: np.random.Generator) -> None:
    """One more copy of all series, behind all that are there: their ids follow each other."""
    first, last = originals.series[0]["id"], originals.series[-1]["id"]
    shift = number * (last - first + 1)
    copies = (
        row
        | {
            "id": row["id"] + shift,
            "subject": f"copy{number}.{row['subject']}",
            "label": f"copy{number}.{row['label'] or row['subject']}",
            "identity": sha256(f"{number} {row['identity']}".encode()).hexdigest(),
        }
        for row in originals.series
    )
    _insert(Series, copies)
    scale = np.exp(rng.normal(0.0, 1.0, last - first + 1))[originals.points["series_id"] - first]
    moved = {name: originals.points[name] * scale for name in ("median", "spread")}
    insert_arrays(Point, originals.points | moved | {"series_id": originals.points["series_id"] + shift})
    _insert(
        HistoryFit,
        (
            {name: value for name, value in row.items() if name != "id"}
            | {"series_id": row["series_id"] + shift}
            for row in originals.fits
        ),
    )


def _insert(model: Any, rows: Iterator[dict[str, Any]]) -> None:
    """Rows by the name of their column, as they are stored."""
    fields = {field.attname: field for field in model._meta.concrete_fields}  # noqa: SLF001 -- Django documents it
    values = [
        {name: fields[name].get_db_prep_save(value, connection) for name, value in row.items()}
        for row in rows
    ]
    insert(model, list(values[0]), [list(row.values()) for row in values])
