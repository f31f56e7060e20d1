"""The rows that runs, models and series refer to: found by what tells them apart, or made."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.db import IntegrityError, models, transaction

from analytics.configurations.identities import configuration_identity
from dashboard.importers.records import SystemRecords
from dashboard.models import (
    Configuration,
    Environment,
    Metric,
    Region,
    RegionVersion,
    Revision,
    Series,
    SourceText,
    System,
    Workload,
)
from dashboard.selectors.record_columns import RowIds
from dashboard.services.identities import identity_of_columns

Row = TypeVar("Row", bound=models.Model)
Created = dict[str, list[int]]
Note = Callable[[Created], None]
_CHUNK = 2_000
# The lists of records that others refer to, and the columns that tell their rows apart.
_LISTS: tuple[tuple[str, type[models.Model], tuple[str, ...]], ...] = (
    ("revisions", Revision, ("name",)),
    ("workloads", Workload, ("name",)),
    ("regions", Region, ("key",)),
    ("environments", Environment, ("digest",)),
    ("metrics", Metric, ("quantity", "unit", "clock", "better")),
    ("configurations", Configuration, ("identity",)),
)


def write_reference(system: System, records: SystemRecords, note: Note) -> RowIds:
    """Find or make every row that runs, models and series refer to; options and orders come when all is shown.

    `note` is called in the transaction of each chunk with the ids of the rows that were made: an import that fails
    takes these away again, unless somebody else uses them by then.
    """
    ids = RowIds(records)
    for collection, model, key in _LISTS:
        held, rows = _listed(system, records, collection, model, ids)
        ids.put(collection, ensure(held, rows, key, note))
    sources: list[int] = []
    digests = list(records.sources)
    # In chunks: a query takes only so many values.
    for start in range(0, len(digests), _CHUNK):
        texts = [SourceText(digest=one, text=records.sources[one]) for one in digests[start : start + _CHUNK]]
        held_texts = SourceText.objects.filter(digest__in=[row.digest for row in texts])
        sources += ensure(held_texts, texts, ("digest",), note)
    ids.put("sources", sources)
    versions = [RegionVersion(**ids.row(one, RegionVersion)) for one in records.region_versions]
    held = RegionVersion.objects.filter(revision_id__in=ids.of("revisions"))
    ensure(held, versions, ("region_id", "revision_id"), note)
    series, known = series_columns(system, records, ids), Series.objects.filter(system=system)
    id_of = dict(known.values_list("identity", "pk"))
    # Rows of those alone that are not there: most have been there for long.
    if new := [Series(**one) for one in series if one["identity"] not in id_of]:
        made = ensure(known, new, ("identity",), note)
        id_of |= {row.identity: pk for row, pk in zip(new, made, strict=True)}
    ids.put("series", [id_of[one["identity"]] for one in series])
    return ids


def find_reference(system: System, records: SystemRecords) -> RowIds:
    """The rows that are there already; 0 for what is not."""
    ids = RowIds(records)
    for collection, model, key in _LISTS:
        held, rows = _listed(system, records, collection, model, ids)
        id_of = _ids(held, key)
        ids.put(collection, [id_of.get(_key(row, key), 0) for row in rows])
    return ids


def series_columns(system: System, records: SystemRecords, ids: RowIds) -> list[dict[str, Any]]:
    """The columns of the series that came as aggregates, with their identity."""
    rows = []
    for one in records.series:
        row = {"system_id": system.pk, **ids.row(one, Series), "subject_kind": Series.SubjectKind.BENCHMARK}
        if one.configuration is not None:
            row["subject_kind"] = Series.SubjectKind.CONFIGURATION
            row["subject"] = configuration_identity(records.configurations[one.configuration].assignments)
        row["identity"] = identity_of_columns(row)
        rows.append(row)
    return rows


def ensure(
    held: models.QuerySet[Row], rows: Sequence[Row], key: tuple[str, ...], note: Note = lambda _: None
) -> list[int]:
    """The ids of rows in their order: of the one among `held` with the same key, or of the row, which is made.

    `key` are the columns that tell rows apart. For services.
    """
    id_of = _ids(held, key)
    wanted = {_key(row, key): row for row in rows}
    missing = [name for name in wanted if name not in id_of]
    for start in range(0, len(missing), _CHUNK):
        chunk = {name: wanted[name] for name in missing[start : start + _CHUNK]}
        while chunk:
            try:
                with transaction.atomic():
                    models.QuerySet[Row](held.model).bulk_create(chunk.values())
                    note({held.model.__name__: [row.pk for row in chunk.values()]})
            except IntegrityError:
                # Somebody else made some of them since they were looked for: those are found now.
                id_of |= _ids(held, key)
                left = {name: row for name, row in chunk.items() if name not in id_of}
                if len(left) == len(chunk):
                    raise
                for row in left.values():
                    row.pk = None
                chunk = left
            else:
                id_of |= {name: row.pk for name, row in chunk.items()}
                break
    return [id_of[_key(row, key)] for row in rows]


def _ids(held: models.QuerySet[Row], key: tuple[str, ...]) -> dict[tuple[Any, ...], int]:
    return {tuple(values): pk for *values, pk in held.values_list(*key, "pk")}


def _key(row: models.Model, key: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(row, column) for column in key)


def _listed(
    system: System, records: SystemRecords, collection: str, model: type[models.Model], ids: RowIds
) -> tuple[models.QuerySet[Any], list[Any]]:
    """The stored rows that a list of records may mean, and the rows that it would make, not stored yet.

    Environments and metrics are shared by all systems.
    """
    own = {} if model in {Environment, Metric} else {"system": system}
    rows: list[Any] = [model(**own, **ids.row(one, model)) for one in getattr(records, collection)]
    for row in rows if model is Revision else ():
        # As places in orders: told when all is shown.
        row.base = ""
    if model is Configuration:
        for row in rows:
            row.identity = configuration_identity(row.assignments)
    held = models.QuerySet[Any](model).filter(**own)
    return held.filter(digest__in=[row.digest for row in rows]) if model is Environment else held, rows
