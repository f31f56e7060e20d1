"""What approaches are judged on: the configurations measured end to end in one context, and what was composed of it."""

import time

import numpy as np
from django.db.models import Count, Max

from analytics.evaluation import GivenModel, MeasuredSystem
from analytics.influence.models import fit
from analytics.units import SECONDS
from dashboard.access import NotFound
from dashboard.models import Measurement, Metric, PerformanceModel, System
from dashboard.selectors.accuracy import DRAWN, corrections_of
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasuredContext, MeasurementContext, end_to_end, end_to_end_runs
from dashboard.selectors.feature_models.valid import valid_configurations
from dashboard.selectors.model_loading import load_model
from dashboard.selectors.performance_models import visible_models

PROFILED = "profiled"
# The fields of a run's context and its metric, then those of `MeasuredContext` in order; configurations and batch follow.
_FIELDS = (
    "run__revision_id",
    "run__workload_id",
    "run__environment_id",
    "metric_id",
    "run__revision__name",
    "run__workload__name",
    "run__environment__name",
    "metric__quantity",
    "metric__unit",
    "metric__clock",
)


def evaluation_contexts(system: System) -> tuple[MeasuredContext, ...]:
    """Where more than one configuration was measured, the one with most of them first. One query.

    Among equals a time comes first, then CPU time, then the newest revision.
    """
    rows = (
        Measurement.objects.filter(run__in=end_to_end_runs(system))
        .values_list(*_FIELDS)
        .annotate(n=Count("run__configuration", distinct=True), newest=Max("run__batch_id"))
        .filter(n__gt=1)
    )

    def rank(one: MeasuredContext) -> tuple[int, bool, bool, int, int]:
        return (
            -one.configurations,
            one.unit not in SECONDS,
            one.clock != Metric.Clock.CPU,
            -one.context.revision_id,
            one.metric_id,
        )

    found = (MeasuredContext(MeasurementContext(*row[:3]), *row[3:]) for row in rows)
    return tuple(sorted(found, key=rank))


def find_context(
    system: System, *, metric: str = "", revision: str = "", ids: tuple[int, ...] | None = None
) -> MeasuredContext:
    """The first of `evaluation_contexts` with this metric (`time`, `time:cpu`), revision and ids, blank for any.

    Raises `NotFound`.
    """
    known = evaluation_contexts(system)
    fits = [
        one
        for one in known
        if metric in ("", one.quantity, one.metric)
        and revision in ("", one.revision)
        and ids in (None, one.ids)
    ]
    if fits:
        return fits[0]
    if not known:
        raise NotFound(f"{system.slug!r} has no end-to-end measurements of more than one configuration")
    metrics = ", ".join(dict.fromkeys(one.metric for one in known))
    revisions = ", ".join(dict.fromkeys(one.revision for one in known))
    raise NotFound(
        f"{system.slug!r} has no metric {metric or 'at all'!r} at revision {revision or 'any'!r}: "
        f"metrics are {metrics}; revisions {revisions}"
    )


def measured_system(system: System, where: MeasuredContext) -> tuple[MeasuredSystem, int]:
    """What was measured in a context, and how many configurations are left out: their values are not above 0."""
    space = options_of(system)
    runs = end_to_end_runs(system).filter(**where.context.as_filter())
    found = end_to_end(runs, where.metric_id, space)
    kept = np.isfinite(found.values) & (found.values > 0)
    # The time of one execution of each configuration: the metric itself, or the time of the same runs.
    seconds = None
    if where.unit in SECONDS:
        seconds = found.values * SECONDS[where.unit]
    else:
        of_runs = Measurement.objects.filter(run__in=runs).values("metric_id")
        times = Metric.objects.filter(pk__in=of_runs, unit__in=SECONDS, quantity="time")
        if (metric := times.order_by("-clock").first()) is not None:
            own = end_to_end(runs, metric.pk, space).by_levels
            timed = np.array([own.get(row.tobytes(), np.nan) for row in found.configurations])
            seconds = None if np.isnan(timed).any() else timed * SECONDS[metric.unit]
    measured = MeasuredSystem(
        valid=valid_configurations(system),
        configurations=found.configurations[kept],
        values=found.values[kept],
        executions=found.executions[kept],
        seconds=None if seconds is None else seconds[kept],
    )
    return measured, int((~kept).sum())


def composed_models(where: MeasuredContext) -> tuple[GivenModel, ...]:
    """The models composed of profiled regions whose total is the context's metric: as profiled, and corrected."""
    analyses = visible_models().filter(**where.context.as_filter(), total_metric_id=where.metric_id)
    analysis = analyses.exclude(kind__in=PerformanceModel.LEARNED_KINDS).first()
    if analysis is None:
        return ()
    loaded = load_model(analysis)
    if loaded.is_total:
        return ()
    start = time.perf_counter()
    model = fit(loaded.times)
    took = time.perf_counter() - start
    corrections = tuple(one for one in corrections_of(analysis) if one.name.startswith(DRAWN))
    unit = SECONDS.get(analysis.region_metric.unit)
    times = loaded.times
    # What all profiled runs took together, in the metric's unit: the sum over regions, with what they lack.
    profiled = float(times.values[:, times.ran].sum() + times.offset * times.ran.sum())
    return tuple(
        GivenModel(
            sampling=PROFILED,
            learner=name,
            model=model,
            configurations=times.configurations,
            executions=int(times.ran.sum()),
            seconds=None if unit is None else profiled * unit,
            training_seconds=took,
            corrections=own,
        )
        for name, own in (("composed", ()), ("composed-corrected", corrections))
        if own or name == "composed"
    )
