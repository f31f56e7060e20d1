"""Holding a job: claimed by one conditional update, renewed, written to and given up only by its owner.

An owner is a process, told apart from every other one by machine, process id and start time.
"""

import hashlib
import os
import secrets
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from dashboard.models import Job, JobLogLine

# So many workers may die, one after the other, without the checkpoint having moved.
MAX_ATTEMPTS = 3
_LINE_LENGTH = 1000
# Of a log that grows without end, as of a machine that never finishes, the last ones stay.
MOST_LINES = 10_000
_PROC = Path("/proc")
# Of a job that nobody runs.
_UNOWNED: dict[str, Any] = {"owner": "", "lease_expires_at": None, "seconds_left": None}


class Lease:
    """One claim of one job. What it writes reaches the row only while nobody else has taken the job over.

    `job` is the row as it was when it was claimed.
    """

    def __init__(self, job: Job) -> None:
        self.job = job
        self.job_id = job.pk

    def write(self, **fields: Any) -> bool:
        """Write the fields, if the job is still ours; whether it was."""
        return self._held().update(**fields) > 0

    def write_with_log(self, lines: list[str], **fields: Any) -> bool:
        """Write the fields and append log lines, both or neither; whether the job was still ours."""
        with transaction.atomic():
            held = self.write(**fields)
            if held and lines:
                append_log(job_id=self.job_id, lines=lines)
        return held

    def requests(self) -> tuple[bool, bool] | None:
        """Whether somebody asked to cancel and to pause; None if the job is no longer ours."""
        return self._held().values_list("cancel_requested", "pause_requested").first()

    def _held(self) -> QuerySet[Job]:
        return Job.objects.filter(pk=self.job.pk, owner=self.job.owner, state=Job.State.RUNNING)


def requeued(now: datetime) -> dict[str, Any]:
    """The fields of a job that went back to the queue, its message about to be sent."""
    return {**_UNOWNED, "state": Job.State.QUEUED, "message": "waiting to be resumed", "sent_at": now}


def laid_aside() -> dict[str, Any]:
    """The fields of a job that is paused."""
    return {
        **_UNOWNED,
        "state": Job.State.PAUSED,
        "pause_requested": False,
        "attempt": 0,
        "message": "paused",
    }


def ended(state: Job.State) -> dict[str, Any]:
    """The fields of a job that has ended in this state."""
    return {**_UNOWNED, "state": state, "finished_at": timezone.now()}


def takeable() -> Q:
    """The condition that a worker may take a job: it waits, or its worker has fallen silent."""
    return Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_expires_at__lt=timezone.now())


def append_log(*, job_id: int, lines: list[str]) -> None:
    """Append lines to the job's log, cut to what a row holds; the oldest beyond `MOST_LINES` go."""
    JobLogLine.objects.bulk_create(JobLogLine(job_id=job_id, text=line[:_LINE_LENGTH]) for line in lines)
    log = JobLogLine.objects.filter(job_id=job_id)
    for last in log.order_by("-pk").values_list("pk", flat=True)[MOST_LINES : MOST_LINES + 1]:
        log.filter(pk__lte=last).delete()


def lease_end() -> datetime:
    """Until when a lease that is taken or renewed now holds."""
    return timezone.now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def claim(*, job_id: int) -> Lease | None:
    """Claim the job, if it waits or its worker has fallen silent; None if it is not to be had, as what machines ask for."""
    owner = new_owner()
    claimed = Job.objects.filter(takeable(), pk=job_id, environment="").update(
        state=Job.State.RUNNING,
        owner=owner,
        attempt=F("attempt") + 1,
        lease_expires_at=lease_end(),
        message="",
    )
    if not claimed:
        return None
    jobs = Job.objects.select_related("system", "created_by", "parent__created_by")
    job = jobs.filter(pk=job_id, owner=owner).first()
    if job is None:  # deleted, or taken over, between the two statements
        return None
    lease = Lease(job)
    if job.started_at is None:
        lease.write(started_at=timezone.now())
    return lease


def new_owner() -> str:
    """A name for one claim by this process: `machine:pid:start time:random part`."""
    return f"{_machine()}:{os.getpid()}:{_start_time(os.getpid())}:{secrets.token_hex(4)}"


def is_gone(owner: str) -> bool:
    """Whether the owner ran on this machine and its process is no more.

    False whenever that cannot be told: on another machine, in another container, or without `/proc`.
    """
    parts = owner.split(":")
    if len(parts) != 4 or not parts[0] or parts[0] != _machine():
        return False
    return _start_time(int(parts[1])) != parts[2]


def _machine() -> str:
    """A name of this boot of this machine's process table; empty where there is none."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text()
        processes = (_PROC / "self/ns/pid").readlink()
    except OSError:
        return ""
    return hashlib.sha256(f"{boot}{processes}".encode()).hexdigest()[:12]


def _start_time(pid: int) -> str:
    """When the process began, in the kernel's ticks since boot; empty if it is gone or a zombie."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return ""
    # The second field is the command in parentheses and may itself hold spaces and parentheses.
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
