"""Points of imported series that the system holds already: an import of a grown file adds only what is new."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from dashboard.importers.record_tables import IntArray, PointTable
from dashboard.importers.records import SystemRecords
from dashboard.models import Batch, Point, Series, System
from dashboard.selectors.batch_manifests import save_manifest
from dashboard.selectors.export.tables import load_columns
from dashboard.services.bulk_inserts import insert
from dashboard.services.imports.reference import find_reference, series_rows

# As many points as change place in the one transaction that shows an import, which must stay under a second.
MOST = 10_000
# Series whose points are looked at together.
_TOGETHER = 200
_SHOWN = 20
_COLUMNS = ("series_id", "revision_id", "n", "median", "spread")
_IDS = 400

BoolArray = NDArray[np.bool_]


def compare_points(
    system: System, records: SystemRecords, *, replaces: bool | None = None
) -> tuple[SystemRecords, Sequence[str], Sequence[Point]]:
    """The records without the points that the system has, and what contradicts these: other values of the same place.

    Where the records replace what is there, other values are no contradiction. They are handed out, not stored yet, to
    take the place of those there. Reads the points of some hundred series at a time.
    """
    table = records.points
    if not len(table.series):
        return records, (), ()
    ids = find_reference(system, records)
    held = dict(Series.objects.filter(system=system).values_list("identity", "pk"))
    rows = series_rows(system, records, ids)
    known = {position: held[row.identity] for position, row in enumerate(rows) if row.identity in held}
    # A revision that is new here has no point yet: no row has the id 0.
    revisions = np.array(ids.of("revisions"), dtype=np.int64)
    there, differing = _match(table, known, revisions)
    if there.any():
        left = PointTable(*(getattr(table, one.name)[~there] for one in fields(table)))
        records = replace(records, points=left)
    if not replaces:
        problems = _contradictions(records, table, differing, may_replace=replaces is not None)
        return records, problems, ()
    if len(differing) > MOST:
        problem = (
            f"{len(differing)} results were measured anew, and no more than {MOST} can take the place of "
            "others at once. Import into a system of another name."
        )
        return records, [problem], ()
    return (
        records,
        (),
        [
            Point(
                series_id=known[series],
                revision_id=int(revisions[table.revision[row]]),
                n=int(table.n[row]),
                median=float(table.median[row]),
                spread=None if np.isnan(table.spread[row]) else float(table.spread[row]),
            )
            for series, row in differing
        ],
    )


def replace_points(points: Sequence[Point], batch_id: int) -> None:
    """Put points in the place of those they contradict, and note those in the batch's manifest.

    Call it in the transaction that shows the batch.
    """
    wanted = {(one.series_id, one.revision_id) for one in points}
    series = sorted({one for one, _ in wanted})
    revisions = {one for _, one in wanted}
    old: list[tuple[int, int, int, int, float, float | None]] = []
    for start in range(0, len(series), _IDS):
        held = Point.objects.filter(series_id__in=series[start : start + _IDS])
        if len(revisions) <= _IDS:
            held = held.filter(revision_id__in=revisions)
        old += [row for row in held.values_list("pk", *_COLUMNS) if row[1:3] in wanted]
    for start in range(0, len(old), _IDS):
        Point.objects.filter(pk__in=[pk for pk, *_ in old[start : start + _IDS]]).delete()
    rows = [(*(getattr(one, column) for column in _COLUMNS), batch_id) for one in points]
    insert(Point, (*_COLUMNS, "batch_id"), rows)
    save_manifest(Batch.objects.get(pk=batch_id), replaced=[values for _, *values in old])


def _match(
    table: PointTable, known: Mapping[int, int], revisions: IntArray
) -> tuple[BoolArray, list[tuple[int, int]]]:
    """Which rows are there already, shape (n,), and those of them with another value: (series, row).

    `known` are the ids of series by position; `revisions` the ids of revisions by position.
    """
    order = np.argsort(table.series, kind="stable")
    ordered = table.series[order]
    there = np.zeros(len(order), dtype=bool)
    differing: list[tuple[int, int]] = []
    series = list(known.items())
    for start in range(0, len(series), _TOGETHER):
        chunk = series[start : start + _TOGETHER]
        rows_held = Point.objects.filter(series_id__in=[pk for _, pk in chunk])
        held = load_columns(PointTable, rows_held.order_by("series_id", "revision_id"))
        for position, pk in chunk:
            span = slice(*np.searchsorted(held["series"], [pk, pk + 1]))
            own = held["revision"][span]
            if not len(own):
                continue
            rows = order[slice(*np.searchsorted(ordered, [position, position + 1]))]
            wanted = revisions[table.revision[rows]]
            places = np.minimum(np.searchsorted(own, wanted), len(own) - 1)
            same_place = own[places] == wanted
            there[rows[same_place]] = True
            spread = held["spread"][span][places]
            same = held["median"][span][places] == table.median[rows]
            same &= np.isclose(spread, table.spread[rows], rtol=1e-9, atol=0.0, equal_nan=True)
            differing += ((position, int(row)) for row in rows[same_place & ~same])
    return there, differing


def _contradictions(
    records: SystemRecords, table: PointTable, differing: list[tuple[int, int]], *, may_replace: bool
) -> list[str]:
    """The first of these contradictions in words, and how many more there are."""
    remedy = "import into a system of another name."
    if may_replace:
        remedy = f"give --reruns replace if it was measured anew, or {remedy}"
    shown = []
    for position, row in differing[:_SHOWN]:
        series = records.series[position]
        revision = records.revisions[int(table.revision[row])].name
        shown.append(
            f"series {series.label or series.subject}: revision {revision} has another value here than the one in the "
            f"file, {table.median[row]:g}. A point is not overwritten unasked: {remedy}"
        )
    if len(differing) > _SHOWN:
        shown.append(f"... and {len(differing) - _SHOWN} more results like these.")
    return shown
