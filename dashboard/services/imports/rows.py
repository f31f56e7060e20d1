"""The rows of a batch: runs with their measurements, models, white-box analyses, and points of imported series."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection, models, transaction

from dashboard.importers.feature_records import payload_of
from dashboard.importers.model_records import PerformanceModelRecord
from dashboard.importers.record_fields import MAY_BE_UNKNOWN, fields_of
from dashboard.importers.records import RunRecord, SystemRecords
from dashboard.importers.source import GoOn
from dashboard.models import (
    CountedRun,
    CountSites,
    FeatureLocation,
    Measurement,
    ModelCorrection,
    PerformanceModel,
    Point,
    PublishedCoefficient,
    PublishedPrediction,
    RegionMeasurement,
    RegionPartition,
    Run,
    StoredFeatureModel,
    System,
    WhiteBoxAnalysis,
)
from dashboard.selectors.packed_counts import pack_counts, pack_sites
from dashboard.selectors.record_columns import RowIds, column_of, stored_fields
from dashboard.services.bulk_inserts import count_anew, insert

# Each is written in well under a second on either database.
CHUNK = 20_000
OBJECTS = 1_000
Rows = Iterable[Sequence[Any]]


def write_rows(system: System, records: SystemRecords, ids: RowIds, beat: GoOn) -> None:
    """Write everything that hangs on the batches of `ids`, in chunks; `beat` is called in the transaction of each."""
    ids.put("runs", _write_runs(records, ids, beat))
    for model, table in (
        (Measurement, records.measurements),
        (RegionMeasurement, records.region_measurements),
    ):
        _write_table(model, table, ids, beat)
    for analysis in records.performance_models:
        _write_performance_model(system, analysis, ids, beat)
    _create(
        (
            PublishedCoefficient(system=system, **ids.row(one, PublishedCoefficient))
            for one in records.coefficients
        ),
        beat,
    )
    _write_feature_models(system, records, ids, beat)
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
    count_anew((Run, Measurement, RegionMeasurement, RegionPartition, Point))


def _insert(model: type[models.Model], columns: Sequence[str], rows: Rows, beat: GoOn) -> None:
    """Insert rows in chunks of one transaction each."""
    left = iter(rows)
    while chunk := list(islice(left, CHUNK)):
        with transaction.atomic():
            beat()
            insert(model, columns, chunk)


def _create(rows: Iterable[models.Model], beat: GoOn) -> None:
    """Create rows of one table in chunks of one transaction each."""
    left = iter(rows)
    while chunk := list(islice(left, OBJECTS)):
        with transaction.atomic():
            beat()
            models.QuerySet[Any](type(chunk[0])).bulk_create(chunk)


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

    _insert(Run, columns, rows(), beat)
    # Nobody else writes into these batches, and ids grow in the order of insertion.
    made = Run.objects.filter(batch_id__in=ids.of("batches")).order_by("pk")
    return list(made.values_list("pk", flat=True))


def _write_table(model: type[models.Model], table: Any, ids: RowIds, beat: GoOn) -> None:
    """Write an array table, some rows at a time: as Python's objects all would take ten times the room."""
    table_class: type = type(table)
    fields = fields_of(table_class)
    size = len(getattr(table, fields[0].name))
    held = {field.collection: np.array(ids.of(field.collection)) for field in fields if field.collection}

    def cells(field: Any, part: slice) -> Sequence[Any]:
        column = getattr(table, field.name)
        if isinstance(column, Mapping):
            there = (column.get(row) for row in range(*part.indices(size)))
            return [None if one is None else json.dumps(dict(one)) for one in there]
        values = column[part]
        if field.collection:
            values = held[field.collection][values]
        if MAY_BE_UNKNOWN in field.marks:
            values = np.where(np.isnan(values), None, values.astype(object))
        listed: list[Any] = values.tolist()
        return listed

    def rows() -> Iterator[tuple[Any, ...]]:
        for start in range(0, size, CHUNK):
            part = slice(start, start + CHUNK)
            yield from zip(*(cells(field, part) for field in fields), strict=True)

    _insert(model, [column_of(field) for field in fields], rows(), beat)


def _write_performance_model(system: System, one: PerformanceModelRecord, ids: RowIds, beat: GoOn) -> None:
    with transaction.atomic():
        beat()
        model = PerformanceModel.objects.create(system=system, **ids.row(one, PerformanceModel))
    parts: tuple[tuple[type[models.Model], Iterable[Any]], ...] = (
        (ModelCorrection, one.corrections),
        (RegionPartition, one.partitions),
        (PublishedPrediction, one.predictions),
    )
    for part, records in parts:
        _create((part(model=model, **ids.row(record, part)) for record in records), beat)


def _write_feature_models(system: System, records: SystemRecords, ids: RowIds, beat: GoOn) -> None:
    for one in records.feature_models:
        payload = payload_of(one)
        digest = sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()
        with transaction.atomic():
            beat()
            row = StoredFeatureModel.objects.create(
                system=system, digest=digest, payload=payload, **ids.row(one, StoredFeatureModel)
            )
        locations = (
            FeatureLocation(feature_model=row, **ids.row(location, FeatureLocation))
            for location in one.locations
        )
        _create(locations, beat)
