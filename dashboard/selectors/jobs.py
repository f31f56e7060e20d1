"""Reading jobs: what a person may see of them. A job without a system is its creator's own."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.access import Access, NotFound, Principal
from dashboard.models import Job, JobLogLine, Membership, Revision, System

# The kinds of jobs that measure and that analyze, which are also the formats of their batches.
MEASURED = "measure"
ANALYZED = "analyze"
_ACTIVE = (Job.State.QUEUED, Job.State.RUNNING)
_UNENDED = (*_ACTIVE, Job.State.PAUSED)


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as a list shows it. `progress` is a share; `seconds_left` is None while nobody can tell."""

    id: int
    kind: str
    queue: str
    title: str
    system_slug: str
    state: str
    progress: float
    message: str
    seconds_left: float | None
    attempt: int
    cancel_requested: bool
    created_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    pause_requested: bool = False

    @property
    def active(self) -> bool:
        """Whether it still waits or runs."""
        return self.state in _ACTIVE

    @property
    def paused(self) -> bool:
        """Whether it was laid aside and can be resumed."""
        return self.state == Job.State.PAUSED


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of a job's log; ids grow."""

    id: int
    at: datetime
    text: str


@dataclass(frozen=True, slots=True)
class JobDetail:
    """A job with its result or error, and the log lines that were asked for, oldest first."""

    row: JobRow
    parameters: dict[str, Any]
    result: dict[str, Any]
    error: str
    lines: tuple[LogLine, ...]


def list_jobs(
    *,
    principal: Principal,
    system: System | None = None,
    kind: str = "",
    limit: int = 50,
) -> tuple[JobRow, ...]:
    """The newest jobs of the system, or of everything the principal sees; newest first.

    Of one `kind` only where it is given. At most `limit`. The parts of a job are left out: their parent tells how they
    get on.
    """
    jobs = _visible(principal).filter(parent=None)
    if system is not None:
        jobs = jobs.filter(system=system)
    if kind:
        jobs = jobs.filter(kind=kind)
    return tuple(_row(job) for job in jobs.order_by("-pk")[:limit])


def active_jobs(*, principal: Principal, limit: int = 20) -> tuple[JobRow, ...]:
    """The jobs that run or wait now, running ones first: for the top bar."""
    jobs = _visible(principal).filter(state__in=_ACTIVE, parent=None)
    # "running" sorts after "queued".
    return tuple(_row(job) for job in jobs.order_by("-state", "pk")[:limit])


def job_detail(*, principal: Principal, job_id: int, after_line: int = 0, limit: int = 1000) -> JobDetail:
    """One job with the log lines whose id is above `after_line`. Raises `NotFound`."""
    job = _visible(principal).filter(pk=job_id).first()
    if job is None:
        raise NotFound(f"there is no job {job_id} that you can see")
    return _detail(job, JobLogLine.objects.filter(job=job, pk__gt=after_line).order_by("pk")[:limit])


def active_jobs_of(*, access: Access, lines: int = 8) -> tuple[JobDetail, ...]:
    """What runs and then what waits or is paused, each in the order of sending, with the end of the log.

    At most `lines` lines, of running ones alone. Constant number of queries.
    """
    jobs = list(_of_system(access).filter(state__in=_UNENDED))
    running = [job.pk for job in jobs if job.state == Job.State.RUNNING]
    ends: dict[int, list[JobLogLine]] = defaultdict(list)
    logged = JobLogLine.objects.filter(job_id__in=running).order_by("-pk")[: lines * len(running)]
    for line in reversed(logged):
        ends[line.job_id].append(line)
    ordered = sorted(jobs, key=lambda job: (job.pk not in running, job.pk))
    return tuple(_detail(job, ends[job.pk][-lines:]) for job in ordered)


def active_in(*, access: Access, revision: str) -> tuple[JobRow, ...]:
    """What runs or waits on one revision of a system, in the order of sending. Constant number of queries."""
    ids = set(Revision.objects.filter(system=access.system, name=revision).values_list("pk", flat=True))
    active = []
    for job in _of_system(access).filter(state__in=_ACTIVE).order_by("pk"):
        # A measurement has the ids of its revisions; others, and those that an earlier version queued, their names.
        asked = job.parameters
        names = {asked.get("revision"), *asked.get("revisions", ())}
        if revision in names or ids.intersection(asked.get("revision_ids", ())):
            active.append(_row(job))
    return tuple(active)


def follow_job(*, principal: Principal, job_id: int, poll_seconds: float = 0.5) -> Iterator[JobDetail]:
    """The job's state again and again until it has ended, each time with the new log lines. Raises `NotFound`."""
    after_line = 0
    while True:
        detail = job_detail(principal=principal, job_id=job_id, after_line=after_line)
        yield detail
        if detail.lines:
            after_line = detail.lines[-1].id
        elif not detail.row.active:
            return
        else:
            time.sleep(poll_seconds)


def _visible(principal: Principal) -> QuerySet[Job]:
    jobs = Job.objects.select_related("system", "created_by")
    if principal.is_superuser:
        return jobs
    if principal.user_id is None:
        return jobs.none()
    systems = Membership.objects.filter(user_id=principal.user_id).values("system_id")
    return jobs.filter(Q(system_id__in=systems) | Q(system=None, created_by_id=principal.user_id))


def _of_system(access: Access) -> QuerySet[Job]:
    """The jobs of one system, parts of a job left out."""
    return _visible(access.principal).filter(system=access.system, parent=None)


def _detail(job: Job, lines: Iterable[JobLogLine]) -> JobDetail:
    return JobDetail(
        row=_row(job),
        parameters=job.parameters,
        result=job.result,
        error=job.error,
        lines=tuple(LogLine(id=line.pk, at=line.at, text=line.text) for line in lines),
    )


def _row(job: Job) -> JobRow:
    return JobRow(
        id=job.pk,
        kind=job.kind,
        queue=job.queue,
        title=job.title,
        system_slug=job.system.slug if job.system else "",
        state=job.state,
        progress=job.progress,
        message=job.message,
        seconds_left=_seconds_left(job),
        attempt=job.attempt,
        cancel_requested=job.cancel_requested,
        created_by=job.created_by.get_username() if job.created_by else "operator",
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=job.finished_at,
        pause_requested=job.pause_requested,
    )


def _seconds_left(job: Job) -> float | None:
    """What was expected at the last report, less the time since."""
    if job.seconds_left is None or job.progress_at is None or job.state != Job.State.RUNNING:
        return None
    return max(0.0, job.seconds_left - (timezone.now() - job.progress_at).total_seconds())
