"""What approaches are compared on: the configurations measured end to end at one place, and what was composed of it."""

import time
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from django.db.models import Count, QuerySet

from analytics.configurations.options import OptionSpace
from analytics.evaluation.approaches import GivenModel, MeasuredSystem
from analytics.influence.accuracy import OverheadCorrection
from analytics.influence.models import fit
from analytics.influence.times import FloatArray, RegionTimes
from analytics.units import SECONDS
from dashboard.access import NotFound, Principal, require
from dashboard.models import Batch, Measurement, Metric, ModelCorrection, PerformanceModel, Run
from dashboard.selectors.accuracy import DRAWN
from dashboard.selectors.end_to_end import EndToEnd, end_to_end, end_to_end_runs
from dashboard.selectors.feature_models import valid_configurations
from dashboard.selectors.model_loading import load_model
from dashboard.selectors.option_spaces import options_of
from dashboard.selectors.performance_models import get_model

# Of a revision, a workload, an environment and a metric.
PlaceIds: TypeAlias = tuple[int, int, int, int]
PROFILED = "profiled"
# The fields of `MeasuredPlace`, in order; the number of configurations follows.
_PLACE = (
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
class MeasuredPlace:
    """Where configurations were measured: ids and names of revision, workload, environment and metric."""

    revision_id: int
    workload_id: int
    environment_id: int
    metric_id: int
    revision: str
    workload: str
    environment: str
    quantity: str
    unit: str
    clock: str
    configurations: int

    @property
    def ids(self) -> PlaceIds:
        """What tells the place from the others."""
        return self.revision_id, self.workload_id, self.environment_id, self.metric_id

    @property
    def metric(self) -> str:
        """The metric as commands take it: its quantity, and its clock where it has one."""
        return self.quantity if self.clock == Metric.Clock.NONE else f"{self.quantity}:{self.clock}"


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What was measured at a place; `left_out` configurations have values that are not above 0."""

    place: MeasuredPlace
    data_version: int
    system: MeasuredSystem
    left_out: int
    given: tuple[GivenModel, ...]


def places(*, principal: Principal, slug: str) -> tuple[MeasuredPlace, ...]:
    """Where more than one configuration was measured, the one with most of them first. Raises `NotFound`.

    Among equals a time comes first, then CPU time, then the newest revision.
    """
    system = require(principal, slug)
    rows = (
        Measurement.objects.filter(run__in=end_to_end_runs(system))
        .values_list(*_PLACE)
        .annotate(n=Count("run__configuration", distinct=True))
        .filter(n__gt=1)
    )

    def rank(place: MeasuredPlace) -> tuple[int, bool, bool, int, int]:
        return (
            -place.configurations,
            place.unit not in SECONDS,
            place.clock != Metric.Clock.CPU,
            -place.revision_id,
            place.metric_id,
        )

    return tuple(sorted((MeasuredPlace(*row) for row in rows), key=rank))


def find_place(
    *, principal: Principal, slug: str, metric: str = "", revision: str = "", ids: PlaceIds | None = None
) -> MeasuredPlace:
    """The first of `places` with this metric (`time`, `time:cpu`), revision and ids, blank for any. Raises `NotFound`."""
    known = places(principal=principal, slug=slug)
    fits = [
        place
        for place in known
        if metric in ("", place.quantity, place.metric)
        and revision in ("", place.revision)
        and ids in (None, place.ids)
    ]
    if fits:
        return fits[0]
    if not known:
        raise NotFound(f"{slug!r} has no end-to-end measurements of more than one configuration")
    metrics = ", ".join(dict.fromkeys(place.metric for place in known))
    revisions = ", ".join(dict.fromkeys(place.revision for place in known))
    raise NotFound(
        f"{slug!r} has no metric {metric or 'at all'!r} at revision {revision or 'any'!r}: "
        f"metrics are {metrics}; revisions {revisions}"
    )


def load_measured(*, principal: Principal, slug: str, place: MeasuredPlace) -> Measured:
    """The measurements at a place, and the models composed of its regions. Raises `NotFound`."""
    system = require(principal, slug)
    space = options_of(system)
    runs = end_to_end_runs(system).filter(
        revision_id=place.revision_id, workload_id=place.workload_id, environment_id=place.environment_id
    )
    found = end_to_end(runs, place.metric_id, space)
    kept = np.isfinite(found.values) & (found.values > 0)
    seconds = _seconds(runs, place, space, found)
    return Measured(
        place=place,
        data_version=system.data_version,
        system=MeasuredSystem(
            valid=valid_configurations(principal=principal, slug=slug),
            configurations=found.configurations[kept],
            values=found.values[kept],
            executions=found.executions[kept],
            seconds=None if seconds is None else seconds[kept],
        ),
        left_out=int((~kept).sum()),
        given=_composed(place),
    )


def _seconds(
    runs: QuerySet[Run], place: MeasuredPlace, space: OptionSpace, found: EndToEnd
) -> FloatArray | None:
    """The time of one execution of each configuration: the metric itself, or the time of the same runs."""
    if place.unit in SECONDS:
        return found.values * SECONDS[place.unit]
    times = Metric.objects.filter(
        pk__in=Measurement.objects.filter(run__in=runs).values("metric_id"), unit__in=SECONDS, quantity="time"
    )
    metric = times.order_by("-clock").first()
    if metric is None:
        return None
    own = end_to_end(runs, metric.pk, space).by_levels
    values = np.array([own.get(row.tobytes(), np.nan) for row in found.configurations])
    return None if np.isnan(values).any() else values * SECONDS[metric.unit]


def _composed(place: MeasuredPlace) -> tuple[GivenModel, ...]:
    """The models composed of profiled regions whose total is the place's metric: as profiled, and corrected."""
    analyses = PerformanceModel.objects.filter(
        batch__state=Batch.State.VISIBLE,
        revision_id=place.revision_id,
        workload_id=place.workload_id,
        environment_id=place.environment_id,
        total_metric_id=place.metric_id,
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
    return tuple(
        GivenModel(
            sampling=PROFILED,
            learner=name,
            model=model,
            configurations=loaded.times.configurations,
            executions=int(loaded.times.ran.sum()),
            seconds=None if unit is None else _profiled_seconds(loaded.times) * unit,
            training_seconds=took,
            corrections=own,
        )
        for name, own in (("composed", ()), ("composed-corrected", corrections))
        if own or name == "composed"
    )


def _profiled_seconds(times: RegionTimes) -> float:
    """What all profiled runs took together, in the metric's unit: the sum over regions, with what they lack."""
    return float(times.values[:, times.ran].sum() + times.offset * times.ran.sum())
