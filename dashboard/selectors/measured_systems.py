"""What approaches are judged on: the configurations measured end to end in one context, and what was composed of it."""

import time
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, QuerySet

from analytics.configurations.options import OptionSpace
from analytics.evaluation.approaches import GivenModel, MeasuredSystem
from analytics.influence.accuracy import OverheadCorrection
from analytics.influence.models import fit
from analytics.influence.times import FloatArray
from analytics.units import SECONDS
from dashboard.access import NotFound
from dashboard.models import Batch, Measurement, Metric, ModelCorrection, PerformanceModel, Run, System
from dashboard.selectors.accuracy import DRAWN
from dashboard.selectors.end_to_end import EndToEnd, end_to_end, end_to_end_runs
from dashboard.selectors.feature_models.valid import valid_configurations
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.model_loading import load_model
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.performance_models import get_model

PROFILED = "profiled"
# The fields of a run's context and its metric, then those of `EvaluationContext` in order; configurations follow.
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


@dataclass(frozen=True, slots=True)
class EvaluationContext:
    """Where approaches can be judged: a measurement context and a metric, with how many configurations have values."""

    context: MeasurementContext
    metric_id: int
    revision: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    configurations: int

    @property
    def ids(self) -> tuple[int, int, int, int]:
        """What tells it from others: the ids of revision, workload, environment and metric."""
        where = self.context
        return where.revision_id, where.workload_id, where.environment_id, self.metric_id

    @property
    def metric(self) -> str:
        """The metric as commands take it: its quantity, and its clock where it has one."""
        return self.quantity if self.clock == Metric.Clock.NONE else f"{self.quantity}:{self.clock}"


def evaluation_contexts(system: System) -> tuple[EvaluationContext, ...]:
    """Where more than one configuration was measured, the one with most of them first. One query.

    Among equals a time comes first, then CPU time, then the newest revision.
    """
    rows = (
        Measurement.objects.filter(run__in=end_to_end_runs(system))
        .values_list(*_FIELDS)
        .annotate(n=Count("run__configuration", distinct=True))
        .filter(n__gt=1)
    )

    def rank(one: EvaluationContext) -> tuple[int, bool, bool, int, int]:
        return (
            -one.configurations,
            one.unit not in SECONDS,
            one.clock != Metric.Clock.CPU,
            -one.context.revision_id,
            one.metric_id,
        )

    found = (EvaluationContext(MeasurementContext(*row[:3]), *row[3:]) for row in rows)
    return tuple(sorted(found, key=rank))


def find_context(
    system: System, *, metric: str = "", revision: str = "", ids: tuple[int, ...] | None = None
) -> EvaluationContext:
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


def measured_system(system: System, where: EvaluationContext) -> tuple[MeasuredSystem, int]:
    """What was measured in a context, and how many configurations are left out: their values are not above 0."""
    space = options_of(system)
    runs = end_to_end_runs(system).filter(**where.context.as_filter())
    found = end_to_end(runs, where.metric_id, space)
    kept = np.isfinite(found.values) & (found.values > 0)
    seconds = _seconds(runs, where, space, found)
    measured = MeasuredSystem(
        valid=valid_configurations(system),
        configurations=found.configurations[kept],
        values=found.values[kept],
        executions=found.executions[kept],
        seconds=None if seconds is None else seconds[kept],
    )
    return measured, int((~kept).sum())


def _seconds(
    runs: QuerySet[Run], where: EvaluationContext, space: OptionSpace, found: EndToEnd
) -> FloatArray | None:
    """The time of one execution of each configuration: the metric itself, or the time of the same runs."""
    if where.unit in SECONDS:
        return found.values * SECONDS[where.unit]
    times = Metric.objects.filter(
        pk__in=Measurement.objects.filter(run__in=runs).values("metric_id"), unit__in=SECONDS, quantity="time"
    )
    metric = times.order_by("-clock").first()
    if metric is None:
        return None
    own = end_to_end(runs, metric.pk, space).by_levels
    values = np.array([own.get(row.tobytes(), np.nan) for row in found.configurations])
    return None if np.isnan(values).any() else values * SECONDS[metric.unit]


def composed_models(where: EvaluationContext) -> tuple[GivenModel, ...]:
    """The models composed of profiled regions whose total is the context's metric: as profiled, and corrected."""
    analyses = PerformanceModel.objects.filter(
        batch__state=Batch.State.VISIBLE,
        **where.context.as_filter(),
        total_metric_id=where.metric_id,
    ).exclude(kind__in=PerformanceModel.LEARNED_KINDS)
    analysis = analyses.order_by("-pk").select_related("region_metric").first()
    if analysis is None:
        return ()
    loaded = load_model(get_model(analysis.pk))
    if loaded.is_total:
        return ()
    start = time.perf_counter()
    model = fit(loaded.times)
    took = time.perf_counter() - start
    rows = ModelCorrection.objects.filter(model=analysis, name__startswith=DRAWN).order_by("pk")
    corrections = tuple(OverheadCorrection(row.name, row.intercept, row.slope) for row in rows)
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
