"""Tracking a program: a job that chooses the revisions to measure itself, until its budget is spent."""

from dataclasses import asdict, dataclass
from typing import Any

from dashboard.access import Permission, Principal, require
from dashboard.models import Job, System
from dashboard.services.jobs import JobId, enqueue
from dashboard.services.jobs.context import JobContext
from dashboard.services.measuring.plans import MeasuringRequest, RequestInvalid, select
from dashboard.services.measuring.workbench import bench_alone, open_batch
from dashboard.services.subjects import registered_subject, runner_state, store_revisions, stored_revisions
from dashboard.services.tracking.loop import TrackingLoop
from dashboard.services.tracking.observed_history import Course, stages

KIND = "track"


@dataclass(frozen=True, slots=True)
class TrackingRequest:
    """What is tracked, in the words of the selections of `runner`, and for how long.

    `budget_seconds` covers building and running. `most` revisions are measured at most (None: as many as the budget
    allows).
    """

    configuration: str = "default"
    revisions: tuple[str, ...] = ("all",)
    workload: str = "regular"
    repetitions: int = 3
    budget_seconds: float = 3600.0
    most: int | None = None


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
        parameters={
            **asdict(request),
            "revisions": [revision.identifier for revision in selected.revisions],
        },
        system=system,
        queue=Job.Queue.MEASURE,
    )


def track(context: JobContext) -> dict[str, Any]:
    """The kind of job that tracks; resumed, it goes on from what is stored."""
    system = System.objects.get(jobs=context.job_id)
    given = context.parameters
    request = TrackingRequest(**{**given, "revisions": tuple(given["revisions"])})
    subject = registered_subject(slug=system.slug)
    selected = select(subject, stored_revisions(slug=system.slug, subject=subject), _as_measuring(request))
    batch = open_batch(
        context,
        system,
        KIND,
        {"workload": request.workload, "configuration": request.configuration, "trail": []},
    )
    state = runner_state()
    with bench_alone(
        context=context, subject=subject, state=state, batch=batch, revisions=selected.revisions
    ) as bench:
        loop = TrackingLoop(
            context=context,
            course=Course(system, subject, state, selected.configurations[0], request.workload),
            bench=bench,
            batch=batch,
            places=stages(selected.revisions),
            repetitions=request.repetitions,
        )
        stopped = loop.run(budget_seconds=request.budget_seconds, most=request.most)
    outcomes = [step["outcome"] for step in batch.manifest["trail"]]
    context.progress(1.0, f"{outcomes.count('measured')} revisions measured; {stopped}")
    return {"outcomes": {one: outcomes.count(one) for one in sorted(set(outcomes))}, "stopped": stopped}


def _as_measuring(request: TrackingRequest) -> MeasuringRequest:
    return MeasuringRequest(
        configurations=(request.configuration,),
        revisions=request.revisions,
        repetitions=request.repetitions,
        workload=request.workload,
        profile=False,
    )
