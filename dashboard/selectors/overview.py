"""The overview of one system: what was measured of it and where, and its influence model in short."""

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from statistics import median

import numpy as np
from django.db.models import Count

from analytics.influence.variance import explain, explain_over
from analytics.units import SECONDS
from dashboard.access import NotFound
from dashboard.models import Environment, Metric, System, SystemOption
from dashboard.selectors.accuracy import AccuracyReport, measured, report_of
from dashboard.selectors.end_to_end import EndToEnd, end_to_end_measurements
from dashboard.selectors.influences import influences
from dashboard.selectors.loaded_models import load_selected, resolve_model
from dashboard.selectors.model_rows import Influences, ModelIdentity, ModelKey, Selection
from dashboard.selectors.performance_models import NoInfluenceModel, get_model
from dashboard.selectors.systems import EXECUTED, MeasuredCounts, measured_counts, visible_runs


@dataclass(frozen=True, slots=True)
class Overview:
    """What a system has and what was measured of it. `levels` counts the system's configurations, measured or not.

    `invalid` counts runs that somebody marked so; they count nowhere else. `environments` stand with the number of runs
    in each, those with most first. `only` is the median of all that was measured end to end, its unit and what it is of, where that is
    one configuration at one revision with one workload.
    """

    options: int
    levels: int
    measured: MeasuredCounts
    invalid: int
    environments: tuple[tuple[Environment, int], ...]
    only: tuple[float, str, str] | None = None


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """An influence model in short: its influences relative to the base that the page of influences opens with.

    `measured` are the configurations measured end to end, maybe none, each with its median in the metric's unit.
    `explained` gives the options that explain most and the share of each and those before it.
    """

    influences: Influences
    report: AccuracyReport
    measured: EndToEnd
    explained: dict[str, float]

    @property
    def model(self) -> ModelIdentity:
        """What the model was made from."""
        return self.influences.model

    @property
    def default_measured(self) -> float | None:
        """The default configuration's median, end to end; None where it was not measured so."""
        levels = np.zeros(self.measured.configurations.shape[1], dtype=np.int8)
        return self.measured.by_levels.get(levels.tobytes())


def overview(system: System) -> Overview:
    """What the system has and what was measured of it; a constant number of queries."""
    runs = visible_runs(system).filter(EXECUTED)
    environments = Environment.objects.filter(runs__in=runs.filter(invalid_reason=""))
    environments = environments.annotate(n=Count("runs")).order_by("-n", "name")
    levels = (
        SystemOption.objects.filter(system=system).annotate(n=Count("levels")).values_list("n", flat=True)
    )
    counts = measured_counts(system)
    is_one = (counts.configurations, counts.revisions, counts.workloads) == (1, 1, 1)
    return Overview(
        options=len(levels),
        levels=prod(max(count, 1) for count in levels),
        measured=counts,
        invalid=runs.exclude(invalid_reason="").count(),
        environments=tuple((one, one.n) for one in environments),
        only=_only_value(system) if is_one else None,
    )


def _only_value(system: System) -> tuple[float, str, str] | None:
    found = list(end_to_end_measurements(system).select_related("metric").order_by("metric_id"))
    # People wait for the time by the clock on the wall.
    times = [one for one in found if one.metric.unit in SECONDS]
    first = next(
        (one for one in times if one.metric.clock == Metric.Clock.WALL), next(iter(times or found), None)
    )
    if first is None:
        return None
    names: dict[str, str] = {Metric.Clock.WALL: "wall time", Metric.Clock.CPU: "CPU time"}
    value = median(one.value for one in found if one.metric_id == first.metric_id)
    return value, first.metric.unit, names.get(first.metric.clock, first.metric.quantity)


def model_summary(system: System) -> ModelSummary | None:
    """The model that the influences open with, in short; None where nothing tells one.

    Four queries at most where the summary is kept already.
    """
    try:
        return _summary(resolve_model(system, Selection()), system.data_version)
    except NoInfluenceModel:
        return None


@lru_cache(maxsize=64)
def _summary(key: ModelKey, _version: int) -> ModelSummary | None:
    # The version moves when a run is marked invalid.
    system = get_model(key.model_id).system
    try:
        found = influences(system=system, selection=Selection())
    except NotFound:
        # A model whose runs all failed, or were all marked invalid.
        return None
    report = report_of(key)
    selected = load_selected(system, Selection())
    if selected.loaded.learned is None:
        explained = explain(selected.model.terms)
    else:
        # A learned model knows valid configurations only: over the measured ones, not over all combinations.
        rows = selected.loaded.configurations
        explained = explain_over(selected.loaded.space, rows, selected.model.predict(rows))
    return ModelSummary(found, report, measured(key), explained)
