"""Queueing jobs, cancelling and pausing them, and going on with them. This module alone talks to the broker."""

import logging
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from dashboard.access import Forbidden, NotFound, Permission, Principal, permission_of
from dashboard.celery import app
from dashboard.models import Job, System
from dashboard.services.jobs.leases import JobId, laid_aside, requeued

log = logging.getLogger(__name__)

# By name: services do not import tasks.
TASK_NAME = "dashboard.run_job"
ENDED_EARLY = (Job.State.CANCELLED, Job.State.FAILED)


def enqueue(
    *,
    principal: Principal,
    kind: str,
    title: str,
    parameters: dict[str, Any],
    system: System | None = None,
    queue: str = Job.Queue.DEFAULT,
) -> JobId:
    """Store a job and send its message once the present transaction commits.

    `parameters` must be JSON. With a system the principal needs the right to edit it: raises `NotFound` or `Forbidden`.
    """
    if system is not None:
        _require_edit(principal, system)
    job = Job.objects.create(
        kind=kind,
        title=title[:200],
        parameters=parameters,
        system=system,
        queue=Job.Queue(queue),
        created_by_id=principal.user_id,
        by_operator=principal.is_operator,
    )
    job_id = JobId(job.pk)
    transaction.on_commit(lambda: send(job_id=job_id, queue=job.queue))
    return job_id


def send(*, job_id: JobId, queue: str) -> None:
    """Send the job's message. A silent broker is no failure: the reaper sends it again.

    Without `manage.py serve` there is no folder for messages: commands run such jobs themselves, nothing is amiss.
    """
    try:
        app.send_task(TASK_NAME, kwargs={"job_id": job_id}, queue=queue, retry=False)
    except FileNotFoundError:
        log.info("job %d waits: no server takes messages", job_id)
    except (BrokerError, OSError) as error:
        log.warning("job %d waits: the broker does not take its message (%s)", job_id, error)


def request_cancel(*, principal: Principal, job_id: JobId) -> None:
    """Cancel a waiting or paused job at once; ask a running one to stop. A finished job stays as it is.

    Raises `NotFound` or `Forbidden`.
    """
    stoppable_job(principal=principal, job_id=job_id)
    now = timezone.now()
    if not cancel_waiting(job_id=job_id, now=now):
        Job.objects.filter(pk=job_id, state=Job.State.RUNNING).update(cancel_requested=True)
        # Between the two statements a running job may have been given back to the queue.
        cancel_waiting(job_id=job_id, now=now)


def stoppable_job(*, principal: Principal, job_id: JobId) -> Job:
    """The job, which the principal may stop. For services. Raises `NotFound` or `Forbidden`."""
    job = Job.objects.select_related("system").filter(pk=job_id).first()
    if job is None or not _may_know(principal, job):
        raise NotFound(f"there is no job {job_id} that you can see")
    if not _may_stop(principal, job):
        raise Forbidden(f"stopping or resuming job {job_id} needs the role 'edit' on its system")
    return job


def cancel_waiting(*, job_id: JobId, now: datetime) -> bool:
    """Cancel the job if it waits or is paused, or if its worker has fallen silent; whether it was so."""
    waits = Q(state__in=(Job.State.QUEUED, Job.State.PAUSED)) | Q(
        state=Job.State.RUNNING, lease_expires_at__lt=now
    )
    changed = Job.objects.filter(waits, pk=job_id).update(
        state=Job.State.CANCELLED,
        cancel_requested=True,
        owner="",
        lease_expires_at=None,
        seconds_left=None,
        finished_at=now,
    )
    return changed > 0


class NotResumable(Exception):
    """The job is done, or it ended before it got to a place to go on from."""


def request_pause(*, principal: Principal, job_id: JobId) -> None:
    """Pause a waiting job at once; ask a running one to stop, as for a cancel. Others stay as they are.

    What was done is kept, and nobody takes the job up before `resume`. Raises `NotFound` or `Forbidden`.
    """
    stoppable_job(principal=principal, job_id=job_id)
    Job.objects.filter(pk=job_id, state=Job.State.RUNNING).update(pause_requested=True)
    # A running job may have been given back to the queue meanwhile, or its worker may be dead.
    pause_waiting(job_id=job_id, now=timezone.now())


def pause_waiting(*, job_id: JobId, now: datetime) -> bool:
    """Pause the job if it waits, or if its worker has fallen silent; whether it was so."""
    waits = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_expires_at__lt=now)
    return Job.objects.filter(waits, pk=job_id).update(**laid_aside()) > 0


def resume(*, principal: Principal, job_id: JobId) -> None:
    """Queue a paused job again, or one that was cancelled or failed; it goes on from its checkpoint.

    One that waits or runs goes on as it is, and is not paused any more. Whoever may cancel it may do this. Raises
    `NotResumable`, `NotFound` or `Forbidden`.
    """
    job = stoppable_job(principal=principal, job_id=job_id)
    going_on = Job.objects.filter(pk=job_id, state__in=(Job.State.QUEUED, Job.State.RUNNING))
    if going_on.update(pause_requested=False):
        return
    ended = Q(state__in=ENDED_EARLY) & ~Q(checkpoint={})
    if not queue_again(Job.objects.filter(Q(state=Job.State.PAUSED) | ended, pk=job_id)):
        raise NotResumable(
            f"job {job_id} cannot go on: it is {job.state}, or it had not begun; start it again"
        )
    transaction.on_commit(lambda: send(job_id=job_id, queue=job.queue))


def queue_again(jobs: QuerySet[Job]) -> int:
    """Put jobs back in the queue as if nobody had stopped them; how many there were. Sends no message. For services."""
    return jobs.update(
        **requeued(timezone.now()),
        cancel_requested=False,
        pause_requested=False,
        attempt=0,
        error="",
        finished_at=None,
    )


def _require_edit(principal: Principal, system: System) -> None:
    granted = permission_of(principal, system)
    if granted is None:
        raise NotFound(f"there is no system {system.slug!r} that you can see")
    if granted.value < Permission.EDIT.value:
        raise Forbidden(f"starting a job on {system.slug!r} needs the role 'edit'")


def _may_know(principal: Principal, job: Job) -> bool:
    """A job of a system needs a role on it, also of who queued it: roles are taken away."""
    if job.system is not None:
        return permission_of(principal, job.system) is not None
    return _is_own(principal, job)


def _may_stop(principal: Principal, job: Job) -> bool:
    if job.system is None:
        return _is_own(principal, job)
    granted = permission_of(principal, job.system)
    return granted is not None and granted.value >= Permission.EDIT.value


def _is_own(principal: Principal, job: Job) -> bool:
    return principal.is_superuser or (
        principal.user_id is not None and job.created_by_id == principal.user_id
    )
