"""Jobs: what runs, waits, is done or failed, with progress and log; starting them, stopping them and going on."""

from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le, Lt
from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

from dashboard.api.callers import caller, reading, writing
from dashboard.api.rows import ApiRow, Id, Number, Page, Paging, Slug, Words
from dashboard.selectors.jobs import job_detail, page_of_jobs
from dashboard.services.histories.fit_jobs import queue_fits
from dashboard.services.imports.jobs import cancel_import
from dashboard.services.jobs.queueing import request_pause, resume
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.tracking.loop import TrackingRequest, start_tracking

router = Router(tags=["Jobs"])
State = Literal["queued", "running", "paused", "done", "failed", "cancelled"]
ACTIVE: tuple[State, ...] = ("queued", "running")


class JobQuery(Schema):
    """Which jobs are wanted."""

    system: Slug | None = None
    kind: Words = Field("", description="as `import`, `measure`, `track` or `fit histories`")
    state: State | None = None
    active: bool = Field(False, description="only those that wait or run")


Selections = Annotated[list[Words], Field(min_length=1, max_length=100)]
Repetitions = Annotated[int, Ge(1), Le(1000)]


class MeasureRequest(Schema):
    """What to measure of the system's registered subject: as the arguments of `manage.py measure`.

    `repetitions` are a fixed number, or the least and the most where each is repeated as needed, until its interval is no wider than
    `half_width`, a share.
    """

    configurations: Selections = Field(
        ["default"], description="as `all`, `pair-wise`, `plackett-burman`, `distance=20`, `a=on,b=off`"
    )
    revisions: Selections = Field(["latest"], description="as `latest`, `last=5`, `A..B`, or names")
    repetitions: Repetitions | tuple[Repetitions, Repetitions] = (3, 10)
    half_width: Annotated[float, Gt(0), Lt(1)] = 0.02
    workload: Words = "regular"
    profile: bool = True
    counts: bool | None = None
    metric: Literal["time", "work", "instructions"] = "time"
    environment: str = Field(
        "",
        pattern=r"^[0-9a-f]{0,64}$",
        description="the digest of an environment, whose machines measure (`GET /machines`); this server without one",
    )
    seed: Annotated[int, Ge(0), Le(2**31 - 1)] = 0


class TrackRequest(Schema):
    """What to track of the system's registered subject, and for how long: as the arguments of `manage.py track`."""

    configuration: Words = "default"
    revisions: Selections = Field(["all"], description="as `all`, `last=20`, `A..B`")
    workload: Words = "regular"
    budget_seconds: Annotated[float, Gt(0), Le(30 * 86_400)] = 3600.0
    repetitions: Repetitions = 3
    most: Annotated[int, Ge(1), Le(100_000)] | None = None
    stop_at: str = Field("steps", pattern=r"^(steps|noise|[1-9]\d?(\.\d{1,6})?%|0\.\d{0,5}[1-9]%)$")
    sharing: bool = True
    counts: bool = True


class JobAnswer(ApiRow):
    """A job: `progress` is the share that is done, `result` what came of it, `error` why it failed.

    `remaining_seconds` is null while nobody can tell; `system_slug` is blank where it is of no system, or of one that it makes.
    """

    job_id: int = Field(validation_alias="pk")
    kind: str
    title: str
    system_slug: str
    state: State
    progress: float
    remaining_seconds: Number
    message: str
    error: str
    sender: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    result: dict[str, Any]


class LogLineAnswer(ApiRow):
    """A line of a job's log; `after_line` with its id asks for what came later."""

    line_id: int = Field(validation_alias="pk")
    at: datetime
    text: str


class PartAnswer(ApiRow):
    """A part of a job, done by whichever worker has time."""

    job_id: int = Field(validation_alias="pk")
    title: str
    state: State
    progress: float
    message: str


class JobDetailAnswer(JobAnswer):
    """A job with lines of its log, at most 1000, the oldest first, and the parts that it was cut into."""

    lines: list[LogLineAnswer]
    parts: list[PartAnswer]


@router.get("/jobs", response=Page[JobAnswer], summary="Jobs that you may see")
def jobs(request: HttpRequest, wanted: Query[JobQuery], paging: Query[Paging]) -> Page[JobAnswer]:
    """The newest first; of one system where it is given. Parts of a job are left out."""
    rows, total = page_of_jobs(
        principal=caller(request),
        system=None if wanted.system is None else reading(request, wanted.system).system,
        kind=wanted.kind,
        states=[wanted.state] if wanted.state else list(ACTIVE) if wanted.active else [],
        limit=paging.limit,
        offset=paging.offset,
    )
    return Page(total=total, rows=[JobAnswer.model_validate(row) for row in rows])


@router.get("/jobs/{job}", response=JobDetailAnswer, summary="One job")
def job(
    request: HttpRequest, job: Id, after_line: Annotated[int, Ge(0), Le(2**63 - 1)] = 0
) -> JobDetailAnswer:
    """How it gets on, what it logged after a line, and in the end its result."""
    found = job_detail(principal=caller(request), job_id=job, after_line=after_line)
    return JobDetailAnswer.model_validate(found)


@router.post("/systems/{system}/jobs/measure", response={202: JobAnswer}, summary="Measure")
def measure(request: HttpRequest, system: Slug, wanted: MeasureRequest) -> Status[JobAnswer]:
    """Run the registered subject over configurations, revisions and repetitions."""
    access = writing(request, system)
    asked = MeasuringRequest.model_validate(wanted.model_dump())
    return Status(202, _job(request, start_measuring(access=access, request=asked)))


@router.post("/systems/{system}/jobs/track", response={202: JobAnswer}, summary="Track")
def track(request: HttpRequest, system: Slug, wanted: TrackRequest) -> Status[JobAnswer]:
    """Measure the revisions that tell most of a history, until the budget is spent."""
    access = writing(request, system)
    asked = TrackingRequest.model_validate(wanted.model_dump())
    return Status(202, _job(request, start_tracking(access=access, request=asked)))


@router.post("/systems/{system}/jobs/fit", response={202: JobAnswer, 204: None}, summary="Fit histories")
def fit(request: HttpRequest, system: Slug) -> Status[JobAnswer | None]:
    """Search the histories that are new or have moved for changes; nothing is answered where there are none, or a job waits already."""
    job_id = queue_fits(access=writing(request, system))
    return Status(204, None) if job_id is None else Status(202, _job(request, job_id))


@router.post("/jobs/{job}/cancel", response=JobAnswer, summary="Cancel a job")
def cancel_job(request: HttpRequest, job: Id) -> JobAnswer:
    """A waiting one at once; a running one stops soon. What it measured is kept, what it imported goes."""
    cancel_import(principal=caller(request), job_id=job)
    return _job(request, job)


@router.post("/jobs/{job}/pause", response=JobAnswer, summary="Pause a job")
def pause_job(request: HttpRequest, job: Id) -> JobAnswer:
    """Nobody takes it up before it is resumed."""
    request_pause(principal=caller(request), job_id=job)
    return _job(request, job)


@router.post("/jobs/{job}/resume", response=JobAnswer, summary="Resume a job")
def resume_job(request: HttpRequest, job: Id) -> JobAnswer:
    """One that was paused, or that was cancelled or failed half-way: it goes on from where it was."""
    resume(principal=caller(request), job_id=job)
    return _job(request, job)


def _job(request: HttpRequest, job_id: int) -> JobAnswer:
    return JobAnswer.model_validate(job_detail(principal=caller(request), job_id=job_id))
