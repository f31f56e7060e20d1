"""What approaches are judged on, and what comes of it: settings and rows of an evaluation.

The evaluation itself is a study (`studies.evaluation.approaches`); here is what the product stores and shows of it.
"""

from dataclasses import dataclass
from statistics import median

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.samplings import sampling_title
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.accuracy import OverheadCorrection
from analytics.influence.errors import EvaluationError
from analytics.influence.learners import LEARNERS
from analytics.influence.located import TermModel
from analytics.influence.times import FloatArray

SAMPLINGS = ("feature-wise", "pair-wise")
SIZES = (50, 200)
MOST_TEST = 1000
_COMPOSED = {"composed": "composed of regions", "composed-corrected": "composed of regions, corrected"}
TRIVIAL = 0.01  # of the median value: 0.3 s of about 30 s in Velez et al., ICSE 2021, Sec. V-B


@dataclass(frozen=True, slots=True)
class ApproachSettings:
    """What is evaluated: every sampling with every learner, over seeds 0, 1, ...

    `test` is the size of a test set; None: half of what was measured, at most 1000. `sizes` are those of random samples;
    None: 50 and 200 where they fit beside the test set, else half of what is left. Terms are counted from each of
    `thresholds` on, in the metric's unit; none: from 1 % of the median value.
    """

    samplings: tuple[str, ...] = SAMPLINGS
    sizes: tuple[int, ...] | None = None
    learners: tuple[str, ...] = tuple(LEARNERS)
    seeds: int = 10
    test: int | None = None
    thresholds: tuple[float, ...] = ()

    def samplings_of(self, left: int) -> tuple[str, ...]:
        """The samplings by name, random ones of each size first, where `left` configurations are no test ones."""
        fitting = tuple(size for size in SIZES if size <= left) or (max(left // 2, 1),)
        sizes = fitting if self.sizes is None else self.sizes
        return (*(f"random-{size}" for size in sizes), *self.samplings)


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredSystem:
    """Different configurations (n, n_options) with their `values` (n,), each the median of `executions` (n,).

    `seconds` (n,) is the time of one execution of a configuration; None where no time was measured.
    Raises `EvaluationError` for values that are not above zero: the error in percent divides by them.
    """

    valid: ValidConfigurations
    configurations: IntArray
    values: FloatArray
    executions: IntArray
    seconds: FloatArray | None

    def __post_init__(self) -> None:
        wrong = np.flatnonzero(~(np.isfinite(self.values) & (self.values > 0)))
        if len(wrong):
            raise EvaluationError(
                f"configuration {wrong[0]} has the value {self.values[wrong[0]]}: leave out what is not above 0, "
                "the error in percent divides by it"
            )

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
    """

    sampling: str
    learner: str
    model: TermModel
    configurations: IntArray
    executions: int
    seconds: float | None
    training_seconds: float
    corrections: tuple[OverheadCorrection, ...] = ()


class OverSeeds:
    """A row with `errors` in percent, one for each seed; a base of dataclasses."""

    __slots__ = ()
    errors: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        """The mean error in percent."""
        return float(np.mean(self.errors)) if self.errors else None

    @property
    def deviation(self) -> float | None:
        """The standard deviation (n - 1) of the errors."""
        return float(np.std(self.errors, ddof=1)) if len(self.errors) > 1 else None


@dataclass(frozen=True, slots=True)
class ApproachRow(OverSeeds):
    """One approach: what it cost, and how far off it is.

    `errors` are mean absolute percentage errors on the test sets, one per seed (of a corrected model one per seed and
    correction); none where `reason` says why. `configurations`, `executions`, seconds and `terms` ((threshold, count),
    none for a model that is no sum of terms) are medians over the seeds. `seconds_once` is the time of measuring each
    configuration once, which compares approaches whatever their repetitions; `machine_seconds` that of all `executions`.
    `unpredicted` counts test configurations, over all seeds, that the model says nothing of: `errors` leave them out.
    `seen` tells that the model was made from other runs of the very configurations that it is tested on. A sampling
    that nothing can be learned from has one row, whose `learner` is blank.
    """

    sampling: str
    learner: str
    interpretable: bool
    local: bool
    wanted: int
    missing: int
    configurations: int = 0
    executions: int = 0
    seconds_once: float | None = None
    machine_seconds: float | None = None
    training_seconds: float | None = None
    errors: tuple[float, ...] = ()
    terms: tuple[tuple[float, int], ...] = ()
    unpredicted: int = 0
    seen: bool = False
    reason: str = ""

    @property
    def key(self) -> str:
        """What tells it from the others."""
        return f"{self.sampling} {self.learner}"

    @property
    def sampling_title(self) -> str:
        """The sampling in words."""
        return sampling_title(self.sampling)

    @property
    def learner_title(self) -> str:
        """The learner in words; blank where the sampling has no error."""
        if self.learner in LEARNERS:
            return LEARNERS[self.learner].title
        return _COMPOSED.get(self.learner, self.learner)

    @property
    def error(self) -> float | None:
        """The median error in percent."""
        return median(self.errors) if self.errors else None


@dataclass(frozen=True, slots=True)
class ApproachEvaluation:
    """All rows with what they share: how much was measured, how large a test set is and from how many it is drawn.

    `fixed` are the options that never varied in what was measured, with their level in words; `valid` counts the valid
    configurations that have these levels.
    """

    rows: tuple[ApproachRow, ...]
    measured: int
    valid: int
    test: int
    testable: int
    seeds: int
    thresholds: tuple[float, ...]
    fixed: tuple[tuple[str, str], ...] = ()
