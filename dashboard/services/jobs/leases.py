"""Holding a job: claimed by one conditional update, renewed, written to and given up only by its owner.

An owner is a process, told apart from every other one by machine, process id and start time.
"""

import hashlib
import os
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NewType

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from dashboard.models import Job, JobLogLine

JobId = NewType("JobId", int)

# So many workers may die, one after the other, without the checkpoint having moved.
MAX_ATTEMPTS = 3
_LINE_LENGTH = 1000
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Lease:
    """One claim of one job. What it writes reaches the row only while nobody else has taken the job over."""

    job_id: JobId
    owner: str
    kind: str
    system_id: int | None
    parameters: dict[str, Any]
    checkpoint: dict[str, Any]
    progress: float
    attempt: int

    def write(self, **fields: Any) -> bool:
        """Write the fields, if the job is still ours; whether it was."""
        held = Job.objects.filter(pk=self.job_id, owner=self.owner, state=Job.State.RUNNING)
        return held.update(**fields) > 0

    def write_with_log(self, lines: list[str], **fields: Any) -> bool:
        """Write the fields and append log lines, both or neither; whether the job was still ours."""
        with transaction.atomic():
            held = self.write(**fields)
            if held and lines:
                append_log(job_id=self.job_id, lines=lines)
        return held

    def requests(self) -> tuple[bool, bool] | None:
        """Whether somebody asked to cancel and to pause; None if the job is no longer ours."""
        held = Job.objects.filter(pk=self.job_id, owner=self.owner, state=Job.State.RUNNING)
        return held.values_list("cancel_requested", "pause_requested").first()

    def end(self, state: Job.State, *, lines: list[str], **fields: Any) -> bool:
        """Write the job's final state; whether it was still ours."""
        last = {"state": state, "lease_expires_at": None, "seconds_left": None, "finished_at": timezone.now()}
        return self.write_with_log(lines, **(fields | last))

    def give_back(self, *, lines: list[str], counts: bool, **fields: Any) -> bool:
        """Put the job back in the queue, where the next claim goes on from its checkpoint; whether it was ours.

        `counts` tells whether this attempt counts towards the limit: a worker that was told to stop is no failure.
        """
        attempts = {} if counts else {"attempt": F("attempt") - 1}
        return self.write_with_log(lines, **(fields | requeued(timezone.now()) | attempts))

    def pause(self, *, lines: list[str], **fields: Any) -> bool:
        """Lay the job aside, until somebody resumes it from its checkpoint; whether it was ours."""
        return self.write_with_log(lines, **(fields | laid_aside()))


def requeued(now: datetime) -> dict[str, Any]:
    """The fields of a job that went back to the queue, its message about to be sent."""
    return {
        "state": Job.State.QUEUED,
        "owner": "",
        "lease_expires_at": None,
        "seconds_left": None,
        "message": "waiting to be resumed",
        "sent_at": now,
    }


def laid_aside() -> dict[str, Any]:
    """The fields of a job that is paused."""
    return {
        "state": Job.State.PAUSED,
        "pause_requested": False,
        "owner": "",
        "lease_expires_at": None,
        "seconds_left": None,
        "attempt": 0,
        "message": "paused",
    }


def append_log(*, job_id: JobId, lines: list[str]) -> None:
    """Append lines to the job's log, cut to what a row holds."""
    JobLogLine.objects.bulk_create(JobLogLine(job_id=job_id, text=line[:_LINE_LENGTH]) for line in lines)


def lease_end() -> datetime:
    """Until when a lease that is taken or renewed now holds."""
    return timezone.now() + timedelta(seconds=settings.JOB_LEASE_SECONDS)


def claim(*, job_id: JobId) -> Lease | None:
    """Claim the job, if it waits or its worker has fallen silent; None if it is not to be had."""
    now = timezone.now()
    owner = new_owner()
    waits = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_expires_at__lt=now)
    claimed = Job.objects.filter(waits, pk=job_id).update(
        state=Job.State.RUNNING,
        owner=owner,
        attempt=F("attempt") + 1,
        lease_expires_at=lease_end(),
        message="",
    )
    if not claimed:
        return None
    job = Job.objects.filter(pk=job_id, owner=owner).first()
    if job is None:  # deleted, or taken over, between the two statements
        return None
    if job.started_at is None:
        Job.objects.filter(pk=job_id, owner=owner).update(started_at=now)
    return Lease(
        job_id=job_id,
        owner=owner,
        kind=job.kind,
        system_id=job.system_id,
        parameters=job.parameters,
        checkpoint=job.checkpoint,
        progress=job.progress,
        attempt=job.attempt,
    )


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
