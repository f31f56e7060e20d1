"""The rows of a batch: runs with their measurements, analyses, and points of imported series."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

from django.db import models, transaction

from dashboard.importers.records import AnalysisRecord, SystemRecords
from dashboard.models import (
    Analysis,
    Correction,
    Measurement,
    Partition,
    Point,
    PublishedPrediction,
    RegionMeasurement,
    Run,
    System,
)
from dashboard.services.imports.inserts import count_anew, insert
from dashboard.services.imports.reference import Places

# Each is written in well under a second on either database.
CHUNK = 20_000
OBJECTS = 1_000
Beat = Callable[[], None]
Rows = Iterable[tuple[Any, ...]]


def write_rows(
    system: System, records: SystemRecords, places: Places, batches: Sequence[int], beat: Beat
) -> None:
    """Write everything that hangs on `batches`, in chunks; `beat` is called in the transaction of each."""
    runs = _write_runs(records, places, batches, beat)
    _insert(Measurement, ("run_id", "metric_id", "value"), _measurements(records, places, runs), beat)
    _insert(
        RegionMeasurement,
        ("run_id", "region_id", "metric_id", "value", "lines"),
        _region_measurements(records, places, runs),
        beat,
    )
    for analysis in records.analyses:
        _write_analysis(system, analysis, places, batches, beat)
    columns = ("series_id", "revision_id", "batch_id", "n", "median", "spread")
    _insert(Point, columns, _points(records, places, batches), beat)
    count_anew((Run, Measurement, RegionMeasurement, Partition, Point))


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
    rows = (
        Run(
            batch_id=batches[one.batch],
            revision_id=places.revisions[one.revision],
            configuration_id=places.configurations[one.configuration],
            workload_id=places.workloads[one.workload],
            environment_id=places.environments[one.environment],
            repetition=one.repetition,
            kind=one.kind,
            status=one.status,
            message=one.message,
            output_tail=one.output_tail,
            started_at=one.started_at,
            invalid_reason=one.invalid_reason,
        )
        for one in records.runs
    )
    return _create(Run, rows, beat)


def _measurements(records: SystemRecords, places: Places, runs: Sequence[int]) -> Rows:
    table = records.measurements
    columns = zip(table.run.tolist(), table.metric.tolist(), table.value.tolist(), strict=True)
    return ((runs[run], places.metrics[metric], value) for run, metric, value in columns)


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
    system: System, one: AnalysisRecord, places: Places, batches: Sequence[int], beat: Beat
) -> None:
    with transaction.atomic():
        beat()
        analysis = Analysis.objects.create(
            system=system,
            batch_id=batches[one.batch],
            revision_id=places.revisions[one.revision],
            workload_id=places.workloads[one.workload],
            environment_id=places.environments[one.environment],
            kind=one.kind,
            region_metric_id=places.metrics[one.region_metric],
            total_metric_id=places.metrics[one.total_metric],
            aggregate_repetitions=one.aggregate_repetitions,
            aggregate_configurations=one.aggregate_configurations,
            program_region_offset=one.program_region_offset,
            options=list(one.options),
            published_correction=one.published_correction,
        )
        Correction.objects.bulk_create(
            Correction(analysis=analysis, **asdict(correction)) for correction in one.corrections
        )
    _create(
        Partition,
        (
            Partition(analysis=analysis, region_id=places.regions[part.region], formulas=list(part.formulas))
            for part in one.partitions
        ),
        beat,
    )
    _create(
        PublishedPrediction,
        (
            PublishedPrediction(
                analysis=analysis,
                configuration_id=places.configurations[prediction.configuration],
                value=prediction.value,
            )
            for prediction in one.predictions
        ),
        beat,
    )


def _points(records: SystemRecords, places: Places, batches: Sequence[int]) -> Rows:
    table = records.points
    revisions = [places.revisions[one.name] for one in records.revisions]
    columns = zip(
        table.series.tolist(),
        table.revision.tolist(),
        table.batch.tolist(),
        table.n.tolist(),
        table.median.tolist(),
        table.spread.tolist(),
        strict=True,
    )
    for series, revision, batch, n, median, spread in columns:
        known = None if math.isnan(spread) else spread
        yield places.series[series], revisions[revision], batches[batch], n, median, known
