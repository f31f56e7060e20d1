"""Confirming the changes that a tracked history seems to have, by its times or its counts: the revisions around each run side by side, by lot.

Revisions were chosen one after the other, on a machine that may have been slower at some of them. So what tracking states
rests on runs made for it afterwards, of two revisions by turns of a coin: a bisection between the two that were measured around the change.
All tests of a job together err with a probability of at most `ERROR`: the k-th one has a share of 1 / (k (k + 1)).
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from analytics.bisection import MOST, Bisection
from analytics.histories.gaps import steps_to_confirm
from dashboard.figures.counts_words import beside_time, move_text
from dashboard.selectors.batch_manifests import Confirmation
from dashboard.services.tracking.bisecting import result_of, size_in_words, tell
from dashboard.services.tracking.choosing import TrackingState
from dashboard.services.tracking.counted_history import TIMED, CountedHistory
from dashboard.services.tracking.tracked_series import RandomizedRuns, TrackedSeries, code_numbers

# With at most this probability one of the changes that a job states is none.
ERROR = 0.05
# So many functions are kept of a change of counts.
_NAMED = 5
# What a confirmation should take: so many runs are made of a change of 5 % in noise of 2 %.
USUAL_RUNS = 30


def to_confirm(state: TrackingState, counted: CountedHistory | None = None) -> tuple[tuple[str, str], ...]:
    """The revisions around each change that the history seems to have, the largest first: of its counts, then of its times.

    A step of the times between two of which counts changed is theirs, if it is confirmed: it is asked for last.
    """
    fitted = state.sampling.fitted
    by_counts = tuple((before.first, after.first) for before, after, _ in (counted.timed if counted else ()))
    if fitted is None:
        return by_counts
    tracked = {version.position for version in state.versions}
    steps = steps_to_confirm(fitted, state.rule.smallest_step)
    by_time = (
        (state.measured[before][-1].revision, state.measured[after][-1].revision)
        for before, after in steps
        if {before, after} <= tracked
    )
    return tuple(dict.fromkeys((*by_counts, *by_time)))


def reserved_seconds(state: TrackingState, counted: CountedHistory | None = None) -> float:
    """How much of the budget is kept for confirming what the history shows so far: at most a half."""
    if not state.taken or not state.rule.budget:
        return 0.0
    runs = median(len(session.values) for session in state.sessions)
    needed = len(to_confirm(state, counted)) * USUAL_RUNS * median(state.taken) / max(runs, 1)
    return min(needed, state.rule.budget / 2)


class ConfirmationLoop:
    """The tests of one job, one change after the other; what is decided stands in its runs."""

    def __init__(self, series: TrackedSeries, state: TrackingState, counted: CountedHistory | None) -> None:
        self._series, self._state, self._counted = series, state, counted
        self._lots = RandomizedRuns(series)
        self._version = {one.identifier: version for version in state.versions for one in version.revisions}

    def run(self, budget: float) -> tuple[Confirmation, ...]:
        """Run the revisions around each change until it is decided or `budget` seconds are spent. Raises as `JobContext.check`.

        Where revisions inside can be measured, the change is searched among them; it is left open where only so many
        revisions were to be measured.
        """
        pairs = self._series.job.checkpoint.confirming
        found: dict[tuple[str, str], Confirmation] = {}
        # First every change gets what one of 5 % needs: one that is hard to decide keeps no other waiting.
        for most in (USUAL_RUNS, MOST):
            for number, pair in enumerate(pairs, start=1):
                if not self._is_explained(pair, found):
                    found[pair] = self._asked(number, pair, budget, most)
        return tuple(found[pair] for pair in pairs if not self._is_explained(pair, found))

    def _is_explained(self, pair: tuple[str, str], found: Mapping[tuple[str, str], Confirmation]) -> bool:
        """Whether a change inside of a pair was stated already."""
        first, last = (self._version[one].position for one in pair)
        return any(
            first <= self._version[one.before].position and self._version[one.after].position <= last
            for other, one in found.items()
            if other != pair and one.error_probability is not None
        )

    def _asked(self, number: int, pair: tuple[str, str], budget: float, most: int) -> Confirmation:
        before, after = (self._version[one] for one in pair)
        inside = sum(before.position < one < after.position for one in self._state.candidates)
        if inside and self._state.rule.most is not None:
            between = f"between {before.title} and {after.title}"
            sentence = (
                f"open: a change {between}; measure some of the {inside} revisions inside: `track` it longer"
            )
            return Confirmation(*pair, sentence)
        return self._decided(number, pair, budget, most)

    def _decided(self, number: int, pair: tuple[str, str], budget: float, most: int) -> Confirmation:
        job = self._series.job
        first, last = (self._version[one].position for one in pair)
        versions = [one for one in self._state.versions if first <= one.position <= last]
        # The ends are those that ran before, whichever revisions hold their code.
        names = [pair[0], *(one.first for one in versions[1:-1]), pair[1]]
        titles = [self._version[one].title for one in names]
        place = {name: at for at, name in enumerate(names)}
        broken = {at for at, name in enumerate(names[1:-1], start=1) if name in self._state.failed}
        weights = self._series.step_weights(versions)
        error, smallest = ERROR / (number * (number + 1)), self._state.rule.smallest_step
        known: tuple[Bisection, int] | None = None
        while True:
            started, spent = time.monotonic(), job.checkpoint.spent
            # Runs for other changes are told apart by their revisions: two changes have at most one in common.
            made = [one for one in self._lots.made() if {*one[:2]} <= place.keys()]
            failed = broken | {place[run] for run, _, seconds in made if seconds is None}
            if known is None or made[-1][2] is None:
                known = Bisection(code_numbers(versions), failed, error, weights, smallest), 0
            bisection, counted = known
            tell(bisection, place, made[counted:])
            known = bisection, len(made)
            lost = [titles[end] for end in (0, len(names) - 1) if end in failed]
            proposed = None if lost else bisection.propose()
            if proposed is None or spent >= budget or len(made) >= most:
                return stated(bisection, names, titles, "".join(lost[:1]), self._counted)
            one, other = (names[at] for at in proposed)
            words = f"side by side: {self._version[one].title} and {self._version[other].title}"
            job.context.progress(min(spent / budget, 1.0), words)
            self._lots.draw(one, other)
            job.save_checkpoint(spent=spent + time.monotonic() - started)


def stated(
    bisection: Bisection,
    names: Sequence[str],
    titles: Sequence[str],
    lost: str = "",
    counted: CountedHistory | None = None,
) -> Confirmation:
    """What runs by lot say of a change among revisions, and counts beside them; what would decide where neither does.

    `names` and `titles` are those of the revisions; `lost` is the title of an end that ran before and does not any more.
    """
    between = f"between {titles[0]} and {titles[-1]}"
    result = result_of(bisection, names, titles)
    if bisection.answer:
        found = Confirmation(
            before=names[bisection.answer[0] - 1],
            after=names[bisection.answer[-1]],
            sentence=result["sentence"],
            error_probability=result["error_probability"],
            relative_size=result.get("relative_size"),
            relative_low=result.get("relative_low"),
            relative_high=result.get("relative_high"),
        )
        return _with_counts(found, bisection.size()[0], counted)
    sentence = result["sentence"]
    if lost:
        sentence = f"undecided: a change {between}, for {lost} failed: see its log"
    elif not bisection.runs:
        sentence = f"undecided: a change {between}, for the budget was spent before it was run side by side: give a larger one"
    elif bisection.is_negligible and not bisection.ends_differ:
        size = size_in_words(bisection)
        moved = counted.between(names[0], names[-1]) if counted else None
        seen = "so what was seen there before was the machine"
        if moved is not None and moved.share >= TIMED:
            seen = "the time did not move where counts did"
        sentence = f"no change {between}: {size} side by side, {seen}"
    return _with_counts(Confirmation(names[0], names[-1], sentence), None, counted)


def _with_counts(found: Confirmation, time: float | None, counted: CountedHistory | None) -> Confirmation:
    """What was found, with what counts say of it; `time` is by what share the time changed, None where that is not told."""
    move = counted.between(found.before, found.after) if counted else None
    if counted is None or move is None:
        return found
    quantity = counted.counts.quantity
    said = move_text(move, quantity) if time is None else beside_time(time, move, quantity)
    return replace(
        found, sentence=f"{found.sentence}; {said}", counts=move.relative, functions=move.regions[:_NAMED]
    )
