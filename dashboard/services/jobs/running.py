"""Running one job from claim to final state."""

import json
import logging
import traceback
from collections.abc import Mapping
from enum import Enum
from typing import Any

from django.db import InterfaceError, OperationalError, connection

from dashboard.models import Job
from dashboard.services.jobs import JobId
from dashboard.services.jobs.context import (
    Cancelled,
    Interrupted,
    JobContext,
    JobError,
    Kind,
    LeaseLost,
    Paused,
    Stop,
)
from dashboard.services.jobs.heartbeat import Heartbeat
from dashboard.services.jobs.leases import MAX_ATTEMPTS, Lease, claim
from dashboard.services.jobs.machine_lock import measuring_alone

log = logging.getLogger(__name__)

# This process's own: set when its worker is told to end.
STOP = Stop()
_ERROR_LENGTH = 4000


class Outcome(Enum):
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


class UnknownKind(JobError):
    """The job's kind is not in the registry."""


class TooManyAttempts(JobError):
    """Its workers died again and again without the checkpoint having moved."""


def run_job(*, job_id: JobId, kinds: Mapping[str, Kind], stop: Stop = STOP) -> Outcome:
    """Claim the job, run it and write how it ended. Harmless for a job that runs elsewhere, has ended or is gone."""
    queue = Job.objects.filter(pk=job_id).values_list("queue", flat=True).first()
    if queue is None:
        return Outcome.NOT_CLAIMED
    if queue == Job.Queue.MEASURE:
        with measuring_alone(stop, waits=lambda: _say_that_it_waits(job_id)) as lock:
            return Outcome.INTERRUPTED if lock is None else _claim_and_run(job_id, kinds, stop, lock)
    return _claim_and_run(job_id, kinds, stop, None)


def _say_that_it_waits(job_id: JobId) -> None:
    waiting = Job.objects.filter(pk=job_id, state=Job.State.QUEUED)
    waiting.update(message="waiting for another measurement on this machine to end")


def _claim_and_run(job_id: JobId, kinds: Mapping[str, Kind], stop: Stop, lock: int | None) -> Outcome:
    if stop.requested:
        return Outcome.INTERRUPTED
    lease = claim(job_id=job_id)
    if lease is None:
        return Outcome.NOT_CLAIMED
    heartbeat = Heartbeat(lease)
    try:
        with heartbeat:
            result = _call_kind(lease, kinds, JobContext(lease, heartbeat, stop, lock))
    except BaseException as error:
        outcome = _end_early(lease, heartbeat, error)
        if not isinstance(error, Exception):  # Ctrl-C at the command line
            raise
        return outcome
    fields, lines = heartbeat.leftover()
    done = lease.end(Job.State.DONE, lines=lines, **(fields | {"progress": 1.0, "result": result}))
    return Outcome.DONE if done else Outcome.LOST


def _call_kind(lease: Lease, kinds: Mapping[str, Kind], context: JobContext) -> dict[str, Any]:
    if lease.attempt > MAX_ATTEMPTS:
        raise TooManyAttempts(
            f"given up: the worker ended {MAX_ATTEMPTS} times without getting past the same checkpoint;"
            " look for what kills it (memory?) and start the job again"
        )
    if lease.kind not in kinds:
        known = ", ".join(sorted(kinds)) or "none"
        raise UnknownKind(f"there is no kind of job {lease.kind!r}; known: {known}")
    if lease.attempt > 1 or lease.checkpoint:
        context.log(f"resumed at {lease.progress:.0%}, attempt {lease.attempt} of {MAX_ATTEMPTS}")
    context.check()
    result = kinds[lease.kind](context)
    json.dumps(
        result, allow_nan=False
    )  # what the row cannot hold is the kind's fault: say so with its traceback
    return result


def _end_early(lease: Lease, heartbeat: Heartbeat, error: BaseException) -> Outcome:
    """Write how a job ended that did not get to its end."""
    connection.close_if_unusable_or_obsolete()
    fields, lines = heartbeat.leftover()
    if isinstance(error, LeaseLost):
        log.warning("%s", error)
        return Outcome.LOST
    if isinstance(error, Cancelled):
        outcome = Outcome.CANCELLED
        held = lease.end(Job.State.CANCELLED, lines=[*lines, "cancelled"], **fields)
    elif isinstance(error, Paused):
        outcome = Outcome.PAUSED
        held = lease.pause(lines=[*lines, "paused"], **fields)
    elif isinstance(error, Interrupted) or not isinstance(error, Exception):
        outcome = Outcome.INTERRUPTED
        lines.append("the worker ended; the job waits to be resumed")
        held = lease.give_back(lines=lines, counts=False, **fields)
    elif isinstance(error, (OperationalError, InterfaceError)) and lease.attempt < MAX_ATTEMPTS:
        outcome = Outcome.GIVEN_BACK
        held = lease.give_back(lines=[*lines, f"the database failed: {error}"], counts=True, **fields)
    else:
        outcome = Outcome.FAILED
        message = str(error)[:400] or type(error).__name__
        last = {"message": message, "error": "".join(traceback.format_exception(error))[-_ERROR_LENGTH:]}
        held = lease.end(Job.State.FAILED, lines=[*lines, f"failed: {message}"], **(fields | last))
    return outcome if held else Outcome.LOST
