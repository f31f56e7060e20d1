"""The rows of a batch: runs with their measurements, analyses, and points of imported series."""

import math
from collections.abc import Callable, Iterator, Sequence
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
from dashboard.services.imports.reference import Places

# Written in well under a second on either database.
CHUNK = 10_000
Beat = Callable[[], None]


def write_rows(
    system: System, records: SystemRecords, places: Places, batches: Sequence[int], beat: Beat
) -> None:
    """Write everything that hangs on `batches`, in chunks; `beat` is called in the transaction of each."""
    runs = _write_runs(records, places, batches, beat)
    table = records.measurements
    columns = zip(table.run.tolist(), table.metric.tolist(), table.value.tolist(), strict=True)
    _write(
        Measurement,
        (Measurement(run_id=runs[run], metric_id=places.metrics[m], value=v) for run, m, v in columns),
        beat,
    )
    _write(RegionMeasurement, _region_measurements(records, places, runs), beat)
    for analysis in records.analyses:
        _write_analysis(system, analysis, places, batches, beat)
    _write_points(records, places, batches, beat)


def _write(model: type[models.Model], rows: Iterator[Any], beat: Beat) -> list[int]:
    """Create rows in chunks of one transaction each; their ids, in order."""
    ids: list[int] = []
    chunk: list[Any] = []

    def flush() -> None:
        with transaction.atomic():
            beat()
            ids.extend(row.pk for row in models.QuerySet[Any](model).bulk_create(chunk))
        chunk.clear()

    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            flush()
    if chunk:
        flush()
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
    return _write(Run, rows, beat)


def _region_measurements(
    records: SystemRecords, places: Places, runs: Sequence[int]
) -> Iterator[RegionMeasurement]:
    table = records.region_measurements
    columns = zip(
        table.run.tolist(), table.region.tolist(), table.metric.tolist(), table.value.tolist(), strict=True
    )
    for row, (run, region, metric, value) in enumerate(columns):
        lines = table.lines.get(row)
        yield RegionMeasurement(
            run_id=runs[run],
            region_id=places.regions[region],
            metric_id=places.metrics[metric],
            value=value,
            lines=None if lines is None else dict(lines),
        )


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
            Correction(
                analysis=analysis,
                name=correction.name,
                intercept=correction.intercept,
                slope=correction.slope,
                r_squared=correction.r_squared,
            )
            for correction in one.corrections
        )
    _write(
        Partition,
        (
            Partition(analysis=analysis, region_id=places.regions[part.region], formulas=list(part.formulas))
            for part in one.partitions
        ),
        beat,
    )
    _write(
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


def _write_points(records: SystemRecords, places: Places, batches: Sequence[int], beat: Beat) -> None:
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
    rows = (
        Point(
            series_id=places.series[one],
            revision_id=revisions[revision],
            batch_id=batches[batch],
            n=n,
            median=median,
            spread=None if math.isnan(spread) else spread,
        )
        for one, revision, batch, n, median, spread in columns
    )
    _write(Point, rows, beat)
