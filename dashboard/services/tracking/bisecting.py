"""Finding the revision that brought a change: a job that bisects with repeated runs and tells the error probability."""

import time
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from analytics.bisection import Location, next_position, suspects
from analytics.histories.sessions import Session, sessions_by_code
from dashboard.access import Access
from dashboard.models import Run
from dashboard.selectors.job_columns import MeasuringRequest
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.tracking.tracked_series import (
    CodeVersion,
    SeriesRequest,
    TrackedSeries,
    choosable_revisions,
    versions_of,
)

# Revisions below this probability are not counted among those that are left.
_LIKELY = 0.01


class BisectingRequest(SeriesRequest):
    """Between which revisions the change is searched, in which configuration, and how sure the answer must be."""

    kind: ClassVar = "bisect"
    one_only: ClassVar = "several configurations are selected: a change is searched in one"

    before: str
    after: str
    error: float = 0.05

    def as_measuring(self) -> MeasuringRequest:
        """What is chosen from: all revisions from the one to the other."""
        own = {"revisions": (f"{self.before}..{self.after}",), "repetitions": 1}
        return super().as_measuring().model_copy(update=own)


def start_bisecting(*, access: Access, request: BisectingRequest) -> int:
    """Queue the search. Raises as `choosable_revisions`."""
    if not 0 < request.error < 1:
        raise RequestInvalid("error", f"{request.error} is no probability of an error: write 0.05, say")
    subject, revisions = choosable_revisions(access, request)
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
    location, unbuildable, versions = _search(series, request)
    series.close()
    result = _result(location, unbuildable, versions, request.error)
    context.progress(1.0, result["sentence"])
    return {**result, "runs": series.batch.runs.count()}


def _search(
    series: TrackedSeries, request: BisectingRequest
) -> tuple[Location | None, frozenset[int], Sequence[CodeVersion]]:
    """Search until the step is located or the budget is spent: its location, the unbuildable versions, all versions."""
    context, batch = series.job.context, series.batch
    versions = versions_of(series.revisions)
    spent = series.job.checkpoint.spent
    while True:
        # Read from the runs, so that no interruption forgets one that failed.
        failed = set(batch.runs.exclude(status=Run.Status.OK).values_list("revision__name", flat=True))
        unbuildable = frozenset(version.position for version in versions if version.first in failed)
        if len(versions) < 2:
            return None, unbuildable, versions
        # Not what was measured before: a machine that was quicker then would pass for a change.
        values = _values(series.sessions(of_job=True), versions)
        position, location = next_position(values, len(versions), unbuildable, request.error)
        if position is None or spent >= request.budget_seconds:
            return location, unbuildable, versions
        if position in unbuildable:
            # An end of the search: without its level nothing can be told.
            return None, unbuildable, versions
        share, far = 0.0, "to tell the ends apart"
        if location is not None:
            share = float(location.probabilities[location.best])
            if location.is_significant:
                likely = int((location.probabilities >= _LIKELY).sum())
                left = f"{likely} revisions are likely, most of all" if likely > 1 else "it is most likely"
                far = f"{left} {versions[location.best].title}"
        context.progress(min(share, 1.0), f"{versions[position].title}: {far}")
        started = time.monotonic()
        chosen = versions[position]
        if series.job.subject.install.built:
            # A build may show that revisions are the same program.
            series.prepare(chosen.first)
            versions = versions_of(series.job.select(series.request)[1])
        if chosen in versions:
            series.measure(chosen.first, series.runs(chosen.first).count() + 1)
        spent += time.monotonic() - started
        series.job.save_checkpoint(spent=spent)


def _values(sessions: Sequence[Session], versions: Sequence[CodeVersion]) -> dict[int, list[float]]:
    """The values by version, also those of equal code elsewhere between the ends."""
    # Equal code has the number of the first version that holds it.
    first: dict[str, int] = {}
    codes = {
        one.identifier: first.setdefault(one.content or one.identifier, version.position)
        for version in versions
        for one in version.revisions
    }
    found = sessions_by_code(sessions, codes)
    return {
        version.position: [value for session in found[code] for value in session.values]
        for version in versions
        if (code := codes[version.first]) in found
    }


def _result(
    location: Location | None, unbuildable: frozenset[int], versions: Sequence[CodeVersion], error: float
) -> Mapping[str, Any]:
    """The result: suspects with their probability, the size of the change, and a sentence."""
    if len(versions) < 2:
        return {"suspects": [], "sentence": f"every build since {versions[0].title} made the same program"}
    if location is None:
        return {"suspects": [], "sentence": "the ends were not measured often enough to tell anything"}
    if not location.is_significant:
        sentence = (
            f"no change is told between {versions[0].title} and {versions[-1].title}: {_size(location)}"
        )
        return {"suspects": [], "sentence": sentence, "relative_size": location.relative_size}
    group, probability = max(suspects(location, unbuildable).items(), key=lambda item: item[1])
    titles = [versions[position].title for position in group]
    *others, last = titles
    first = f"{last}, or one of {', '.join(others)}, which cannot be measured," if others else last
    sure = "" if probability >= 1 - error else "; the search ended before that was sure"
    return {
        "suspects": [versions[position].first for position in group],
        "error_probability": 1 - probability,
        "relative_size": location.relative_size,
        "relative_low": location.relative_low,
        "relative_high": location.relative_high,
        "sentence": f"{first} changed the time by {_size(location)}; wrong with probability {1 - probability:.2g}{sure}",
    }


def _size(location: Location) -> str:
    return f"{100 * location.relative_size:+.1f} % ({100 * location.relative_low:+.1f} to {100 * location.relative_high:+.1f} %)"
