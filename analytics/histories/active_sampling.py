"""Active sampling: from what is known of a history, the code version to measure next, or why to stop.

A pure function of the state: tracking jobs feed it from the database and a running program, replays from histories
that were measured in full. The history is fitted anew after every measurement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from analytics.histories.gaps import Suggestion, SuggestionReason
from analytics.histories.stopping import StopReason, next_or_stop

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from analytics.histories.acquisition import Acquisition
    from analytics.histories.fitted import FittedHistory
    from analytics.histories.stopping import StopRule

# One session in so many is a check of the noise: code that was measured before is measured again.
CHECKED = 8


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
    found = _opening(state) or _check(state)
    if found is None:
        if state.fitted is None:
            return StopReason.NOTHING_RUNS
        found = next_or_stop(state.fitted, state.candidates, rule, acquisition)
    if isinstance(found, StopReason):
        return found
    return rule.spent(state.measured, state.seconds, state.next_seconds) or found


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
            return _without_gain(nearest, reason)
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
    return _without_gain(best, SuggestionReason.CHECK)


def _without_gain(position: int, reason: SuggestionReason) -> Suggestion:
    return Suggestion(position, reason, None, None, 0, 0.0, 0.0, 0.0)
