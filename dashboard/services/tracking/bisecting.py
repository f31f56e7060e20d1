"""Finding the revision that brought a change: a job that bisects with repeated runs and tells the error probability."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analytics.bisection import Location, next_position
from analytics.bisection.search import suspects
from analytics.histories.sessions import Session
from dashboard.access import Access, Permission
from dashboard.models import Batch, Job, Run
from dashboard.selectors.job_checkpoints import changed_checkpoint, read_checkpoint
from dashboard.selectors.job_requests import read_request, stored_request
from dashboard.selectors.measuring.requests import MeasuringRequest
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid, select
from dashboard.services.measuring.run_executor import RunExecutor, exclusive_executor
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.subjects import registered_subject, store_revisions
from dashboard.services.tracking.tracked_series import CodeVersion, TrackedSeries, versions_of
from runner.plans import PlannedRun
from runner.revisions import notices
from runner.source_revisions import SourceRevision

KIND = "bisect"
# Revisions below this probability are not counted among those that are left.
_LIKELY = 0.01


@dataclass(frozen=True, slots=True)
class BisectingRequest:
    """Between which revisions the change is searched, in which configuration, and how sure the answer must be."""

    before: str
    after: str
    configuration: str = "default"
    workload: str = "regular"
    error: float = 0.05
    budget_seconds: float = 3600.0


def start_bisecting(*, access: Access, request: BisectingRequest) -> JobId:
    """Queue the search; the subject is asked first where its revisions come from.

    Needs the role editor. Raises `RequestInvalid` and other `MeasuringError`, `SubjectError`, `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    access.check(Permission.EDIT)
    subject = registered_subject(slug=access.slug)
    known = store_revisions(access=access)
    if not 0 < request.error < 1:
        raise RequestInvalid("error", f"{request.error} is no probability of an error: write 0.05, say")
    if request.budget_seconds <= 0:
        raise RequestInvalid(
            "budget", f"{request.budget_seconds} seconds are no budget: give a positive time"
        )
    configurations, revisions = select(subject, known, _as_measuring(request))
    if len(configurations) != 1:
        raise RequestInvalid(
            "configuration", "several configurations are selected: a change is searched in one"
        )
    if len(versions_of(revisions)) < 2:
        raise RequestInvalid(
            "revisions",
            f"from {request.before} to {request.after} no file that matters changes: nothing can be searched",
        )
    return enqueue(
        principal=access.principal,
        kind=KIND,
        title=f"Bisect {subject.name}: {request.before} to {request.after}, {request.configuration}",
        # The commits that the words meant when it was asked for: more may be listed while the job waits.
        parameters=stored_request(
            replace(
                request,
                before=revisions[0].identifier,
                after=revisions[-1].identifier,
            )
        ),
        system=access.system,
        queue=Job.Queue.MEASURE,
    )


def bisect(context: JobContext) -> dict[str, Any]:
    """The kind of job that searches; resumed, it goes on from what is stored."""
    request = read_request(BisectingRequest, context.parameters)
    job = SubjectJob.begin(context)
    configurations, revisions = job.select(_as_measuring(request))

    def list_versions() -> Sequence[CodeVersion]:
        return versions_of(job.select(_as_measuring(request))[1])

    batch = job.batch(KIND, {"workload": request.workload, "configuration": request.configuration})
    for notice in notices(job.subject, job.state):
        context.log(notice)
    series = TrackedSeries(job, configurations[0], request.workload)
    with exclusive_executor(job, batch, revisions) as executor:
        location, unbuildable, versions = _search(
            series=series, executor=executor, batch=batch, list_versions=list_versions, request=request
        )
    result = _result(location, unbuildable, versions, request.error)
    context.progress(1.0, result["sentence"])
    return {**result, "runs": batch.runs.count()}


def _as_measuring(request: BisectingRequest) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=(request.configuration,),
        revisions=(f"{request.before}..{request.after}",),
        repetitions=1,
        workload=request.workload,
        profile=False,
    )


def _search(
    *,
    series: TrackedSeries,
    executor: RunExecutor,
    batch: Batch,
    list_versions: Callable[[], Sequence[CodeVersion]],
    request: BisectingRequest,
) -> tuple[Location | None, frozenset[int], Sequence[CodeVersion]]:
    """Search until the step is located or the budget is spent: its location, the unbuildable versions, all versions.

    `list_versions` gives the versions: a build may show that revisions are the same program.
    """
    context = series.job.context
    versions = list_versions()
    spent = read_checkpoint(context.checkpoint).spent
    while True:
        # Read from the runs, so that no interruption forgets one that failed.
        failed = set(batch.runs.exclude(status=Run.Status.OK).values_list("revision__name", flat=True))
        unbuildable = frozenset(version.position for version in versions if version.first in failed)
        if len(versions) < 2:
            return None, unbuildable, versions
        # Not what was measured before: a machine that was quicker then would pass for a change.
        values = _values(series.sessions(batch=batch), versions)
        position, location = next_position(values, len(versions), unbuildable, request.error)
        if position is None or spent >= request.budget_seconds:
            return location, unbuildable, versions
        if position in unbuildable:
            # An end of the search: without its level nothing can be told.
            return None, unbuildable, versions
        share = 0.0 if location is None else float(location.probabilities[location.best])
        context.progress(min(share, 1.0), f"{versions[position].title}: {_in_words(location, versions)}")
        started = time.monotonic()
        chosen = versions[position]
        if series.job.subject.install.built:
            executor.prepare(chosen.first)
            versions = list_versions()
        if chosen in versions:
            runs = batch.runs.filter(revision__name=chosen.first, configuration__identity=series.identity)
            run = PlannedRun(0, chosen.first, series.configuration, series.workload, runs.count() + 1)
            executor.make(run, profile=False)
        spent += time.monotonic() - started
        context.save_checkpoint(changed_checkpoint(context.checkpoint, spent=spent))


def _values(sessions: Sequence[Session], versions: Sequence[CodeVersion]) -> dict[int, list[float]]:
    """The values by version, also those of equal code elsewhere between the ends."""

    def code(revision: SourceRevision) -> str:
        return revision.content or revision.identifier

    codes = {one.identifier: code(one) for version in versions for one in version.revisions}
    by_code: dict[str, list[float]] = {}
    for session in sessions:
        if session.revision in codes:
            by_code.setdefault(codes[session.revision], []).extend(session.values)
    own = {version.position: code(version.revisions[0]) for version in versions}
    return {position: by_code[one] for position, one in own.items() if one in by_code}


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


def _in_words(location: Location | None, versions: Sequence[CodeVersion]) -> str:
    """How far the search has got."""
    if location is None or not location.is_significant:
        return "to tell the ends apart"
    likely = int((location.probabilities >= _LIKELY).sum())
    left = f"{likely} revisions are likely, most of all" if likely > 1 else "it is most likely"
    return f"{left} {versions[location.best].title}"
