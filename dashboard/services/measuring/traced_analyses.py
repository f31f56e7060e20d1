"""Models of measured revisions whose partitions an analysis has found."""

from collections.abc import Mapping, Sequence

from analytics.configurations.covers import covered
from analytics.configurations.joining import joint_seen
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from dashboard.models import (
    Batch,
    Configuration,
    Metric,
    PerformanceModel,
    Region,
    RegionMeasurement,
    RegionPartition,
    Run,
    System,
)
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.services.metrics import seconds


def refresh_partitioned_models(*, system: System, batch: Batch) -> int:
    """Make the model of every place where a batch's profiled runs cover an analysis of that revision; returns how many.

    They cover it if they are in every subspace that its traced runs were in. Measured regions that decide on no
    option, and the program region, have one subspace: all configurations.
    """
    space = options_of(system)
    runs = Run.objects.filter(batch=batch, status=Run.Status.OK, kind=Run.Kind.PROFILED)
    return sum(_refresh(system, space, batch, place) for place in MeasurementContext.of_runs(runs))


def _refresh(system: System, space: OptionSpace, batch: Batch, place: MeasurementContext) -> bool:
    at = {
        "revision_id": place.revision_id,
        "workload_id": place.workload_id,
        "environment_id": place.environment_id,
    }
    runs = Run.objects.filter(
        batch=batch, status=Run.Status.OK, kind=Run.Kind.PROFILED, invalid_reason="", **at
    )
    newest = newest_analysis(system, system.revisions.get(pk=place.revision_id).name)
    if newest is None:
        return False
    configurations = Configuration.objects.filter(pk__in=runs.values("configuration_id"))
    measured = space.encode(configurations.values_list("assignments", flat=True))
    traced = space.encode(run.levels for run in newest.result.traced)
    parts = newest.result.partitions_over(space)
    if not all(
        (covered(part, measured) | ~covered(part, traced)).all() for found in parts.values() for part in found
    ):
        return False
    analysis = _analysis(system, batch, at)
    analysis.partitions.all().delete()
    seen = RegionMeasurement.objects.filter(run__in=runs)
    RegionPartition.objects.bulk_create(
        RegionPartition(
            model=analysis,
            region=region,
            formulas=_formulas(space, parts.get(region.key, ()), measured),
        )
        for region in Region.objects.filter(pk__in=seen.values("region_id"))
    )
    return True


def _analysis(system: System, batch: Batch, at: Mapping[str, int]) -> PerformanceModel:
    """The analysis of one place, made or moved on."""
    metric = seconds(Metric.Clock.CPU)
    analysis, _ = PerformanceModel.objects.get_or_create(
        system=system,
        batch=batch,
        kind=PerformanceModel.Kind.PARTITIONED,
        total_metric=metric,
        **at,
        defaults={
            "region_metric": metric,
            "aggregate_repetitions": PerformanceModel.Aggregator.MEDIAN,
            "aggregate_configurations": PerformanceModel.Aggregator.MEDIAN,
        },
    )
    analysis.data_version += 1
    analysis.save(update_fields=["data_version"])
    return analysis


def _formulas(space: OptionSpace, parts: Sequence[Partition], measured: IntArray) -> list[str]:
    """One partition for a region: of one with several, all that the measured configurations tell apart together."""
    if len(parts) == 1:
        return list(parts[0].formulas)
    return list(joint_seen(space, parts, measured).formulas)
