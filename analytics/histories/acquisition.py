"""Acquisition functions: which revision to measure next.

An acquisition maps the evidence and the candidates to its best suggestion. Several suggestions are chosen one after the
other, each as if those before had been measured and had confirmed the estimate (fantasies): so they spread out.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from analytics.histories.errors import HistoryError
from analytics.histories.fitted import FittedHistory
from analytics.histories.gaps import GATE, Evidence, Gaps, Suggestion, SuggestionReason
from analytics.histories.measurements import IntArray
from analytics.histories.scale import ValueScale

# The variance at the far end of d unmeasured positions is s2 d; in the middle of a closed gap it is s2 d / 4.
OPEN_END = 4.0

# Evidence, and the positions that can be measured: at least one, sorted, none of them measured -> the best of them, or None.
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
    chosen: list[Suggestion] = []
    while len(chosen) < count and len(open_positions):
        best = choose(evidence, open_positions)
        if best is None:
            break
        # As a share of the level, whatever the scale.
        is_log = fitted.scale is ValueScale.LOG
        step = float(np.expm1(best.relative_step)) if is_log else best.relative_step
        chosen.append(replace(best, relative_step=step))
        evidence = evidence.with_fantasy(best.position)
        open_positions = open_positions[open_positions != best.position]
    return tuple(chosen)


def longest_gap(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the middle of the gap with most candidates, or the far end beyond the measured positions."""
    gaps = Gaps(evidence, candidates)
    scores = gaps.counts.astype(np.float64)
    scores[[0, -1]] *= OPEN_END
    best = int(np.argmax(scores))
    gain = float(gaps.wander_gains(evidence.step_variance)[best])
    return gaps.suggestion(best, SuggestionReason.LONGEST_GAP, gain)


def hidden_step(evidence: Evidence, candidates: IntArray, *, smallest: float = 0.0) -> Suggestion | None:
    """Return the candidate in the middle of the bracket with the largest candidates x |step|.

    The middle is by position: the candidate nearest to it. Only steps of more than 3 standard deviations, and
    of at least `smallest`, count (gated bisection); None where no bracket hides one.
    """
    gaps = Gaps(evidence, candidates)
    sizes = np.abs(gaps.steps)
    significant = (sizes > GATE * gaps.errors) & (sizes >= smallest)
    gains = np.where(significant, gaps.step_gains(), 0.0)
    best = int(np.argmax(gains))
    if gains[best] <= 0:
        return None
    return gaps.suggestion(best, SuggestionReason.HIDDEN_STEP, float(gains[best]))


def mix(evidence: Evidence, candidates: IntArray) -> Suggestion | None:
    """Return the gap whose measured middle should lower the mean error of the history most.

    A gap loses by the step between its ends, which may be anywhere inside, and by what goes up and down again
    without a trace at its ends: as much as the level usually moves. The usual movement is the median over
    gaps, since the mean would be that of the few large steps.
    """
    gaps = Gaps(evidence, candidates)
    by_step, by_wander = gaps.step_gains(), gaps.wander_gains(evidence.usual_step_variance())
    gains = np.maximum(by_step, by_wander)
    best = int(np.argmax(gains))
    significant = by_step[best] > by_wander[best] and abs(gaps.steps[best]) > GATE * gaps.errors[best]
    reason = SuggestionReason.HIDDEN_STEP if significant else SuggestionReason.LONGEST_GAP
    return gaps.suggestion(best, reason, float(gains[best]))
