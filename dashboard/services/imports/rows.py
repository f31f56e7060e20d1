"""The rows of a batch: runs with their measurements, models, white-box analyses, and points of imported series."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection, models, transaction

from dashboard.importers.feature_records import payload_of
from dashboard.importers.record_fields import RecordField, fields_of
from dashboard.importers.record_tables import cells_of
from dashboard.importers.records import RunRecord, SystemRecords
from dashboard.importers.source import GoOn
from dashboard.models import (
    CountedRun,
    CountSites,
    Measurement,
    PerformanceModel,
    Point,
    PublishedCoefficient,
    RegionMeasurement,
    RegionPartition,
    Run,
    RunCallPaths,
    StoredFeatureModel,
    System,
    WhiteBoxAnalysis,
)
from dashboard.selectors.counts import pack_counts, pack_sites
from dashboard.selectors.record_columns import RowIds, column_of, held_fields, stored_fields
from dashboard.services.bulk_inserts import count_anew, insert, insert_arrays
from dashboard.services.imports import batches
from dashboard.services.imports.writing import may_write_beside, write_beside

# Each is written in well under a second on either database.
CHUNK = 20_000
OBJECTS = 1_000
# So many rows of numbers are written over two connections where the database takes both at once.
MANY = 10 * CHUNK


def write_rows(system: System, records: SystemRecords, ids: RowIds, beat: GoOn) -> None:
    """Write everything that hangs on the batches of `ids`, in chunks; `beat` is called in the transaction of each."""
    ids.put("runs", _write_runs(records, ids, beat))
    for model, table in (
        (Measurement, records.measurements),
        (RegionMeasurement, records.region_measurements),
    ):
        _write_table(model, table, ids, beat)
    _create((RunCallPaths(paths=one.paths, **ids.row(one, RunCallPaths)) for one in records.call_paths), beat)
    for analysis in records.performance_models:
        _create_whole(
            PerformanceModel(system=system, **ids.row(analysis, PerformanceModel)), analysis, ids, beat
        )
    coefficients = (ids.row(one, PublishedCoefficient) for one in records.coefficients)
    _create((PublishedCoefficient(system=system, **row) for row in coefficients), beat)
    for given in records.feature_models:
        row = ids.row(given, StoredFeatureModel)
        stored = StoredFeatureModel(system=system, payload=payload_of(given), **row)
        _create_whole(stored, given, ids, beat)
    _create(
        (
            WhiteBoxAnalysis(system=system, result=one.found, **ids.row(one, WhiteBoxAnalysis))
            for one in records.white_box_analyses
        ),
        beat,
    )
    for one in records.counts:
        row = ids.row(one, CountSites)
        at = {column: row[column] for column in ("batch_id", "revision_id")}
        _create([CountSites(**at, sites=pack_sites(one.sites))], beat)
        runs = (
            CountedRun(**{**ids.row(run, CountedRun), **at, "counts": pack_counts(dict(run.counts))})
            for run in one.runs
        )
        _create(runs, beat)
    _write_table(Point, records.points, ids, beat)
    tables = (records.measurements.run, records.region_measurements.run, records.points.series)
    written = len(records.runs) + sum(map(len, tables))
    count_anew((Run, Measurement, RegionMeasurement, RegionPartition, Point), rows=written)


def _in_chunks(rows: Iterable[Any], size: int, beat: GoOn, write: Callable[[Sequence[Any]], object]) -> None:
    """Write rows in chunks of one transaction each."""
    left = iter(rows)
    while chunk := list(islice(left, size)):
        with transaction.atomic():
            beat()
            write(chunk)


def _create(rows: Iterable[models.Model], beat: GoOn) -> None:
    """Create rows of one table."""
    _in_chunks(rows, OBJECTS, beat, lambda chunk: models.QuerySet[Any](type(chunk[0])).bulk_create(chunk))


def _create_whole(whole: models.Model, record: Any, ids: RowIds, beat: GoOn) -> None:
    """Create a row, and those that refer to it from the records that its record holds."""
    with transaction.atomic():
        beat()
        whole.save()
    record_class: type = type(record)
    for field, relation, _ in held_fields(record_class, type(whole)):
        model: Any = relation.related_model
        parts = getattr(record, field.name)
        _create((model(**{relation.field.name: whole}, **ids.row(one, model)) for one in parts), beat)


def _write_runs(records: SystemRecords, ids: RowIds, beat: GoOn) -> list[int]:
    """Write the runs; their ids, in order."""
    columns = [column_of(field) for field in stored_fields(RunRecord, Run)]
    when = columns.index("started_at")

    def rows() -> Iterator[list[Any]]:
        for one in records.runs:
            row = list(ids.row(one, Run).values())
            if row[when] is not None:
                row[when] = connection.ops.adapt_datetimefield_value(row[when])
            yield row

    _in_chunks(rows(), CHUNK, beat, partial(insert, Run, columns))
    # Nobody else writes into these batches, and ids grow in the order of insertion.
    made = Run.objects.filter(batch_id__in=ids.of("batches")).order_by("pk")
    return list(made.values_list("pk", flat=True))


def _write_table(model: type[models.Model], table: Any, ids: RowIds, beat: GoOn) -> None:
    """Write an array table, some rows at a time: as Python's objects all would take ten times the room."""
    table_class: type = type(table)
    fields = fields_of(table_class)
    size = len(getattr(table, fields[0].name))
    if any(isinstance(getattr(table, field.name), Mapping) for field in fields):
        _write_cells(model, table, fields, ids, beat)
        return
    places = {field.name: np.array(ids.of(field.collection)) for field in fields if field.collection}

    def write(start: int) -> None:
        part = slice(start, start + CHUNK)
        columns = {}
        for field in fields:
            numbers = getattr(table, field.name)[part]
            columns[column_of(field)] = places[field.name][numbers] if field.collection else numbers
        insert_arrays(model, columns)

    starts = iter(range(0, size, CHUNK))
    if size > MANY and may_write_beside():
        write_beside(starts, write, beat, partial(batches.hold, ids.of("batches")))
        return
    for start in starts:
        with transaction.atomic():
            beat()
            write(start)


def _write_cells(
    model: type[models.Model], table: Any, fields: Sequence[RecordField], ids: RowIds, beat: GoOn
) -> None:
    """Write a table of which a column holds no numbers."""
    size = len(getattr(table, fields[0].name))

    def cells(field: RecordField, part: slice) -> Sequence[Any]:
        values = cells_of(table, field, part)
        if not field.collection:
            return values
        of_place = ids.of(field.collection)
        return [of_place[place] for place in values]

    def rows() -> Iterator[tuple[Any, ...]]:
        for start in range(0, size, CHUNK):
            part = slice(start, start + CHUNK)
            yield from zip(*(cells(field, part) for field in fields), strict=True)

    columns = [column_of(field) for field in fields]
    _in_chunks(rows(), CHUNK, beat, partial(insert, model, columns))
