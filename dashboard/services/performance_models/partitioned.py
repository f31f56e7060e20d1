"""Partitioned models: of measured revisions whose partitions a white-box analysis has found."""

from analytics.configurations.covers import covered
from analytics.configurations.joining import joint_seen
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
from dashboard.services.performance_models.storing import model_of, save_next_version


def refresh_partitioned_models(*, system: System, batch: Batch) -> int:
    """Make a model of each context whose profiled runs cover a white-box analysis of its revision; returns how many.

    They cover it if they are in every subspace that its traced runs were in. Measured regions that decide on no
    option, and the program region, have one subspace: all configurations.
    """
    runs = Run.objects.filter(batch=batch, status=Run.Status.OK, kind=Run.Kind.PROFILED)
    return sum(_refresh(system, batch, context) for context in MeasurementContext.of_runs(runs))


def _refresh(system: System, batch: Batch, context: MeasurementContext) -> bool:
    """Make or renew the model of one context; False where its runs cover no analysis."""
    space = options_of(system)
    valid = {"status": Run.Status.OK, "kind": Run.Kind.PROFILED, "invalid_reason": ""}
    runs = Run.objects.filter(batch=batch, **valid, **context.as_filter())
    newest = newest_analysis(system, system.revisions.get(pk=context.revision_id).name)
    if newest is None:
        return False
    assigned = Configuration.objects.filter(pk__in=runs.values("configuration_id")).values_list("assignments")
    measured = space.encode(assignments for (assignments,) in assigned)
    traced = space.encode(run.levels for run in newest.result.traced)
    partitions = newest.result.partitions_over(space)
    if not all(
        (covered(one, measured) | ~covered(one, traced)).all() for some in partitions.values() for one in some
    ):
        return False
    metric = seconds(Metric.Clock.CPU)
    model = model_of(system, context, PerformanceModel.Kind.PARTITIONED, metric.pk, batch.pk)
    save_next_version(model)
    model.partitions.all().delete()
    rows = []
    seen = RegionMeasurement.objects.filter(run__in=runs).values("region_id")
    for region in Region.objects.filter(pk__in=seen):
        # One partition for a region: of one with several, all that the measured configurations tell apart together.
        several = partitions.get(region.key, ())
        one = several[0] if len(several) == 1 else joint_seen(space, several, measured)
        rows.append(RegionPartition(model=model, region=region, formulas=list(one.formulas)))
    RegionPartition.objects.bulk_create(rows)
    return True
