"""What was measured in one system, as records in an order of their own content. For the selector of whole systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from dashboard.importers.record_tables import (
    IntArray,
    MeasurementTable,
    RegionMeasurementTable,
)
from dashboard.importers.records import (
    BatchRecord,
    CoefficientRecord,
    CorrectionRecord,
    PartitionRecord,
    PerformanceModelRecord,
    PredictionRecord,
    RunRecord,
)
from dashboard.models import (
    Batch,
    Measurement,
    PerformanceModel,
    PublishedCoefficient,
    RegionMeasurement,
    Run,
    System,
)
from dashboard.selectors.export.reference import Placed

# The batch that stands for an imported bundle itself: its data hang on the batches that came in it.
ENVELOPE = "bundle"
# In the order of `RunRecord`.
_RUN_FIELDS = (
    "batch_id",
    "revision__name",
    "configuration_id",
    "workload__name",
    "environment_id",
    "repetition",
    "kind",
    "status",
    "started_at",
    "message",
    "invalid_reason",
    "output_tail",
)
_RUN_KEY = attrgetter("batch", "revision", "configuration", "workload", "environment", "kind", "repetition")


@dataclass(frozen=True, slots=True)
class Places:
    """The position of each row among the records, by its id."""

    batches: Mapping[int, int]
    configurations: Mapping[int, int]
    environments: Mapping[int, int]
    metrics: Mapping[int, int]
    regions: Mapping[int, int]


def batches(system: System) -> Placed:
    """The visible batches that hold data, by format and digest."""
    found = Batch.objects.filter(system=system, state=Batch.State.VISIBLE).exclude(format=ENVELOPE)
    rows = sorted(found, key=lambda one: (one.format, one.digest))
    return Placed(
        tuple(BatchRecord(one.format, one.digest, one.source, one.manifest) for one in rows),
        {one.pk: position for position, one in enumerate(rows)},
    )


def runs(places: Places) -> Placed:
    """The runs of these batches."""
    found = Run.objects.filter(batch_id__in=list(places.batches))
    rows: list[tuple[int, RunRecord]] = []
    for pk, batch, revision, configuration, workload, environment, *rest in found.values_list(
        "pk", *_RUN_FIELDS
    ):
        record = RunRecord(
            places.batches[batch],
            revision,
            places.configurations[configuration],
            workload,
            places.environments[environment],
            *rest,
        )
        rows.append((pk, record))
    rows.sort(key=lambda row: _RUN_KEY(row[1]))
    return Placed(
        tuple(record for _, record in rows), {pk: position for position, (pk, _) in enumerate(rows)}
    )


def measurements(places: Places, run_places: Mapping[int, int]) -> MeasurementTable:
    """The measurements of whole runs, by run and metric."""
    found = Measurement.objects.filter(run__batch_id__in=list(places.batches))
    columns = _columns(list(found.values_list("run_id", "metric_id", "value", "deviation", "n")), 5)
    run = _whole([run_places[pk] for pk in columns[0]])
    metric = _whole([places.metrics[pk] for pk in columns[1]])
    order = np.lexsort((metric, run))
    # None becomes NaN.
    value, deviation = (np.array(column, dtype=np.float64)[order] for column in columns[2:4])
    return MeasurementTable(run[order], metric[order], value, deviation, _whole(columns[4])[order])


def region_measurements(places: Places, run_places: Mapping[int, int]) -> RegionMeasurementTable:
    """The measurements of regions, by run, region and metric."""
    found = RegionMeasurement.objects.filter(run__batch_id__in=list(places.batches))
    rows = list(found.values_list("run_id", "region_id", "metric_id", "value", "lines"))
    run, region, metric, value, lines = _columns(rows, 5)
    at_run = _whole([run_places[pk] for pk in run])
    at_region = _whole([places.regions[pk] for pk in region])
    at_metric = _whole([places.metrics[pk] for pk in metric])
    order = np.lexsort((at_metric, at_region, at_run))
    by_line = {row: lines[old] for row, old in enumerate(order.tolist()) if lines[old] is not None}
    values = np.array(value, dtype=np.float64)[order]
    return RegionMeasurementTable(at_run[order], at_region[order], at_metric[order], values, by_line)


def analyses(places: Places) -> tuple[PerformanceModelRecord, ...]:
    """The analyses of these batches with what hangs on them, without learned ones.

    Those are learned anew where they arrive; hybrid ones have records of their own.
    """
    given = PerformanceModel.objects.filter(batch_id__in=list(places.batches)).exclude(
        kind__in=PerformanceModel.LEARNED_KINDS
    )
    found = given.select_related("revision", "workload")
    records = [
        _analysis(one, places) for one in found.prefetch_related("partitions", "corrections", "predictions")
    ]
    return tuple(
        sorted(
            records,
            key=lambda one: (one.batch, one.revision, one.workload, one.environment, one.kind),
        )
    )


def coefficients(places: Places) -> tuple[CoefficientRecord, ...]:
    """The published coefficients of these batches, by batch, metric, revision and term."""
    found = PublishedCoefficient.objects.filter(batch_id__in=list(places.batches))
    records = [
        CoefficientRecord(
            places.batches[batch], revision, places.metrics[metric], term, _levels(levels), value
        )
        for batch, revision, metric, term, levels, value in found.values_list(
            "batch_id", "revision__name", "metric_id", "term", "levels", "value"
        )
    ]
    return tuple(sorted(records, key=attrgetter("batch", "metric", "revision", "term")))


def _levels(stored: Mapping[str, str | list[str]] | None) -> dict[str, str | tuple[str, ...]] | None:
    if stored is None:
        return None
    return {name: one if isinstance(one, str) else tuple(one) for name, one in stored.items()}


def _analysis(one: PerformanceModel, places: Places) -> PerformanceModelRecord:
    partitions = [
        PartitionRecord(places.regions[part.region_id], tuple(part.formulas)) for part in one.partitions.all()
    ]
    predictions = [
        PredictionRecord(places.configurations[row.configuration_id], row.value)
        for row in one.predictions.all()
    ]
    corrections = sorted(one.corrections.all(), key=lambda row: row.pk)
    return PerformanceModelRecord(
        batch=places.batches[one.batch_id],
        revision=one.revision.name,
        workload=one.workload.name,
        environment=places.environments[one.environment_id],
        kind=one.kind,  # type: ignore[arg-type]  # the words of the model's choices
        region_metric=places.metrics[one.region_metric_id],
        total_metric=places.metrics[one.total_metric_id],
        aggregate_repetitions=one.aggregate_repetitions,  # type: ignore[arg-type]  # likewise
        aggregate_configurations=one.aggregate_configurations,  # type: ignore[arg-type]  # likewise
        program_region_offset=one.program_region_offset,
        uncovered_is_zero=one.uncovered_is_zero,
        options=tuple(one.options),
        published_correction=one.published_correction,
        partitions=tuple(sorted(partitions, key=lambda part: part.region)),
        corrections=tuple(
            CorrectionRecord(row.name, row.intercept, row.slope, row.r_squared) for row in corrections
        ),
        predictions=tuple(sorted(predictions, key=lambda row: row.configuration)),
    )


def _columns(rows: Sequence[Sequence[Any]], width: int) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) or [()] * width


def _whole(values: Sequence[int]) -> IntArray:
    return np.array(values, dtype=np.int64)
