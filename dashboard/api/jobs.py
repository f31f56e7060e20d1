"""Jobs: what runs, waits, is done or failed, with progress and log."""

from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from dashboard.api.callers import caller, reading
from dashboard.api.rows import ApiRow, Id, Number, Page, Paging, Slug, Words
from dashboard.selectors.jobs import job_detail, page_of_jobs

router = Router(tags=["Jobs"])
State = Literal["queued", "running", "paused", "done", "failed", "cancelled"]
ACTIVE: tuple[State, ...] = ("queued", "running")


class JobQuery(Schema):
    """Which jobs are wanted."""

    system: Slug | None = None
    kind: Words = Field("", description="as `import`, `measure`, `track` or `fit histories`")
    state: State | None = None
    active: bool = Field(False, description="only those that wait or run")


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


class JobDetailAnswer(JobAnswer):
    """A job with lines of its log, at most 1000, the oldest first."""

    lines: list[LogLineAnswer]


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
