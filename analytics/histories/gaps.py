"""The measured levels of a history with their noise, the gaps between them, and by how much the history is off in each."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analytics.histories.change_prior import ChangePrior, places_of
from analytics.histories.fitted import FittedHistory
from analytics.histories.measurements import FloatArray, IntArray
from analytics.histories.noise import MEDIAN_OF_ABSOLUTE_NORMAL

# A difference counts as a step beyond this many standard deviations of it: 3 sqrt(2) sigma for equal noise.
GATE = 3.0
# The mean of |N(0, 1)|.
MEAN_OF_ABSOLUTE_NORMAL = float(np.sqrt(2 / np.pi))
# The mean of sqrt(t (1 - t)) and of sqrt(t), t uniform on [0, 1]: Brownian bridge and Brownian motion.
MEAN_BRIDGE = float(np.pi / 8)
MEAN_MOTION = 2.0 / 3.0
# How far the mean error of a gap falls by its measured middle or far end, in sqrt(s2 d).
BRIDGE_GAIN = MEAN_OF_ABSOLUTE_NORMAL * MEAN_BRIDGE * (1 - float(np.sqrt(0.5)))
MOTION_GAIN = MEAN_OF_ABSOLUTE_NORMAL * (MEAN_MOTION - MEAN_BRIDGE)


class SuggestionReason(StrEnum):
    """Why a revision is worth measuring."""

    LONGEST_GAP = "longest gap"
    HIDDEN_STEP = "hidden step"
    FIRST = "the first revision that can be built, to begin with"
    LAST = "the last revision that can be built, to begin with"
    MIDDLE = "the middle revision that can be built, to begin with"
    CHECK = "a check of the noise"


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """Measured positions, levels and their noise variances, (n,) each, and the step variance.

    Levels are relative to the level: on the fitted scale, divided by its unit. `change_prior` says where the history
    is thought to move; without it every step between positions is alike.
    """

    positions: IntArray
    levels: FloatArray
    noise_variances: FloatArray
    step_variance: float
    change_prior: ChangePrior | None = None

    def places(self, positions: IntArray) -> FloatArray:
        """Return positions as the regression sees them: in prior weight where it is given."""
        return places_of(positions, self.change_prior)

    @classmethod
    def of(cls, fitted: FittedHistory) -> "Evidence":
        """Return the evidence of a fitted history."""
        positions, levels = fitted.measurements.positions, fitted.level_means / fitted.unit
        if fitted.settings.is_brownian:
            step_variance = fitted.hyperparameters.variance / fitted.unit**2
        else:
            step_variance = float(np.mean(np.diff(levels) ** 2 / np.diff(positions)))
        noise = fitted.noise_variances / fitted.unit**2
        return cls(positions, levels, noise, step_variance, fitted.change_prior)

    def usual_step_variance(self) -> float:
        """Return the variance of one step as most gaps show it, whatever the few large steps do.

        The median over gaps; the fitted step variance where there is no gap yet, or most show nothing.
        """
        if len(self.positions) < 2:
            return self.step_variance
        usual = float(np.median(np.abs(np.diff(self.levels)) / np.sqrt(np.diff(self.places(self.positions)))))
        return (usual / MEDIAN_OF_ABSOLUTE_NORMAL) ** 2 or self.step_variance

    def with_fantasy(self, position: int) -> "Evidence":
        """Return the evidence as if `position` had been measured and had confirmed the estimate."""
        place = int(np.searchsorted(self.positions, position))
        own = self.places(np.array([position]))
        level = np.interp(own, self.places(self.positions), self.levels)[0]
        noise = float(np.median(self.noise_variances))
        return Evidence(
            np.insert(self.positions, place, position),
            np.insert(self.levels, place, level),
            np.insert(self.noise_variances, place, noise),
            self.step_variance,
            self.change_prior,
        )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A position to measure and why.

    It lies between the measured (or suggested) `bracket_before` and `bracket_after`; None at an open end.
    `unmeasured` counts the candidates between them. `relative_step` is the size of the step between the two,
    as a share of the level (an acquisition itself works with differences on the fitted scale). `expected_gain` is how
    far the mean absolute error of the history over all candidates should fall, relative to the level.
    """

    position: int
    reason: SuggestionReason
    bracket_before: int | None = None
    bracket_after: int | None = None
    unmeasured: int = 0
    relative_step: float = 0.0
    expected_gain: float = 0.0


def steps_to_confirm(fitted: FittedHistory, smallest: float) -> list[tuple[int, int]]:
    """Return the neighbouring measured positions between which the values step, the largest step first.

    By more than `GATE` standard deviations and at least `smallest`, relative to the level. Measured values, not levels,
    which smooth a step over its neighbours: a step too many costs some runs, one too few is never told.
    """
    steps = np.abs(np.diff(fitted.scale.forward(fitted.measurements.values))) / fitted.unit
    noise = fitted.noise_variances / fitted.unit**2
    found = np.flatnonzero((steps > GATE * np.sqrt(noise[:-1] + noise[1:])) & (steps >= smallest))
    places = fitted.measurements.positions.tolist()
    return [(places[at], places[at + 1]) for at in found[np.argsort(-steps[found], kind="stable")].tolist()]


class Gaps:
    """The n + 1 gaps before, between and after n measured positions; all arrays have shape (n + 1,).

    `counts` tells how many candidates lie in a gap, `lengths` how many positions (or how much prior weight) it spans,
    `steps` by how much the level differs across it; `errors` is the standard deviation of that difference. The first and
    the last gap are open: their step is zero.
    """

    def __init__(self, evidence: Evidence, candidates: IntArray) -> None:
        self._evidence, self._candidates = evidence, candidates
        edges = np.searchsorted(candidates, evidence.positions)
        self._edges = np.concatenate([[0], edges, [len(candidates)]])
        self.counts = np.diff(self._edges)
        places = evidence.places(evidence.positions)
        ends = evidence.places(candidates[[0, -1]])
        outer = places[0] - ends[0], ends[1] - places[-1]
        noise = evidence.noise_variances
        self.lengths = np.maximum(np.concatenate([[outer[0]], np.diff(places), [outer[1]]]), 0.0)
        self.steps = np.concatenate([[0.0], np.diff(evidence.levels), [0.0]])
        self.errors = np.sqrt(np.concatenate([noise[:1], noise[:-1] + noise[1:], noise[-1:]]))

    def step_gains(self) -> FloatArray:
        """By how much measuring each gap's middle lowers the summed error, if the step is anywhere in it.

        The best value steps in the middle. Measured there, the step is left in the part before or after.
        """
        before = np.maximum(self.counts - 1, 0) // 2
        after = np.maximum(self.counts - 1 - before, 0)
        left = (before + 1) * _error_of_step(before) + (after + 1) * _error_of_step(after)
        saved = _error_of_step(self.counts) - left / (self.counts + 1)
        return np.asarray(np.where(self.counts, np.abs(self.steps) * saved, 0.0))

    def wander_gains(self, step_variance: float) -> FloatArray:
        """By how much it does so where the level moves by this variance per position, there and back too."""
        shares = np.full(len(self.counts), BRIDGE_GAIN)
        shares[[0, -1]] = MOTION_GAIN
        return np.asarray(shares * np.sqrt(step_variance * self.lengths) * self.counts)

    def suggestion(self, gap: int, reason: SuggestionReason, gain: float) -> Suggestion:
        """Suggest the far end of an open gap; else the middle: by prior weight where given, by position (step) or count."""
        inside = self._candidates[self._edges[gap] : self._edges[gap + 1]]
        places = self._evidence.positions
        before = int(places[gap - 1]) if gap > 0 else None
        after = int(places[gap]) if gap < len(places) else None
        if before is None:
            position = inside[0]
        elif after is None:
            position = inside[-1]
        elif reason is SuggestionReason.HIDDEN_STEP or self._evidence.change_prior is not None:
            ends = self._evidence.places(np.array([before, after]))
            position = inside[np.argmin(np.abs(2 * self._evidence.places(inside) - ends.sum()))]
        else:
            position = inside[len(inside) // 2]
        return Suggestion(
            position=int(position),
            reason=reason,
            bracket_before=before,
            bracket_after=after,
            unmeasured=len(inside),
            relative_step=float(self.steps[gap]),
            expected_gain=gain / len(self._candidates),
        )


def _error_of_step(counts: IntArray) -> FloatArray:
    """Return the summed error of so many revisions, evenly between two levels, in sizes of the step between them.

    Revision i of c lies beyond the step with probability i / (c + 1), and takes the likelier level.
    """
    return np.asarray((counts + 1) ** 2 // 4 / (counts + 1.0) - 0.0)
