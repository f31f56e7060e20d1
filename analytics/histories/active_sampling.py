"""Active sampling: from what is known of a history, the code version to measure next, or why to stop.

A pure function of the state: tracking jobs feed it from the database and a running program, replays from histories
that were measured in full. The history is fitted anew after every measurement.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np
import numpy.typing as npt

from analytics.histories.acquisition import Acquisition, hidden_step, longest_gap, suggest
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import FittedHistory
from analytics.histories.gaps import Suggestion, SuggestionReason
from analytics.histories.history import predict

# What is left to measure is not worth it below this fall of the mean error, as a share of the level.
SMALLEST_GAIN = 0.0005
# The smallest step that is worth a search, as a share of the level: what counts as a change elsewhere too.
SMALLEST_STEP = 0.02
# Without any sign of a step at its ends, a gap of more than this share of all code versions is measured inside.
LONGEST_SHARE = 20
LONGEST_AT_LEAST = 5
# One session in so many is a check of the noise: code that was measured before is measured again.
CHECKED = 8


class StopReason(StrEnum):
    """Why measuring ends."""

    NOTHING_RUNS = "no revision can be built and run: look at the log of one"
    NOTHING_LEFT = "every revision that can be measured is measured"
    GAIN = "no gap hides a step beyond the noise, and none promises a gain worth a measurement"
    VARIANCE = "every revision is known as well as repeated measurements of one are"
    BUDGET = "the budget is spent"
    COUNT = "as many revisions are measured as were asked for"


@dataclass(frozen=True, slots=True)
class StopRule:
    """When to stop; a limit that is None never stops.

    `smallest_gain` is the least expected fall of the mean error, relative to the level, that is worth a
    measurement. A gap whose ends differ by more than the noise allows and by at least `smallest_step`, relative to
    the level, is worth one whatever its gain, as long as it can be narrowed. `largest_sd` is the paper's t_stop
    (eq. 10) as a relative standard deviation: measuring ends where no revision is less sure. A gap of more than
    `longest_gap` candidates is worth a measurement too: what went up and came down again leaves no trace at its ends.
    `budget` is in seconds, `most` in measured revisions. Raises `HistoryError` on a limit that is negative.
    """

    smallest_gain: float | None = SMALLEST_GAIN
    smallest_step: float = SMALLEST_STEP
    largest_sd: float | None = None
    longest_gap: int | None = None
    budget: float | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        """Check every limit."""
        for name in ("smallest_gain", "smallest_step", "largest_sd", "longest_gap", "budget", "most"):
            limit = getattr(self, name)
            if limit is not None and not 0 <= limit < math.inf:
                raise HistoryError(f"{name} must be zero or positive, got {limit}")

    def spent(self, measured: int, seconds: float, next_seconds: float = 0.0) -> StopReason | None:
        """Return whether count or budget end it; the next measurement must still fit into the budget."""
        if self.most is not None and measured >= self.most:
            return StopReason.COUNT
        if self.budget is not None and (seconds >= self.budget or seconds + next_seconds > self.budget):
            return StopReason.BUDGET
        return None


def usual_rule(versions: int) -> StopRule:
    """Return the rule of a history of so many code versions, unless another one is asked for.

    It ends where no gap hides a step beyond the noise, none promises much and none is long.
    """
    return StopRule(longest_gap=max(versions // LONGEST_SHARE, LONGEST_AT_LEAST))


def next_or_stop(
    fitted: FittedHistory,
    candidates: Sequence[int] | npt.NDArray[np.integer],
    rule: StopRule,
    acquisition: Acquisition | None = None,
) -> Suggestion | StopReason:
    """Return the revision to measure next, or why to stop. Count and budget are asked of `StopRule.spent`.

    The suggestion is that of the acquisition, `mix` unless another is given, as long as its gain is worth it. Then come
    the gaps that hide a step, however small their gain, and the gaps that are too long; only where none is left does it
    stop. Where several reasons hold, the variance comes first.
    """
    best = suggest(fitted, candidates, count=1, acquisition=acquisition)
    if not best:
        return StopReason.NOTHING_LEFT
    if rule.largest_sd is not None:
        sds = predict(fitted, np.asarray(candidates)).sd / fitted.unit
        if float(sds.max()) <= rule.largest_sd:
            return StopReason.VARIANCE
    if rule.smallest_gain is None or best[0].expected_gain >= rule.smallest_gain:
        return best[0]
    large_step = partial(hidden_step, smallest=rule.smallest_step)
    if hidden := suggest(fitted, candidates, count=1, acquisition=large_step):
        return hidden[0]
    (longest,) = suggest(fitted, candidates, count=1, acquisition=longest_gap)
    too_long = rule.longest_gap is not None and longest.unmeasured > rule.longest_gap
    return longest if too_long else StopReason.GAIN


@dataclass(frozen=True, slots=True, eq=False)
class SamplingState:
    """What is known of a history that is being measured, by the positions of its code versions.

    `versions` are those that are tracked, increasing, and `sessions` counts the sessions of each that was measured.
    `failed` could not be built or run. `candidates` may be measured next, `fitted` is the history as it is known: both
    matter once both ends and the middle are measured. `repeatable` counts the revisions of each version that can be
    measured once more. `per_code` are the numbers of sessions of each code that was measured, tracked or not.
    `measured`, `seconds` and `next_seconds` count what the job has measured, the time it took and what the next should.
    """

    versions: Sequence[int]
    sessions: Mapping[int, int]
    candidates: Sequence[int]
    fitted: FittedHistory | None
    failed: Collection[int] = ()
    repeatable: Mapping[int, int] | None = None
    per_code: Collection[int] = ()
    measured: int = 0
    seconds: float = 0.0
    next_seconds: float = 0.0


def next_measurement(
    state: SamplingState, rule: StopRule, acquisition: Acquisition | None = None
) -> Suggestion | StopReason:
    """Return the code version to measure next, or why to stop. Deterministic.

    First come both ends and the middle, then whatever lowers the error most (see `next_or_stop`), and now and then a
    check of the noise. The nearest neighbours of versions that failed stand in for them.
    """
    best = _opening(state) or _check(state)
    if best is None:
        if state.fitted is None:
            return StopReason.NOTHING_RUNS
        best = next_or_stop(state.fitted, state.candidates, rule, acquisition)
    if isinstance(best, StopReason):
        return best
    return rule.spent(state.measured, state.seconds, state.next_seconds) or best


def _opening(state: SamplingState) -> Suggestion | StopReason | None:
    """The first, the last or the middle version, whichever is not measured yet; None once all are."""
    usable = [one for one in state.versions if one in state.sessions or one not in state.failed]
    if not usable:
        return StopReason.NOTHING_RUNS
    middle = state.versions[(len(state.versions) - 1) // 2]
    ends = (
        (state.versions[0], SuggestionReason.FIRST),
        (state.versions[-1], SuggestionReason.LAST),
        (middle, SuggestionReason.MIDDLE),
    )
    for wanted, reason in ends:
        nearest = min(usable, key=lambda version: abs(version - wanted))
        if nearest not in state.sessions:
            return Suggestion(nearest, reason)
    return None


def _check(state: SamplingState) -> Suggestion | None:
    """A version that is to be measured once more: repeated sessions of one code tell the noise."""
    done = sum(state.per_code)
    checks = done - len(state.per_code)
    if not state.repeatable or len(state.versions) < CHECKED or checks >= 1 + done // CHECKED:
        return None
    revisions = state.repeatable
    # The fewest sessions, then the most revisions with this code, then the earliest.
    best = min(revisions, key=lambda version: (state.sessions[version], -revisions[version], version))
    return Suggestion(best, SuggestionReason.CHECK)
