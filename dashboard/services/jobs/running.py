"""Running one job from claim to final state."""

import json
import logging
import traceback
from collections.abc import Mapping
from enum import Enum
from typing import Any

from django.db import InterfaceError, OperationalError, connection
from django.db.models import F
from django.utils import timezone

from dashboard.access import Access, Permission, Principal, permission_of
from dashboard.full_disk import REMEDY, is_full
from dashboard.logs import job_id as logged_job
from dashboard.models import Job
from dashboard.services.jobs.context import (
    Cancelled,
    Interrupted,
    JobContext,
    JobError,
    Kind,
    LeaseLost,
    Paused,
    StopRequest,
)
from dashboard.services.jobs.heartbeat import Heartbeat
from dashboard.services.jobs.leases import MAX_ATTEMPTS, Lease, claim, ended, laid_aside, requeued
from dashboard.services.jobs.machine_lock import measuring_alone
from dashboard.services.jobs.memory import too_large

log = logging.getLogger(__name__)

# This process's own: set when its worker is told to end.
STOP = StopRequest()
_ERROR_LENGTH = 4000


class JobOutcome(Enum):
    """What became of a call of `run_job`."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    PAUSED = "paused"
    # Its worker is about to end: the message must go back to the broker, for another worker.
    INTERRUPTED = "interrupted"
    # The database failed: the reaper sends the message again after a while.
    GIVEN_BACK = "given back"
    LOST = "lost"
    NOT_CLAIMED = "not claimed"


def run_job(*, job_id: int, kinds: Mapping[str, Kind], stop: StopRequest = STOP) -> JobOutcome:
    """Claim the job, run it and write how it ended. Harmless for a job that runs elsewhere, has ended or is gone."""
    queue = Job.objects.filter(pk=job_id, environment="").values_list("queue", flat=True).first()
    if queue is None:
        return JobOutcome.NOT_CLAIMED
    if queue == Job.Queue.MEASURE:
        waiting = Job.objects.filter(pk=job_id, state=Job.State.QUEUED)
        message = "waiting for another measurement on this machine to end"
        with measuring_alone(stop, waits=lambda: waiting.update(message=message)) as lock:
            return JobOutcome.INTERRUPTED if lock is None else _claim_and_run(job_id, kinds, stop, (lock,))
    return _claim_and_run(job_id, kinds, stop, ())


def _claim_and_run(
    job_id: int, kinds: Mapping[str, Kind], stop: StopRequest, held: tuple[int, ...]
) -> JobOutcome:
    if stop.requested:
        return JobOutcome.INTERRUPTED
    lease = claim(job_id=job_id)
    if lease is None:
        return JobOutcome.NOT_CLAIMED
    # The heartbeat's thread takes the name over.
    named = logged_job.set(job_id)
    try:
        return _run(lease, kinds, stop, held)
    finally:
        logged_job.reset(named)


def _run(lease: Lease, kinds: Mapping[str, Kind], stop: StopRequest, held: tuple[int, ...]) -> JobOutcome:
    heartbeat = Heartbeat(lease)
    try:
        with heartbeat:
            context = JobContext(lease, heartbeat, stop, sender=_sender(lease.job), held=held)
            result = _call_kind(lease, kinds, context)
    except BaseException as error:
        outcome = _end_early(lease, heartbeat, error)
        if not isinstance(error, Exception):  # Ctrl-C at the command line
            raise
        return outcome
    fields, lines = heartbeat.leftover()
    last = {"progress": 1.0, "result": result, **ended(Job.State.DONE)}
    done = lease.write_with_log(lines, **(fields | last))
    return JobOutcome.DONE if done else JobOutcome.LOST


def _sender(job: Job) -> Access | Principal:
    """Who queued the job, or the job that it is a part of, with the access of now to its system.

    What a job does, it does as that person. Raises `JobError` where the account is gone, locked, or may not edit the
    system any more.
    """
    principal = Principal.of_job(job)
    if principal is None:
        raise JobError("the account that asked for this is gone or locked: start it again as somebody else")
    if job.system is None:
        return principal
    granted = permission_of(principal, job.system)
    if granted is None or granted.value < Permission.EDIT.value:
        raise JobError(
            f"{principal.name} may not edit {job.system.slug!r} any more: ask who has the role editor"
        )
    return Access(principal, job.system, granted)


def _call_kind(lease: Lease, kinds: Mapping[str, Kind], context: JobContext) -> dict[str, Any]:
    job = lease.job
    if job.attempt > MAX_ATTEMPTS:
        raise JobError(
            f"given up: the worker ended {MAX_ATTEMPTS} times without getting past the same checkpoint;"
            " look for what kills it (memory?) and start the job again"
        )
    if job.kind not in kinds:
        known = ", ".join(sorted(kinds)) or "none"
        raise JobError(f"there is no kind of job {job.kind!r}; known: {known}")
    if job.attempt > 1 or job.checkpoint:
        context.log(f"resumed at {job.progress * 100:.0f} %, attempt {job.attempt} of {MAX_ATTEMPTS}")
    context.check()
    result = kinds[job.kind](context)
    # What the row cannot hold is the kind's fault: say so with its traceback.
    json.dumps(result, allow_nan=False)
    return result


def _end_early(lease: Lease, heartbeat: Heartbeat, error: BaseException) -> JobOutcome:
    """Write how a job ended that did not get to its end."""
    connection.close_if_unusable_or_obsolete()
    fields, lines = heartbeat.leftover()
    last: dict[str, Any]
    if isinstance(error, LeaseLost):
        log.warning("%s", error)
        return JobOutcome.LOST
    if isinstance(error, Cancelled):
        outcome, line, last = JobOutcome.CANCELLED, "cancelled", ended(Job.State.CANCELLED)
    elif isinstance(error, Paused):
        outcome, line, last = JobOutcome.PAUSED, "paused", laid_aside()
    elif isinstance(error, Interrupted) or not isinstance(error, Exception):
        outcome, line = JobOutcome.INTERRUPTED, "the worker ended; the job waits to be resumed"
        # A worker that was told to stop is no failure: this attempt does not count towards the limit.
        last = {**requeued(timezone.now()), "attempt": F("attempt") - 1}
    elif is_full(error) or isinstance(error, MemoryError):
        # Trying again would fail again.
        remedy = too_large() if isinstance(error, MemoryError) else REMEDY
        outcome, line = JobOutcome.FAILED, f"failed: {remedy}"
        last = {**ended(Job.State.FAILED), "message": remedy}
    elif isinstance(error, (OperationalError, InterfaceError)) and lease.job.attempt < MAX_ATTEMPTS:
        outcome, line = JobOutcome.GIVEN_BACK, f"the database failed: {error}"
        last = requeued(timezone.now())
    else:
        message = str(error)[:400] or type(error).__name__
        outcome, line = JobOutcome.FAILED, f"failed: {message}"
        trace = "".join(traceback.format_exception(error))[-_ERROR_LENGTH:]
        last = {**ended(Job.State.FAILED), "message": message, "error": trace}
    return outcome if lease.write_with_log([*lines, line], **(fields | last)) else JobOutcome.LOST
