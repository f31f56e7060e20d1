"""Finding the revision that brought a change: a job that runs revisions by lot, one beside the other, until one is left.

Whichever two are compared take turns by a coin, so that a machine that changes its speed favours neither.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, ClassVar, Literal

from analytics.bisection import MOST, Bisection
from dashboard.access import Access
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.disturbed_runs import mark_disturbed
from dashboard.services.measuring.job import counted_alone
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import runner_state
from dashboard.services.tracking.counted_versions import counted_quantity
from dashboard.services.tracking.counting_bisection import count_to_bisect
from dashboard.services.tracking.tracked_series import (
    RandomizedRuns,
    SeriesRequest,
    TrackedSeries,
    choosable_revisions,
    code_numbers,
    versions_of,
)
from runner.instructions import counter_of

# The accepted probability of a wrong answer.
USUAL_ERROR = 0.05


class BisectingRequest(SeriesRequest):
    """Between which revisions the change is searched, in which configuration, and how sure the answer must be.

    `error` is the accepted probability of a wrong answer, None for `USUAL_ERROR`; what is counted has none.
    """

    kind: ClassVar = "bisect"
    one_only: ClassVar = "several configurations are selected: a change is searched in one"

    before: str
    after: str
    error: float | None = None
    metric: Literal["time", "work", "instructions"] = "time"

    def as_measuring(self) -> MeasuringRequest:
        """What is chosen from: all revisions from the one to the other."""
        own = {"revisions": (f"{self.before}..{self.after}",), "repetitions": 1, "metric": self.metric}
        return super().as_measuring().model_copy(update=own)


def start_bisecting(*, access: Access, request: BisectingRequest) -> int:
    """Queue the search. Raises as `choosable_revisions`."""
    if request.error is not None and not 0 < request.error < 1:
        raise RequestInvalid("error", f"{request.error} is no probability of an error: write 0.05, say")
    if request.error is not None and request.metric != "time":
        raise RequestInvalid(
            "error",
            f"{request.metric} is counted and has no noise: an answer has no error to accept; leave --error out",
        )
    subject, revisions = choosable_revisions(access, request)
    if counted_alone(subject, request.as_measuring()).counts:
        counter_of(subject, runner_state())
    if len(versions_of(revisions)) < 2:
        raise RequestInvalid(
            "revisions",
            f"from {request.before} to {request.after} no file that matters changes: nothing can be searched",
        )
    # The commits that the words meant when it was asked for: more may be listed while the job waits.
    ends = {"before": revisions[0].identifier, "after": revisions[-1].identifier}
    title = f"Bisect {subject.name}: {request.before} to {request.after}, {request.configuration}"
    return enqueue(access, request.model_copy(update=ends), title=title)


def bisect(context: JobContext) -> dict[str, Any]:
    """The kind of job that searches; resumed, it goes on from what is stored."""
    request = BisectingRequest.of(context.job)
    noted = request.model_dump(include={"workload", "configuration"})
    series = TrackedSeries(context, request, **noted)
    result = (
        _search(series, request)
        if request.metric == "time"
        else count_to_bisect(series, counted_quantity(series.job.subject), request.budget_seconds)
    )
    mark_disturbed(context, series.batch)
    context.progress(1.0, result["sentence"])
    return {**result, "runs": series.batch.runs.count()}


def _search(series: TrackedSeries, request: BisectingRequest) -> dict[str, Any]:
    """Search until one commit is left or the budget is spent: the result of the job."""
    job, lots = series.job, RandomizedRuns(series)
    versions = versions_of(series.revisions)
    known: tuple[Bisection, int] | None = None
    while True:
        started, spent = time.monotonic(), job.checkpoint.spent
        titles = [version.title for version in versions]
        if len(versions) < 2:
            return {"suspects": [], "sentence": f"every build since {titles[0]} made the same program"}
        place = {one.identifier: version.position for version in versions for one in version.revisions}
        made = lots.made()
        failed = frozenset(place[run] for run, _, seconds in made if seconds is None)
        for end in failed & {0, len(versions) - 1}:
            sentence = f"undecided: {titles[end]} cannot be measured, and without both ends nothing is told"
            return {"suspects": [], "sentence": f"{sentence}: choose another one with --from or --to"}
        if known is None or made[-1][2] is None:
            # Anew where revisions turn out to be the same or to fail.
            weights = series.step_weights(versions)
            known = Bisection(code_numbers(versions), failed, request.error or USUAL_ERROR, weights), 0
        bisection, counted = known
        tell(bisection, place, made[counted:])
        known = bisection, len(made)
        pair = bisection.propose()
        if pair is None or spent >= request.budget_seconds:
            return result_of(bisection, [version.first for version in versions], titles)
        chosen = [versions[position] for position in pair]
        left = len(bisection.suspects)
        rest = f"{left} revision{' is' if left == 1 else 's are'} left"
        far = rest if bisection.ends_differ else "to tell the ends apart"
        share = 1 - left / len(versions) if bisection.ends_differ else 0.0
        job.context.progress(share, f"{chosen[0].title}: {far}")
        if job.subject.install.built:
            # A build may show that revisions are the same program: then other two may be chosen.
            for version in chosen:
                series.prepare(version.first)
            if versions != (versions := versions_of(job.select(series.request)[1])):
                known = None
                job.save_checkpoint(spent=spent + time.monotonic() - started)
                continue
        lots.draw(chosen[0].first, chosen[1].first)
        job.save_checkpoint(spent=spent + time.monotonic() - started)


def tell(
    bisection: Bisection, place: Mapping[str, int], made: Iterable[tuple[str, str, float | None]]
) -> None:
    """Add runs that a coin chose, by the places of their revisions; those that failed tell nothing."""
    for run, other, seconds in made:
        if seconds is not None:
            bisection.add(place[run], place[other], seconds)


def result_of(bisection: Bisection, names: Sequence[str], titles: Sequence[str]) -> dict[str, Any]:
    """The result: what is left of the revisions with these names, the size of the change, and a sentence with the titles."""
    middle, low, high = bisection.size()
    # No JSON holds infinity.
    known = isfinite(high)
    size = size_in_words(bisection)
    left = bisection.suspects if bisection.ends_differ else ()
    result: dict[str, Any] = {"suspects": [names[position] for position in left]}
    if known:
        result |= {"relative_size": middle, "relative_low": low, "relative_high": high}
    if not bisection.answer:
        return {**result, "sentence": f"undecided: {undecided(bisection, titles, size)}"}
    *others, last = (titles[position] for position in left)
    first = f"{last}, or one of {', '.join(others)}, which cannot be measured," if others else last
    # Nobody reads more than three digits.
    wrong = f"wrong with a probability of at most {max(bisection.error_bound, 0.001):.2g}"
    sentence = f"{first} changed the time by {size}; {wrong}"
    return {**result, "error_probability": bisection.error_bound, "sentence": sentence}


def undecided(bisection: Bisection, titles: Sequence[str], size: str) -> str:
    """Why a search has no answer, and what would decide; the `size` of the change in words."""
    runs, ends, left = len(bisection.runs), f"between {titles[0]} and {titles[-1]}", bisection.suspects
    more = "give a larger --budget" if runs < MOST else "search another range, or a workload that varies less"
    if not left and not runs:
        return f"no single step lies {ends}: both hold the same code"
    if not left:
        return (
            f"no single commit explains the {runs} runs {ends}, so the time changed more than once, or what was measured "
            "is not one level each; search a shorter range, or `track` it"
        )
    if bisection.ends_differ and len(left) == 1 and bisection.positions > 2:
        return (
            f"the time changed by {size}, and of single revisions only {titles[left[0]]} explains it (error of at most "
            f"{bisection.error:.2g}), but it was not told from the one before it yet: about {bisection.runs_to_go()} more runs "
            f"would decide: {more}"
        )
    if bisection.ends_differ:
        others = f"all others are excluded with an error of at most {bisection.error:.2g}; "
        where = f"one of {len(left)} revisions from {titles[left[0]]} to {titles[left[-1]]}"
        return (
            f"the time changed by {size}, with {where if len(left) > 1 else titles[left[0]]}; "
            f"{others if len(left) < bisection.positions - 1 else ''}about {bisection.runs_to_go()} more runs would decide: "
            f"{more}"
        )
    if not isfinite(bisection.size()[2]):
        return f"{runs} runs {ends} are too few to tell anything: {more}"
    decides = f"four times the {runs} runs would halve the interval: {more}"
    if bisection.is_negligible:
        decides = f"a change of {100 * bisection.negligible:.0f} % or more is unlikely, and no smaller one is searched"
    return f"no change is told {ends}: {size}; {decides}"


def size_in_words(bisection: Bisection) -> str:
    """The size of the change with its interval, where enough runs tell one."""
    middle, low, high = bisection.size()
    size = f"{middle:+.1%} ({low:+.1%} to {high:+.1%})" if isfinite(high) else f"about {middle:+.1%}"
    return size.replace("%", " %")
