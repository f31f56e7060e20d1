"""The rows of a batch: runs with their measurements, analyses, and points of imported series."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

import numpy as np
from django.db import connection, models, transaction

from dashboard.importers.records import PerformanceModelRecord, SystemRecords
from dashboard.models import (
    Measurement,
    ModelCorrection,
    PerformanceModel,
    Point,
    PublishedCoefficient,
    PublishedPrediction,
    RegionMeasurement,
    RegionPartition,
    Run,
    System,
)
from dashboard.services.bulk_inserts import count_anew, insert
from dashboard.services.imports.feature_models import write_feature_models
from dashboard.services.imports.reference import Places
from dashboard.services.imports.traced import write_traced

# Each is written in well under a second on either database.
CHUNK = 20_000
OBJECTS = 1_000
_RUN_COLUMNS = (
    "batch_id",
    "revision_id",
    "configuration_id",
    "workload_id",
    "environment_id",
    "repetition",
    "kind",
    "status",
    "message",
    "output_tail",
    "started_at",
    "invalid_reason",
)
# What an analysis stores as its record says it.
_SAME = (
    "kind",
    "aggregate_repetitions",
    "aggregate_configurations",
    "program_region_offset",
    "uncovered_is_zero",
    "published_correction",
)
Beat = Callable[[], None]
Rows = Iterable[tuple[Any, ...]]


def write_rows(
    system: System, records: SystemRecords, places: Places, batches: Sequence[int], beat: Beat
) -> None:
    """Write everything that hangs on `batches`, in chunks; `beat` is called in the transaction of each."""
    runs = _write_runs(records, places, batches, beat)
    columns: tuple[str, ...] = ("run_id", "metric_id", "value", "deviation", "n")
    _insert(Measurement, columns, _measurements(records, places, runs), beat)
    _insert(
        RegionMeasurement,
        ("run_id", "region_id", "metric_id", "value", "lines"),
        _region_measurements(records, places, runs),
        beat,
    )
    for analysis in records.analyses:
        _write_analysis(system, analysis, places, batches, beat)
    _create(PublishedCoefficient, _coefficients(system, records, places, batches), beat)
    write_feature_models(system, records.feature_models, batches, beat)
    write_traced(system, records, places, batches, beat)
    columns = ("series_id", "revision_id", "batch_id", "n", "median", "spread")
    _insert(Point, columns, _points(records, places, batches), beat)
    count_anew((Run, Measurement, RegionMeasurement, RegionPartition, Point))


def _insert(model: type[models.Model], columns: Sequence[str], rows: Rows, beat: Beat) -> None:
    """Insert rows in chunks of one transaction each."""
    left = iter(rows)
    while chunk := list(islice(left, CHUNK)):
        with transaction.atomic():
            beat()
            insert(model, columns, chunk)


def _create(model: type[models.Model], rows: Iterable[Any], beat: Beat) -> list[int]:
    """Create rows in chunks of one transaction each; their ids, in order."""
    ids: list[int] = []
    left = iter(rows)
    while chunk := list(islice(left, OBJECTS)):
        with transaction.atomic():
            beat()
            ids.extend(row.pk for row in models.QuerySet[Any](model).bulk_create(chunk))
    return ids


def _write_runs(records: SystemRecords, places: Places, batches: Sequence[int], beat: Beat) -> list[int]:
    """Write the runs; their ids, in order."""
    rows = (
        (
            batches[one.batch],
            places.revisions[one.revision],
            places.configurations[one.configuration],
            places.workloads[one.workload],
            places.environments[one.environment],
            one.repetition,
            one.kind,
            one.status,
            one.message,
            one.output_tail,
            None if one.started_at is None else connection.ops.adapt_datetimefield_value(one.started_at),
            one.invalid_reason,
        )
        for one in records.runs
    )
    _insert(Run, _RUN_COLUMNS, rows, beat)
    # Nobody else writes into these batches, and ids grow in the order of insertion.
    ids = Run.objects.filter(batch_id__in=batches).order_by("pk")
    return list(ids.values_list("pk", flat=True))


def _measurements(records: SystemRecords, places: Places, runs: Sequence[int]) -> Rows:
    table = records.measurements
    columns = zip(table.run.tolist(), table.metric.tolist(), table.value.tolist(), strict=True)
    return (
        (runs[run], places.metrics[metric], value, deviation, n)
        for (run, metric, value), (deviation, n) in zip(columns, table.behind(), strict=True)
    )


def _region_measurements(records: SystemRecords, places: Places, runs: Sequence[int]) -> Rows:
    table = records.region_measurements
    columns = zip(
        table.run.tolist(), table.region.tolist(), table.metric.tolist(), table.value.tolist(), strict=True
    )
    for row, (run, region, metric, value) in enumerate(columns):
        lines = table.lines.get(row)
        text = None if lines is None else json.dumps(dict(lines))
        yield runs[run], places.regions[region], places.metrics[metric], value, text


def _write_analysis(
    system: System, one: PerformanceModelRecord, places: Places, batches: Sequence[int], beat: Beat
) -> None:
    with transaction.atomic():
        beat()
        analysis = PerformanceModel.objects.create(
            system=system,
            batch_id=batches[one.batch],
            revision_id=places.revisions[one.revision],
            workload_id=places.workloads[one.workload],
            environment_id=places.environments[one.environment],
            region_metric_id=places.metrics[one.region_metric],
            total_metric_id=places.metrics[one.total_metric],
            options=list(one.options),
            **{name: getattr(one, name) for name in _SAME},
        )
        ModelCorrection.objects.bulk_create(
            ModelCorrection(model=analysis, **asdict(correction)) for correction in one.corrections
        )
    _create(
        RegionPartition,
        (
            RegionPartition(
                model=analysis, region_id=places.regions[part.region], formulas=list(part.formulas)
            )
            for part in one.partitions
        ),
        beat,
    )
    _create(
        PublishedPrediction,
        (
            PublishedPrediction(
                model=analysis,
                configuration_id=places.configurations[prediction.configuration],
                value=prediction.value,
            )
            for prediction in one.predictions
        ),
        beat,
    )


def _coefficients(
    system: System, records: SystemRecords, places: Places, batches: Sequence[int]
) -> Iterable[PublishedCoefficient]:
    return (
        PublishedCoefficient(
            system=system,
            batch_id=batches[one.batch],
            revision_id=places.revisions[one.revision],
            metric_id=places.metrics[one.metric],
            term=one.term,
            levels=None if one.levels is None else dict(one.levels),
            value=one.value,
        )
        for one in records.coefficients
    )


def _points(records: SystemRecords, places: Places, batches: Sequence[int]) -> Rows:
    """The rows of the points, some at a time: as Python's objects all of them would take ten times the room."""
    table = records.points
    revisions = np.array([places.revisions[one.name] for one in records.revisions], dtype=np.int64)
    series, own = np.array(places.series, dtype=np.int64), np.array(batches, dtype=np.int64)
    for start in range(0, len(table.series), CHUNK):
        part = slice(start, start + CHUNK)
        known = table.spread[part].astype(object)
        known[np.isnan(table.spread[part])] = None
        yield from zip(
            series[table.series[part]].tolist(),
            revisions[table.revision[part]].tolist(),
            own[table.batch[part]].tolist(),
            table.n[part].tolist(),
            table.median[part].tolist(),
            known.tolist(),
            strict=True,
        )
