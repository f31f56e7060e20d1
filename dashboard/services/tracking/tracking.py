"""Tracking a program: a job that chooses the revisions to measure itself, until its budget is spent."""

from dataclasses import dataclass, replace
from typing import Any

from dashboard.access import Access, Permission
from dashboard.models import Batch, Job
from dashboard.selectors.batch_manifests import manifest_of, save_manifest
from dashboard.selectors.histories.curves import sibling_changes
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.tracking_logs import MEASURED
from dashboard.selectors.job_requests import read_request, stored_request
from dashboard.selectors.measuring.requests import MeasuringRequest
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import enqueue
from dashboard.services.measuring.plans import RequestInvalid, select
from dashboard.services.measuring.run_executor import exclusive_executor
from dashboard.services.measuring.subject_jobs import SubjectJob
from dashboard.services.subjects import (
    order_name,
    registered_subject,
    store_revisions,
)
from dashboard.services.tracking.choosing import NOISE, TrackingState, limit_of, stop_rule
from dashboard.services.tracking.loop import TrackingLoop
from dashboard.services.tracking.tracked_series import TrackedSeries, versions_in
from runner.revisions import notices

KIND = "track"


@dataclass(frozen=True, slots=True)
class TrackingRequest:
    """What is tracked, in the words of the selections of `runner`, and for how long.

    `budget_seconds` covers building and running. `most` revisions are measured at most (None: as many as the budget
    allows). `stop_at` says when enough is known: "steps", "noise" or a share as "1%" (see `stop_rule`). Without
    `sharing` every revision is measured for itself, also where its code is that of its neighbour.
    """

    configuration: str = "default"
    revisions: tuple[str, ...] = ("all",)
    workload: str = "regular"
    repetitions: int = 3
    budget_seconds: float = 3600.0
    most: int | None = None
    stop_at: str = "steps"
    sharing: bool = True


def start_tracking(*, access: Access, request: TrackingRequest) -> JobId:
    """Queue the tracking of a system's subject; it is asked first where the revisions come from.

    Needs the role editor. Raises `RequestInvalid` and other `MeasuringError`, `SubjectError`, `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    access.check(Permission.EDIT)
    subject = registered_subject(slug=access.slug)
    known = store_revisions(access=access)
    if request.budget_seconds <= 0:
        raise RequestInvalid(
            "budget", f"{request.budget_seconds} seconds are no budget: give a positive time"
        )
    if request.most is not None and request.most < 1:
        raise RequestInvalid("most", f"{request.most} revisions cannot be measured: write 1 or more")
    limit_of(request.stop_at)
    configurations, revisions = select(subject, known, _as_measuring(request))
    if len(configurations) != 1:
        raise RequestInvalid(
            "configuration",
            f"{len(configurations)} configurations are selected: one is tracked at a time",
        )
    return enqueue(
        principal=access.principal,
        kind=KIND,
        title=f"Track {subject.name}: {request.configuration}, {len(revisions)} revisions",
        parameters=stored_request(
            replace(request, revisions=tuple(revision.identifier for revision in revisions))
        ),
        system=access.system,
        queue=Job.Queue.MEASURE,
    )


def track(context: JobContext) -> dict[str, Any]:
    """The kind of job that tracks; resumed, it goes on from what is stored."""
    request = read_request(TrackingRequest, context.parameters)
    job = SubjectJob.begin(context)
    configurations, revisions = job.select(_as_measuring(request))
    noted = ("workload", "configuration", "repetitions")
    batch = job.batch(KIND, {"trail": ()} | {name: getattr(request, name) for name in noted})
    for notice in notices(job.subject, job.state):
        context.log(notice)
    series = TrackedSeries(job, configurations[0], request.workload)

    def begin() -> TrackingState:
        order = ordered_revisions(system=job.system, order=order_name(job.subject))
        if not request.sharing:
            # No code is taken as the same.
            order = replace(order, revisions=tuple(replace(one, content="") for one in order.revisions))
        versions = versions_in(order, revisions)
        own = series.context()
        return TrackingState(
            order=order,
            versions=versions,
            rule=stop_rule(request.stop_at, len(versions), budget=request.budget_seconds, most=request.most),
            sibling_changes=() if own is None else sibling_changes(job.system, {0: own}, order)[0],
            stop_at_noise=request.stop_at == NOISE,
        )

    with exclusive_executor(job, batch, revisions) as executor:
        loop = TrackingLoop(
            series=series, executor=executor, batch=batch, repetitions=request.repetitions, begin=begin
        )
        stopped = loop.run()
    return _ended(context, batch, stopped, loop.state().session_noise)


def _ended(context: JobContext, batch: Batch, stopped: str, noise: float | None) -> dict[str, Any]:
    """The result; why it stopped stands in the decision log too."""
    outcomes = [step.outcome for step in manifest_of(batch).trail]
    with context.fenced():
        save_manifest(batch, stopped=stopped)
    if noise is not None:
        context.log(
            f"the same code, measured at different times, differs by {noise:.1%} (standard deviation)"
        )
    context.progress(1.0, f"{outcomes.count(MEASURED)} revisions measured; {stopped}")
    counted = {one: outcomes.count(one) for one in sorted(set(outcomes))}
    return {"outcomes": counted, "stopped": stopped, "noise": noise}


def _as_measuring(request: TrackingRequest) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=(request.configuration,),
        revisions=request.revisions,
        repetitions=request.repetitions,
        workload=request.workload,
        profile=False,
    )
