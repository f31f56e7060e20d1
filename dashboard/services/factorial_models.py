"""Analyses of measured revisions for which no partition is known: the measured configurations themselves tell."""

import math
from collections.abc import Collection

from django.db.models import Count, Min

from dashboard.models import Batch, Configuration, Level, Measurement, Metric, PerformanceModel, Run, System
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.performance_models import measured_kind, valid_runs
from dashboard.services.metrics import seconds
from dashboard.services.region_rows import program_region

# Combinations of levels beyond which nobody measures enough of them for a model of this kind.
MOST_COMBINATIONS = 4096
# Formats of files that hold measurements of configurations, and nothing that a model could be made of otherwise.
FACTORIAL_FORMATS = frozenset({"csv"})


def refresh_factorial_models(*, system: System, batch: Batch) -> int:
    """Make or widen the analysis of every revision, workload and environment of a batch; returns how many there are.

    An analysis says which options vary among the measured configurations: each combination of their levels counts
    as one subspace of every region. One configuration alone, or options with more than 4096 combinations, make none.
    """
    return refresh_analyses_at(
        system=system,
        places=MeasurementContext.of_runs(Run.objects.filter(batch=batch, status=Run.Status.OK)),
    )


def refresh_analyses_at(*, system: System, places: Collection[MeasurementContext]) -> int:
    """Likewise for these places, after runs there were stored, marked invalid or restored.

    An analysis whose valid runs do not make one any more goes away.
    """
    return sum(_refresh(system, place) for place in places)


def make_factorial_models(*, system: System, batch: Batch) -> None:
    """Make the models of an imported batch: one for each context and metric in which it compares configurations.

    They are over the options that vary in the batch, if these have at most 4096 combinations.
    """
    measured = Measurement.objects.filter(run__batch=batch, run__status=Run.Status.OK)
    of_batch = Configuration.objects.filter(pk__in=measured.values("run__configuration_id"))
    options = varied_options(system, list(of_batch))
    if not options or _combinations(system, options) > MOST_COMBINATIONS:
        return
    context = ("run__revision_id", "run__workload_id", "run__environment_id")
    rows = (
        measured.values_list(*context, "metric_id")
        .annotate(n=Count("run__configuration_id", distinct=True), first=Min("pk"))
        .filter(n__gt=1)
        .order_by(*context, "first")
    )
    PerformanceModel.objects.bulk_create(
        PerformanceModel(
            system=system,
            batch=batch,
            revision_id=revision,
            workload_id=workload,
            environment_id=environment,
            kind=PerformanceModel.Kind.FULL_FACTORIAL,
            region_metric_id=metric,
            total_metric_id=metric,
            aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
            aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
            options=options,
        )
        for revision, workload, environment, metric, _, _ in rows
    )


def varied_options(system: System, configurations: list[Configuration]) -> list[str]:
    """The options that do not have one level in all configurations, by position."""
    names = system.options.values_list("name", flat=True)
    return [
        name
        for name in names
        if len({configuration.assignments.get(name) for configuration in configurations}) > 1
    ]


def _refresh(system: System, place: MeasurementContext) -> bool:
    at = {
        "system": system,
        **place.as_filter(),
        "kind": PerformanceModel.Kind.FULL_FACTORIAL,
    }
    known = PerformanceModel.objects.filter(**at).first()
    analysis = known or PerformanceModel(
        region_metric=seconds(Metric.Clock.CPU),
        total_metric=seconds(Metric.Clock.CPU),
        aggregate_repetitions=PerformanceModel.Aggregator.MEDIAN,
        aggregate_configurations=PerformanceModel.Aggregator.MEDIAN,
        **at,
    )
    kind = measured_kind(analysis)
    runs = valid_runs(analysis, kind)
    configurations = list(Configuration.objects.filter(pk__in=runs.values("configuration_id")))
    options = varied_options(system, configurations)
    if not options or _combinations(system, options) > MOST_COMBINATIONS:
        if known is not None:
            known.delete()
        return False
    if known is None:
        analysis.batch = Batch.objects.filter(runs__in=runs).latest("pk")
    if kind == Run.Kind.PLAIN:
        # Nothing was profiled: the program as a whole is the one region.
        program_region(system)
    analysis.options = options
    analysis.data_version += 1
    analysis.save()
    return True


def _combinations(system: System, options: Collection[str]) -> int:
    counts = dict.fromkeys(options, 0)
    for name in Level.objects.filter(option__system=system, option__name__in=options).values_list(
        "option__name", flat=True
    ):
        counts[name] += 1
    return math.prod(counts.values())
