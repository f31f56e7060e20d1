"""Which revision to measure next.

An acquisition is a function of the evidence and the candidates that returns its best suggestion. Several are
found one after the other, each as if the ones before had been measured and had confirmed the estimate: so
they spread out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.errors import HistoryError
from analytics.histories.scale import Scale
from analytics.histories.settings import Kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from analytics.histories.fitted import FittedHistory
    from analytics.histories.measurements import FloatArray, IntArray

# A difference counts as a step beyond this many standard deviations of it: 3 sqrt(2) sigma for equal noise.
GATE = 3.0
# The mix looks at the longest gap once in so many measurements: a pure bisection misses what goes up and down
# again.
GAP_EVERY = 5
# The variance at the far end of d unmeasured positions is s2 d; in the middle of a closed gap it is s2 d / 4.
OPEN_END = 4.0
# The mean of |N(0, 1)|.
MEAN_OF_ABSOLUTE_NORMAL = float(np.sqrt(2 / np.pi))
# The mean of sqrt(t (1 - t)) and of sqrt(t), t uniform on [0, 1]: Brownian bridge and Brownian motion.
MEAN_BRIDGE = float(np.pi / 8)
MEAN_MOTION = 2.0 / 3.0
# A step at a random place of a bracket, estimated by a straight line, leaves a third of its size on average;
# the measured middle saves half of that.
STEP_GAIN = 1.0 / 6.0


class Reason(StrEnum):
    """Why a revision is worth measuring."""

    LONGEST_GAP = "longest gap"
    HIDDEN_STEP = "hidden step"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A position to measure and why.

    It lies between the measured (or suggested) `bracket_before` and `bracket_after`; None at an open end.
    `unmeasured` counts the candidates between them. `relative_step` is the size of the step between the two,
    as a share of the level (an acquisition itself works with differences on the fitted scale). `score` ranks
    suggestions of one reason only. `expected_gain` is how far the mean absolute error of the history over all
    candidates should fall, relative to the level.
    """

    position: int
    reason: Reason
    bracket_before: int | None
    bracket_after: int | None
    unmeasured: int
    relative_step: float
    score: float
    expected_gain: float


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What is known: measured positions, levels and their noise, (n,) each, and the step variance.

    Levels are relative to the level: on the fitted scale, divided by its unit.
    """

    positions: IntArray
    levels: FloatArray
    noise_variances: FloatArray
    step_variance: float

    @classmethod
    def of(cls, fitted: FittedHistory) -> Evidence:
        """Return the evidence of a fitted history."""
        positions, levels = fitted.measurements.positions, fitted.level_means / fitted.unit
        if fitted.settings.kernel is Kernel.BROWNIAN:
            step_variance = fitted.hyperparameters.variance / fitted.unit**2
        else:
            step_variance = float(np.mean(np.diff(levels) ** 2 / np.diff(positions)))
        return cls(positions, levels, fitted.noise_variances / fitted.unit**2, step_variance)

    def believing(self, position: int) -> Evidence:
        """Return the evidence as if `position` had been measured and had confirmed the estimate."""
        place = int(np.searchsorted(self.positions, position))
        level = np.interp(position, self.positions, self.levels)
        noise = float(np.median(self.noise_variances))
        return Evidence(
            np.insert(self.positions, place, position),
            np.insert(self.levels, place, level),
            np.insert(self.noise_variances, place, noise),
            self.step_variance,
        )


# Evidence, and the positions that can be measured: sorted, none of them measured -> the best of them, or
# None.
Acquisition = Callable[[Evidence, "IntArray"], Suggestion | None]


def suggest(
    fitted: FittedHistory,
    candidates: Sequence[int] | npt.NDArray[np.integer],
    *,
    count: int = 5,
    acquisition: Acquisition | None = None,
) -> tuple[Suggestion, ...]:
    """Return up to `count` different positions worth measuring next, the best first. Deterministic.

    `candidates` are the positions that can be measured; those already measured are left out. The default
    acquisition is `mix`. Raises `HistoryError` on a count below one.
    """
    if count < 1:
        raise HistoryError(f"count must be at least 1, got {count}")
    choose = acquisition or mix
    evidence = Evidence.of(fitted)
    open_positions = np.setdiff1d(np.asarray(candidates, dtype=np.int64), evidence.positions)
    found: list[Suggestion] = []
    while len(found) < count:
        best = choose(evidence, open_positions)
        if best is None:
            break
        found.append(replace(best, relative_step=_share(best.relative_step, fitted.scale)))
        evidence = evidence.believing(best.position)
        open_positions = open_positions[open_positions != best.position]
    return tuple(found)


def _share(step: float, scale: Scale) -> float:
    return float(np.expm1(step)) if scale is Scale.LOG else step


def longest_gap(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the middle of the bracket with most candidates, or the far end beyond the measured positions.

    Under Brownian motion this is where the variance of the history is largest.
    """
    if not len(candidates):
        return None
    edges = np.searchsorted(candidates, evidence.positions)
    counts = np.diff(edges, prepend=0, append=len(candidates))
    scores = counts.astype(np.float64)
    scores[[0, -1]] *= OPEN_END
    gap = int(np.argmax(scores))
    places = evidence.positions
    before = int(places[gap - 1]) if gap > 0 else None
    after = int(places[gap]) if gap < len(places) else None
    low = int(edges[gap - 1]) if gap > 0 else 0
    unmeasured = int(counts[gap])
    if before is None:
        position, distance = int(candidates[0]), int(places[0] - candidates[0])
    elif after is None:
        position, distance = int(candidates[-1]), int(candidates[-1] - places[-1])
    else:
        position, distance = int(candidates[low + unmeasured // 2]), after - before
    is_open = before is None or after is None
    saved = MEAN_MOTION - MEAN_BRIDGE if is_open else MEAN_BRIDGE * (1 - np.sqrt(0.5))
    error = MEAN_OF_ABSOLUTE_NORMAL * np.sqrt(evidence.step_variance * distance) * saved
    return Suggestion(
        position=position,
        reason=Reason.LONGEST_GAP,
        bracket_before=before,
        bracket_after=after,
        unmeasured=unmeasured,
        relative_step=0.0 if is_open else float(evidence.levels[gap] - evidence.levels[gap - 1]),
        score=float(scores[gap]),
        expected_gain=float(error * unmeasured / len(candidates)),
    )


def hidden_step(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the candidate in the middle of the bracket with the largest candidates x |step|.

    The middle is by position: the candidate nearest to it. Only steps of more than 3 standard deviations
    count (gated bisection); None where no bracket hides one.
    """
    if len(evidence.positions) < 2:
        return None
    edges = np.searchsorted(candidates, evidence.positions)
    counts = np.diff(edges)
    steps = np.diff(evidence.levels)
    noise = np.sqrt(evidence.noise_variances[:-1] + evidence.noise_variances[1:])
    scores = np.where(np.abs(steps) > GATE * noise, counts * np.abs(steps), 0.0)
    best = int(np.argmax(scores))
    if scores[best] <= 0:
        return None
    before, after = (int(place) for place in evidence.positions[best : best + 2])
    inside = candidates[edges[best] : edges[best + 1]]
    return Suggestion(
        position=int(inside[np.argmin(np.abs(2 * inside - before - after))]),
        reason=Reason.HIDDEN_STEP,
        bracket_before=before,
        bracket_after=after,
        unmeasured=int(counts[best]),
        relative_step=float(steps[best]),
        score=float(scores[best]),
        expected_gain=float(STEP_GAIN * scores[best] / len(candidates)),
    )


def mix(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the hidden step, and the longest gap for one measurement in five or where no step is hidden."""
    step = None if len(evidence.positions) % GAP_EVERY == 0 else hidden_step(evidence, candidates)
    return step or longest_gap(evidence, candidates)
