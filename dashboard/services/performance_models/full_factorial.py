"""Models of measured revisions: over all combinations of levels, or over the partitions that an analysis has found."""

import math
from collections.abc import Collection

from django.db.models import Count, Min, QuerySet

from analytics.configurations.covers import covered
from analytics.configurations.joining import joint_seen
from dashboard.models import (
    Batch,
    Configuration,
    Measurement,
    Metric,
    PerformanceModel,
    Region,
    RegionMeasurement,
    RegionPartition,
    Run,
    System,
)
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.performance_models import measured_kind, valid_runs
from dashboard.selectors.whitebox.analyses import newest_analysis
from dashboard.services.metrics import seconds
from dashboard.services.performance_models.storing import model_of, save_next_version
from dashboard.services.region_rows import program_region

# Combinations of levels beyond which nobody measures enough of them for a model of this kind.
MOST_COMBINATIONS = 4096
# Formats of files that hold measurements of configurations, and nothing that a model could be made of otherwise.
FACTORIAL_FORMATS = frozenset({"benchmarks", "csv"})


def refresh_factorial_models(*, system: System, contexts: Collection[MeasurementContext]) -> int:
    """Make the models of contexts, or widen them, after runs there were stored, marked invalid or restored.

    Returns how many there are. A model says which options vary among the measured configurations: each combination of
    their levels counts as one subspace of every region. One configuration alone, or options with more than 4096
    combinations, make none; a model whose valid runs do not make one any more goes away.
    """
    kind, refreshed = PerformanceModel.Kind.FULL_FACTORIAL, 0
    for context in contexts:
        # An imported one may be over another metric.
        known = PerformanceModel.objects.filter(system=system, kind=kind, **context.as_filter()).first()
        model = known or model_of(system, context, kind, seconds(Metric.Clock.CPU).pk)
        of_runs = measured_kind(model)
        runs = valid_runs(model, of_runs)
        configurations = Configuration.objects.filter(pk__in=runs.values("configuration_id"))
        options = _options_of(system, configurations)
        if not options:
            if known is not None:
                known.delete()
            continue
        if known is None:
            model.batch = Batch.objects.filter(runs__in=runs).latest("pk")
        if of_runs == Run.Kind.PLAIN:
            # Nothing was profiled: the program as a whole is the one region.
            program_region(system)
        model.options = options
        save_next_version(model)
        refreshed += 1
    return refreshed


def refresh_partitioned_models(*, system: System, batch: Batch) -> int:
    """Make a model of each context whose profiled runs cover a white-box analysis of its revision; returns how many.

    They cover it if they are in every subspace that its traced runs were in. Measured regions that decide on no
    option have one subspace, all configurations; so has the program region, where no option has other processes work.
    """
    profiled = Run.objects.filter(batch=batch, status=Run.Status.OK, kind=Run.Kind.PROFILED)
    space = options_of(system)
    refreshed = 0
    for context in MeasurementContext.of_runs(profiled):
        newest = newest_analysis(system, system.revisions.get(pk=context.revision_id).name)
        if newest is None:
            continue
        runs = profiled.filter(invalid_reason="", **context.as_filter())
        assigned = Configuration.objects.filter(pk__in=runs.values("configuration_id"))
        measured = space.encode(assigned.values_list("assignments", flat=True))
        traced = space.encode(run.levels for run in newest.result.traced)
        partitions = newest.result.partitions_over(space)
        each = [one for several in partitions.values() for one in several]
        if not all((covered(one, measured) | ~covered(one, traced)).all() for one in each):
            continue
        metric = seconds(Metric.Clock.CPU)
        model = model_of(system, context, PerformanceModel.Kind.PARTITIONED, metric.pk, batch.pk)
        save_next_version(model)
        model.partitions.all().delete()
        rows = []
        for region in Region.objects.filter(
            pk__in=RegionMeasurement.objects.filter(run__in=runs).values("region_id")
        ):
            # One partition for a region: of several, all that the measured configurations tell apart together.
            several = partitions.get(region.key, ())
            one = several[0] if len(several) == 1 else joint_seen(space, several, measured)
            rows.append(RegionPartition(model=model, region=region, formulas=list(one.formulas)))
        RegionPartition.objects.bulk_create(rows)
        refreshed += 1
    return refreshed


def make_factorial_models(*, system: System, batch: Batch) -> None:
    """Make the models of an imported batch: one for each context and metric in which it compares configurations.

    They are over the options that vary in the batch, if these have at most 4096 combinations.
    """
    measured = Measurement.objects.filter(run__batch=batch, run__status=Run.Status.OK)
    of_batch = Configuration.objects.filter(pk__in=measured.values("run__configuration_id"))
    options = _options_of(system, of_batch)
    if not options:
        return
    context = ("run__revision_id", "run__workload_id", "run__environment_id")
    rows = (
        measured.values_list(*context, "metric_id")
        .annotate(n=Count("run__configuration_id", distinct=True), first=Min("pk"))
        .filter(n__gt=1)
        .order_by(*context, "first")
    )
    for revision, workload, environment, metric, _, _ in rows:
        where = MeasurementContext(revision, workload, environment)
        model = model_of(system, where, PerformanceModel.Kind.FULL_FACTORIAL, metric, batch.pk)
        model.options = options
        model.save()


def _options_of(system: System, configurations: QuerySet[Configuration]) -> list[str]:
    """The options that do not have one level in all configurations, by position; none if too many combinations."""
    assigned = list(configurations.values_list("assignments", flat=True))
    # Grouped queries do not keep the order of the model.
    options = system.options.annotate(n=Count("levels")).order_by("position").values_list("name", "n")
    varied = {name: n for name, n in options if len({one.get(name) for one in assigned}) > 1}
    return list(varied) if math.prod(varied.values()) <= MOST_COMBINATIONS else []
