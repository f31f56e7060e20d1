"""Tracking a program: a job that chooses the revisions to measure itself, until its budget is spent."""

from dataclasses import dataclass, replace
from typing import Any

from dashboard.access import Permission, Principal, require
from dashboard.models import Batch, Job
from dashboard.selectors.histories.series import OrderedRevisions, ordered_revisions
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
from dashboard.services.tracking.loop import TrackingLoop, TrackingPlan
from dashboard.services.tracking.observed_history import TrackedSeries, elsewhere, stages_in
from dashboard.services.tracking.stopping import NOISE, limit_of, stop_rule
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


def start_tracking(*, principal: Principal, slug: str, request: TrackingRequest) -> JobId:
    """Queue the tracking of a system's subject; it is asked first where the revisions come from.

    Needs the role editor. Raises `RequestInvalid` and other `MeasuringError`, `SubjectError`, `NotFound`, `Forbidden`
    and what the runner says of the subject and its revisions (`RunnerError`).
    """
    system = require(principal, slug, Permission.EDIT)
    subject = registered_subject(slug=slug)
    known = store_revisions(principal=principal, slug=slug)
    if request.budget_seconds <= 0:
        raise RequestInvalid(
            "budget", f"{request.budget_seconds} seconds are no budget: give a positive time"
        )
    if request.most is not None and request.most < 1:
        raise RequestInvalid("most", f"{request.most} revisions cannot be measured: write 1 or more")
    limit_of(request.stop_at)
    selected = select(subject, known, _as_measuring(request))
    if len(selected.configurations) != 1:
        raise RequestInvalid(
            "configuration",
            f"{len(selected.configurations)} configurations are selected: one is tracked at a time",
        )
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Track {subject.name}: {request.configuration}, {len(selected.revisions)} revisions",
        parameters=stored_request(
            replace(request, revisions=tuple(revision.identifier for revision in selected.revisions))
        ),
        system=system,
        queue=Job.Queue.MEASURE,
    )


def track(context: JobContext) -> dict[str, Any]:
    """The kind of job that tracks; resumed, it goes on from what is stored."""
    request = read_request(TrackingRequest, context.parameters)
    job = SubjectJob.begin(context)
    selected = job.select(_as_measuring(request))
    batch = job.batch(
        KIND,
        {
            "workload": request.workload,
            "configuration": request.configuration,
            "repetitions": request.repetitions,
            "trail": [],
        },
    )
    for notice in notices(job.subject, job.state):
        context.log(notice)
    course = TrackedSeries(job.system, job.subject, job.state, selected.configurations[0], request.workload)

    def survey() -> TrackingPlan:
        order = _order(course, sharing=request.sharing)
        places = stages_in(order, selected.revisions)
        return TrackingPlan(
            order=order,
            places=places,
            elsewhere=elsewhere(course, order),
            repetitions=request.repetitions,
            rule=stop_rule(request.stop_at, len(places), budget=request.budget_seconds, most=request.most),
            stop_at_noise=request.stop_at == NOISE,
        )

    with exclusive_executor(job, batch, selected.revisions) as executor:
        loop = TrackingLoop(context=context, course=course, executor=executor, batch=batch, survey=survey)
        stopped = loop.run()
    return _told(context, batch, stopped, loop.known().session_noise)


def _order(course: TrackedSeries, *, sharing: bool) -> OrderedRevisions:
    """All revisions of the subject in line; without `sharing` no code is taken as known."""
    order = ordered_revisions(
        principal=Principal.operator(), slug=course.system.slug, order=order_name(course.subject)
    )
    if sharing:
        return order
    return replace(order, revisions=tuple(replace(one, content="") for one in order.revisions))


def _told(context: JobContext, batch: Batch, stopped: str, noise: float | None) -> dict[str, Any]:
    """The result; why it stopped stands beside the trail too."""
    outcomes = [step["outcome"] for step in batch.manifest["trail"]]
    with context.fenced():
        batch.manifest["stopped"] = stopped
        batch.save(update_fields=["manifest", "written_at"])
    if noise is not None:
        context.log(
            f"the same code, measured at different times, differs by {noise:.1%} (standard deviation)"
        )
    context.progress(1.0, f"{outcomes.count('measured')} revisions measured; {stopped}")
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
