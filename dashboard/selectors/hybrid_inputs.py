"""What hybrid models of a system are learned from: places with counts and times; and those that were learned."""

from dataclasses import replace

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef

from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.learned import HYBRID_VERSION
from analytics.whitebox.dependencies import candidate_options
from dashboard.models import Batch, CountedRun, Measurement, Metric, ModelFit, PerformanceModel, System
from dashboard.selectors.configurations import options_of
from dashboard.selectors.counts import counted_runs
from dashboard.selectors.end_to_end import MeasuredContext, MeasurementContext, end_to_end, end_to_end_runs
from dashboard.selectors.model_rows import ModelIdentity
from dashboard.selectors.performance_models import REFERRED, HybridSettings, model_row
from dashboard.selectors.whitebox.analyses import newest_analysis


def counted_contexts(system: System) -> tuple[MeasuredContext, ...]:
    """Where more than one configuration has counts and end-to-end CPU times, those with most first. Two queries."""
    metric = Metric.objects.filter(quantity="time", unit="s", clock=Metric.Clock.CPU).first()
    if metric is None:
        return ()
    own = ("revision_id", "workload_id", "environment_id", "configuration_id")
    timed = Measurement.objects.filter(
        metric=metric, run__in=end_to_end_runs(system), **{f"run__{name}": OuterRef(name) for name in own}
    )
    rows = (
        CountedRun.objects.filter(Exists(timed), batch__system=system, batch__state=Batch.State.VISIBLE)
        .order_by()
        .values_list(*own[:3], "revision__name", "workload__name", "environment__name")
        .annotate(configurations=Count("configuration_id", distinct=True), newest=Max("batch_id"))
        .filter(configurations__gt=1)
    )
    told = (metric.quantity, metric.unit, metric.clock)
    found = [
        MeasuredContext(
            MeasurementContext(*ids), metric.pk, revision, workload, environment, *told, n, newest
        )
        for *ids, revision, workload, environment, n, newest in rows
    ]
    return tuple(sorted(found, key=lambda one: (-one.configurations, -one.batch_id)))


def hybrid_input(*, system: System, counted_in: MeasuredContext) -> tuple[CountedSample, Candidates | None]:
    """The runs of a context and the options that taint each region, None where its revision was not analyzed.

    Raises `NotFound`, and `InfluenceError` where it is too little.
    """
    space = options_of(system)
    counted = counted_runs(
        system=system,
        revision=counted_in.revision,
        workload=counted_in.workload,
        environment_id=counted_in.context.environment_id,
    )
    runs = end_to_end_runs(system).filter(**counted_in.context.as_filter())
    timed = end_to_end(runs, counted_in.metric_id, space).by_levels
    seconds = np.array([timed.get(row.tobytes(), np.nan) for row in counted.configurations])
    rows = np.flatnonzero(seconds > 0)
    # The counting runs were timed by one clock.
    counting = counted.cpu_seconds[rows]
    by_that_clock = counted_in.clock == Metric.Clock.CPU
    newest = newest_analysis(system, counted_in.revision)
    return (
        CountedSample(
            space=space,
            configurations=counted.configurations[rows],
            counts=counted.counts[rows],
            regions=tuple(site[0] for site in counted.sites),
            plain=seconds[rows],
            counted=counting if by_that_clock and (counting > 0).all() else None,
        ),
        None if newest is None else candidate_options(newest.result, space),
    )


def hybrid_models(system: System) -> tuple[ModelIdentity, ...]:
    """The models that are there, newest first; `is_current` by their measurements. One query."""
    fits = ModelFit.objects.filter(
        model__system=system,
        model__kind=PerformanceModel.Kind.HYBRID,
        model__batch__state=Batch.State.VISIBLE,
        method_version=HYBRID_VERSION,
    )
    fits = fits.select_related("model", *(f"model__{name}" for name in REFERRED)).defer("payload")
    return tuple(
        replace(
            model_row(fit.model),
            configurations=HybridSettings.of(fit.model).configurations,
            is_current=fit.model.data_version == fit.data_version,
        )
        for fit in fits.order_by("-pk")
    )
