"""What approaches are judged on: the configurations measured end to end in one context, and what was composed of it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.accuracy import DRAWN, OverheadCorrection, PredictionQuality, prediction_quality
from analytics.influence.errors import InfluenceError
from analytics.influence.located import TermModel
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.times import FloatArray, RegionTimes
from analytics.units import SECONDS
from analytics.whitebox.option_reads import ReadsModel
from dashboard.models import Measurement, Metric, PerformanceModel, System
from dashboard.selectors.accuracy import corrections_of
from dashboard.selectors.configurations import options_of
from dashboard.selectors.end_to_end import MeasuredContext, end_to_end, end_to_end_runs
from dashboard.selectors.feature_models.valid import valid_configurations
from dashboard.selectors.model_loading import LoadedModel, load_model
from dashboard.selectors.performance_models import visible_models
from studies.evaluation.method_models import MethodModels, learn_methods

PROFILED = "profiled"
# How a model is made of the times of regions, by the name of the approach.
_WAYS: Mapping[str, Callable[[RegionTimes], InfluenceModel | MethodModels]] = {
    "composed": fit,
    "methods": partial(learn_methods, filtered=False),
    "methods-filtered": partial(learn_methods, filtered=True),
}


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSystem:
    """Different configurations (n, n_options) with their `values` (n,), each the median of `executions` (n,).

    `seconds` (n,) is the time of one execution of a configuration; None where no time was measured.
    Raises `InfluenceError` for values that are not above zero: the error in percent divides by them.
    """

    valid: ValidConfigurations
    configurations: IntArray
    values: FloatArray
    executions: IntArray
    seconds: FloatArray | None
    lower_is_better: bool = True

    def __post_init__(self) -> None:
        wrong = np.flatnonzero(~(np.isfinite(self.values) & (self.values > 0)))
        if len(wrong):
            raise InfluenceError(
                f"configuration {wrong[0]} has the value {self.values[wrong[0]]}: leave out what is not above 0, "
                "the error in percent divides by it"
            )

    def judge(self, predicted: FloatArray, rows: IntArray) -> PredictionQuality:
        """How good the values `predicted` (n,) of `rows` (n,) are."""
        return prediction_quality(predicted, self.values[rows], lower_is_better=self.lower_is_better)

    def never_varied(self) -> dict[int, int]:
        """Options that could vary and that all measured configurations have at one level, {position: its index}."""
        found = {}
        for position, size in enumerate(self.valid.space.sizes):
            levels = np.unique(self.configurations[:, position])
            if len(levels) == 1 and any(
                level != levels[0] and self.valid.complete({position: level}) is not None
                for level in range(size)
            ):
                found[position] = int(levels[0])
        return found

    def rows_of(self, configurations: IntArray) -> IntArray:
        """The row of each of these configurations (n, n_options), -1 where it was never measured; shape (n,)."""
        rows = {
            row.tobytes(): number for number, row in enumerate(self.valid.space.checked(self.configurations))
        }
        return np.array(
            [rows.get(row.astype(np.int8).tobytes(), -1) for row in configurations], dtype=np.intp
        )


@dataclass(frozen=True, slots=True, eq=False)
class GivenModel:
    """A model that was not learned from end-to-end values, with what it cost: composed from regions, say.

    `configurations` (n, n_options) are those it was made from: no test set holds any of them, where enough others were
    measured. With `corrections` its error is told for each of them. `sampling` and `learner` name it. `seconds` is the time of all `executions` together.
    `wanted` is how many configurations its sampling asks for, where some of them were never measured. `local`: it tells where in the code.
    """

    sampling: str
    learner: str
    model: TermModel | MethodModels | ReadsModel
    configurations: IntArray
    executions: int
    seconds: float | None
    training_seconds: float
    corrections: tuple[OverheadCorrection, ...] = ()
    wanted: int | None = None
    local: bool = True


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
        lower_is_better=Metric.objects.get(pk=where.metric_id).better == "lower",
    )
    return measured, int((~kept).sum())


def profiled_regions(where: MeasuredContext) -> tuple[PerformanceModel, LoadedModel] | None:
    """The model of a context whose total is its metric, and what was measured of its regions; None where none was profiled."""
    analyses = visible_models().filter(**where.context.as_filter(), total_metric_id=where.metric_id)
    analysis = analyses.exclude(kind__in=PerformanceModel.LEARNED_KINDS).first()
    loaded = None if analysis is None else load_model(analysis)
    return None if analysis is None or loaded is None or loaded.is_total else (analysis, loaded)


def composed_models(where: MeasuredContext) -> tuple[GivenModel, ...]:
    """The models made of profiled regions whose total is the context's metric: as profiled, and corrected.

    Composed of partitions (Velez et al., ICSE 2021), and learned for each method (Weber et al., ICSE 2021), all from the same runs.
    """
    known = profiled_regions(where)
    if known is None:
        return ()
    analysis, loaded = known
    corrections = tuple(one for one in corrections_of(analysis) if one.name.startswith(DRAWN))
    unit = SECONDS.get(analysis.region_metric.unit)
    times = loaded.times
    # What all profiled runs took together, in the metric's unit: the sum over regions, with what they lack.
    profiled = float(times.values[:, times.ran].sum() + times.offset * times.ran.sum())
    found = []
    for name, make in _WAYS.items():
        start = time.perf_counter()
        model = make(times)
        took = time.perf_counter() - start
        found += [
            GivenModel(
                sampling=PROFILED,
                learner=name + suffix,
                model=model,
                configurations=times.configurations,
                executions=int(times.ran.sum()),
                seconds=None if unit is None else profiled * unit,
                training_seconds=took,
                corrections=own,
            )
            for suffix, own in (("", ()), ("-corrected", corrections))
            if own or not suffix
        ]
    return tuple(found)
