"""The jobs of a system as its page of measuring shows them: those that are active, with the end of their logs."""

from collections import defaultdict
from dataclasses import dataclass

from dashboard.access import Access
from dashboard.models import Job, JobLogLine, Revision
from dashboard.selectors.jobs import JobRow, LogLine, list_jobs


@dataclass(frozen=True, slots=True)
class ActiveJob:
    """A job that runs, waits or is paused, and the last lines of its log, oldest first."""

    row: JobRow
    lines: tuple[LogLine, ...]


def active_jobs_of(*, access: Access, lines: int = 8) -> tuple[ActiveJob, ...]:
    """What runs and then what waits or is paused, each in the order of sending; at most `lines` lines of each running one's log.

    Constant number of queries.
    """
    jobs = list_jobs(principal=access.principal, system=access.system, unended=True, limit=None)
    running = [row.id for row in jobs if row.state == Job.State.RUNNING]
    ends: dict[int, list[LogLine]] = defaultdict(list)
    logged = JobLogLine.objects.filter(job_id__in=running).order_by("-pk")[: lines * len(running)]
    for line in reversed(logged):
        ends[line.job_id].append(LogLine(id=line.pk, at=line.at, text=line.text))
    ordered = sorted(jobs, key=lambda row: (row.id not in running, row.id))
    return tuple(ActiveJob(row, tuple(ends[row.id][-lines:])) for row in ordered)


def active_in(*, access: Access, revision: str) -> tuple[JobRow, ...]:
    """What runs or waits on one revision of a system, in the order of sending.

    Constant number of queries.
    """
    jobs = list_jobs(principal=access.principal, system=access.system, unended=True, limit=None)
    active = {row.id: row for row in jobs if row.active}
    known = set(Revision.objects.filter(system=access.system, name=revision).values_list("pk", flat=True))
    found = []
    for job in Job.objects.filter(pk__in=active).order_by("pk"):
        # A measurement has the ids of its revisions; others, and those that an earlier version queued, their names.
        asked = job.parameters
        names = {asked.get("revision"), *asked.get("revisions", ())}
        if revision in names or known.intersection(asked.get("revision_ids", ())):
            found.append(active[job.pk])
    return tuple(found)
