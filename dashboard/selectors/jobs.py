"""Reading jobs: what a person may see of them. A job without a system is its creator's own."""

import threading
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from django.db.models import Q, QuerySet

from dashboard.access import Access, NotFound, Principal, seen_by
from dashboard.models import Job, JobLogLine, Revision, System
from dashboard.selectors.job_columns import MeasuringRequest, asks_for_revision

# The kinds of jobs that measure and that analyze, which are also the formats of their batches.
MEASURED = MeasuringRequest.kind
ANALYZED = "analyze"


def list_jobs(
    *,
    principal: Principal,
    system: System | None = None,
    kind: str = "",
    limit: int = 50,
) -> tuple[Job, ...]:
    """The newest jobs of the system, or of everything the principal sees; newest first.

    Of one `kind` only where it is given. At most `limit`. The parts of a job are left out: their parent tells how they
    get on.
    """
    return tuple(_listed(principal, system, kind)[:limit])


def page_of_jobs(
    *,
    principal: Principal,
    system: System | None,
    kind: str,
    states: Collection[str],
    limit: int,
    offset: int,
) -> tuple[tuple[Job, ...], int]:
    """Likewise those after the first `offset`, in one of `states` where there are any, and how many there are in all. Two queries."""
    jobs = _listed(principal, system, kind)
    if states:
        jobs = jobs.filter(state__in=states)
    return tuple(jobs[offset : offset + limit]), jobs.count()


def _listed(principal: Principal, system: System | None, kind: str) -> QuerySet[Job]:
    jobs = _visible(principal).filter(parent=None)
    if system is not None:
        jobs = jobs.filter(system=system)
    if kind:
        jobs = jobs.filter(kind=kind)
    return jobs.order_by("-pk")


def active_jobs(*, principal: Principal, limit: int = 20) -> tuple[Job, ...]:
    """The jobs that run or wait now, running ones first: for the top bar."""
    jobs = _visible(principal).filter(state__in=Job.ACTIVE, parent=None)
    # "running" sorts after "queued".
    return tuple(jobs.order_by("-state", "pk")[:limit])


def job_detail(*, principal: Principal, job_id: int, after_line: int = 0, limit: int = 1000) -> Job:
    """One job with its parts, and the log lines whose id is above `after_line`. Raises `NotFound`."""
    job = _visible(principal).filter(pk=job_id).first()
    if job is None:
        raise NotFound(f"there is no job {job_id} that you can see")
    job.lines = tuple(JobLogLine.objects.filter(job=job, pk__gt=after_line).order_by("pk")[:limit])
    _with_parts([job])
    return job


def job_of_system(*, access: Access, job_id: int, lines: int) -> Job:
    """One job of a system, or a part of one, with its parts and the last lines of its log, the newest line first.

    Raises `NotFound`. Three queries.
    """
    job = _visible(access.principal).filter(system=access.system, pk=job_id).first()
    if job is None:
        raise NotFound(f"there is no job {job_id} of {access.system.name}")
    job.lines = tuple(JobLogLine.objects.filter(job=job).order_by("-pk")[:lines])
    _with_parts([job])
    return job


def active_jobs_of(*, access: Access, lines: int = 8) -> tuple[Job, ...]:
    """What runs and then what waits or is paused, each in the order of sending, with its parts and the end of the log.

    At most `lines` lines, of running ones alone. Constant number of queries.
    """
    jobs = list(_of_system(access).filter(state__in=(*Job.ACTIVE, Job.State.PAUSED)))
    running = [job.pk for job in jobs if job.state == Job.State.RUNNING]
    ends: dict[int, list[JobLogLine]] = defaultdict(list)
    logged = JobLogLine.objects.filter(job_id__in=running).order_by("-pk")[: lines * len(running)]
    for line in reversed(logged):
        ends[line.job_id].append(line)
    for job in jobs:
        job.lines = tuple(ends[job.pk][-lines:])
    _with_parts(jobs)
    return tuple(sorted(jobs, key=lambda job: (job.pk not in running, job.pk)))


def active_in(*, access: Access, revision: str) -> tuple[Job, ...]:
    """What runs or waits on one revision of a system, in the order of sending. Constant number of queries."""
    ids = set(Revision.objects.filter(system=access.system, name=revision).values_list("pk", flat=True))
    active = _of_system(access).filter(state__in=Job.ACTIVE).order_by("pk")
    return tuple(job for job in active if asks_for_revision(job, revision, ids))


def follow_job(
    *, principal: Principal, job_id: int, poll_seconds: float = 0.5, until: threading.Event | None = None
) -> Iterator[Job]:
    """The job's state again and again until it has ended or `until` is set, each time with the new log lines.

    Raises `NotFound`.
    """
    until = until or threading.Event()
    after_line = 0
    while True:
        detail = job_detail(principal=principal, job_id=job_id, after_line=after_line)
        yield detail
        if detail.lines:
            after_line = detail.lines[-1].pk
        elif not detail.active or until.wait(poll_seconds):
            return


def _with_parts(jobs: Sequence[Job]) -> None:
    """Give jobs their parts. One query."""
    parts: dict[int | None, list[Job]] = defaultdict(list)
    rows = Job.objects.filter(parent__in=[job.pk for job in jobs])
    for row in rows.defer("parameters", "checkpoint", "result", "error").order_by("pk"):
        parts[row.parent_id].append(row)
    for job in jobs:
        job.parts = tuple(parts[job.pk])


def _visible(principal: Principal) -> QuerySet[Job]:
    jobs = Job.objects.select_related("system", "created_by")
    if principal.is_superuser and principal.only_system is None:
        return jobs
    of_systems = Q(system__in=System.objects.filter(seen_by(principal)))
    if principal.user_id is None or principal.only_system is not None:
        return jobs.filter(of_systems)
    return jobs.filter(of_systems | Q(system=None, created_by_id=principal.user_id))


def _of_system(access: Access) -> QuerySet[Job]:
    """The jobs of one system, parts of a job left out."""
    return _visible(access.principal).filter(system=access.system, parent=None)
