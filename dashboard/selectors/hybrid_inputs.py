"""What hybrid models of a system are learned from: places with counts, with times or without; and those that were learned."""

from dataclasses import replace

import numpy as np
from django.db.models import Count, Exists, Max, OuterRef, QuerySet

from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.learned import HYBRID_VERSION
from analytics.whitebox.dependencies import candidate_options
from analytics.work import CountWeights
from dashboard.models import Batch, CountedRun, Metric, ModelFit, PerformanceModel, System
from dashboard.selectors.batch_manifests import count_weights
from dashboard.selectors.configurations import options_of
from dashboard.selectors.counts import counted_runs, in_instructions, site_tables
from dashboard.selectors.end_to_end import (
    MeasuredContext,
    MeasurementContext,
    end_to_end,
    end_to_end_measurements,
    end_to_end_runs,
)
from dashboard.selectors.model_rows import ModelIdentity
from dashboard.selectors.performance_models import REFERRED, HybridSettings, model_row
from dashboard.selectors.whitebox.analyses import newest_analysis

_PLACE = ("revision_id", "workload_id", "environment_id", "configuration_id")


def counted_contexts(system: System) -> tuple[MeasuredContext, ...]:
    """Where more than one configuration has counts: first where end-to-end CPU times too, then for models of work alone.

    Those with most configurations first. Five queries.
    """
    time = Metric.objects.filter(quantity="time", unit="s", clock=Metric.Clock.CPU).first()
    work = Metric.objects.filter(quantity="work", clock=Metric.Clock.COUNT).first()
    runs = CountedRun.objects.filter(batch__system=system, batch__state=Batch.State.VISIBLE)
    of_context = {f"run__{name}": OuterRef(name) for name in _PLACE}
    timed = end_to_end_measurements(system).filter(metric=time, **of_context)
    with_times = [] if time is None else _contexts(runs.filter(Exists(timed)), time)
    counted = [] if work is None else _contexts(runs, work)
    tables = site_tables({one.batch_id for one in counted})
    # Instructions of a command are no work: nothing weighs them.
    alone = [one for one in counted if not in_instructions(tables[one.batch_id, one.context.revision_id])]
    return (*with_times, *alone)


def _contexts(runs: QuerySet[CountedRun], metric: Metric) -> list[MeasuredContext]:
    rows = (
        runs.order_by()
        .values_list(*_PLACE[:3], "revision__name", "workload__name", "environment__name")
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
    return sorted(found, key=lambda one: (-one.configurations, -one.batch_id))


def hybrid_input(*, system: System, counted_in: MeasuredContext) -> tuple[CountedSample, Candidates | None]:
    """The runs of a context and the options that taint each region, None where its revision was not analyzed.

    Of work alone each count costs what it weighs, and counters that an analysis found to differ by chance are left out.
    Raises `NotFound`, and `InfluenceError` where it is too little.
    """
    space = options_of(system)
    counted = counted_runs(
        system=system,
        revision=counted_in.revision,
        workload=counted_in.workload,
        environment_id=counted_in.context.environment_id,
    )
    newest = newest_analysis(system, counted_in.revision)
    candidates = None if newest is None else candidate_options(newest.result, space)
    regions = tuple(site[0] for site in counted.sites)
    if counted_in.clock == Metric.Clock.COUNT:
        by_chance = set() if newest is None else set(newest.result.nondeterministic)
        kept = [at for at, site in enumerate(counted.sites) if site not in by_chance]
        own, weights = counted.counts[:, kept], CountWeights(count_weights(system))
        sample = CountedSample(
            space, counted.configurations, own, tuple(regions[at] for at in kept), plain=None
        )
        costs = np.array([weights.of(name) for name in sample.names])
        return replace(sample, plain=sample.by_region() @ costs, costs=costs), candidates
    runs = end_to_end_runs(system).filter(**counted_in.context.as_filter())
    timed = end_to_end(runs, counted_in.metric_id, space).by_levels
    seconds = np.array([timed.get(row.tobytes(), np.nan) for row in counted.configurations])
    rows = np.flatnonzero(seconds > 0)
    # The counting runs were timed by one clock.
    counting = counted.cpu_seconds[rows]
    by_that_clock = counted_in.clock == Metric.Clock.CPU
    return (
        CountedSample(
            space=space,
            configurations=counted.configurations[rows],
            counts=counted.counts[rows],
            regions=regions,
            plain=seconds[rows],
            counted=counting if by_that_clock and (counting > 0).all() else None,
        ),
        candidates,
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
