"""Queueing jobs, cancelling and pausing them, and going on with them. This module alone talks to the broker."""

import logging
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from dashboard.access import Access, Forbidden, NotFound, Permission, Principal, Refused, permission_of
from dashboard.celery import app
from dashboard.models import Job
from dashboard.selectors.job_columns import JobRequest
from dashboard.services.jobs.leases import ended, laid_aside, requeued, takeable

log = logging.getLogger(__name__)

# By name: services do not import tasks.
TASK_NAME = "dashboard.run_job"
ENDED_EARLY = (Job.State.CANCELLED, Job.State.FAILED)


def enqueue(sender: Access | Principal, request: JobRequest, *, title: str) -> int:
    """Store a job and send its message once the present transaction commits.

    With an access it is a job of that system, which needs the role editor: raises `Forbidden`.
    """
    if isinstance(sender, Access):
        sender.check(Permission.EDIT)
        principal, system = sender.principal, sender.system
    else:
        principal, system = sender, None
    job = new_job(
        request, title, system=system, created_by_id=principal.user_id, by_operator=principal.is_operator
    )
    job.save()
    send_on_commit(job)
    return job.pk


def new_job(request: JobRequest, title: str, **fields: Any) -> Job:
    """The row of a job that waits, not saved yet. For services."""
    parameters = request.as_parameters()
    return Job(
        kind=request.kind,
        queue=Job.Queue(request.queue),
        environment=request.for_environment,
        title=title[:200],
        parameters=parameters,
        **fields,
    )


def send_on_commit(job: Job) -> None:
    """Send the message of a job that was queued once the present transaction commits. For services.

    Machines of others get no message: they ask.
    """
    if job.environment:
        return
    transaction.on_commit(lambda: send(job_id=job.pk, queue=job.queue))


def send(*, job_id: int, queue: str) -> None:
    """Send the job's message. A silent broker is no failure: the reaper sends it again.

    Without `manage.py serve` there is no folder for messages: commands run such jobs themselves, nothing is amiss.
    """
    try:
        app.send_task(TASK_NAME, kwargs={"job_id": job_id}, queue=queue, retry=False)
    except FileNotFoundError:
        log.info("job %d waits: no server takes messages", job_id)
    except (BrokerError, OSError) as error:
        log.warning("job %d waits: the broker does not take its message (%s)", job_id, error)


def request_cancel(*, principal: Principal, job_id: int) -> None:
    """Cancel a waiting or paused job at once; ask a running one to stop. A finished job stays as it is.

    Raises `NotFound` or `Forbidden`.
    """
    cancel(stoppable_job(principal=principal, job_id=job_id))


def cancel(job: Job) -> None:
    """Likewise, whoever asks; of a job in parts, all that are not done. For services."""
    if not cancel_waiting(job_id=job.pk):
        Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel_requested=True)
        # Between the two statements a running job may have been given back to the queue.
        cancel_waiting(job_id=job.pk)
    for part in job.children.filter(state__in=(*Job.ACTIVE, Job.State.PAUSED)):
        cancel(part)


def stoppable_job(*, principal: Principal, job_id: int) -> Job:
    """The job, which the principal may stop. For services. Raises `NotFound` or `Forbidden`."""
    job = Job.objects.select_related("system").filter(pk=job_id).first()
    if job is None:
        granted = None
    elif job.system is not None:
        # It needs a role on the system, also of who queued it: roles are taken away.
        granted = permission_of(principal, job.system)
    else:
        is_own = principal.user_id is not None and job.created_by_id == principal.user_id
        granted = principal.in_scope(Permission.ADMIN, None) if principal.is_superuser or is_own else None
    if job is None or granted is None:
        raise NotFound(f"there is no job {job_id} that you can see")
    if granted.value < Permission.EDIT.value:
        raise Forbidden(f"stopping or resuming job {job_id} needs the role editor in its system")
    return job


def cancel_waiting(*, job_id: int) -> bool:
    """Cancel the job if it waits or is paused, or if its worker has fallen silent; whether it was so."""
    waiting = Job.objects.filter(takeable() | Q(state=Job.State.PAUSED), pk=job_id)
    return waiting.update(**ended(Job.State.CANCELLED), cancel_requested=True) > 0


def request_pause(*, principal: Principal, job_id: int) -> None:
    """Pause a waiting job at once; ask a running one to stop, as for a cancel. Others stay as they are.

    What was done is kept, and nobody takes the job up before `resume`. Raises `NotFound` or `Forbidden`.
    """
    pause(stoppable_job(principal=principal, job_id=job_id))


def pause(job: Job) -> None:
    """Likewise, whoever asks; of a job in parts, all that are not done. For services."""
    Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(pause_requested=True)
    # A running job may have been given back to the queue meanwhile, or its worker may be dead.
    pause_waiting(job_id=job.pk)
    for part in job.children.filter(state__in=Job.ACTIVE):
        pause(part)


def pause_waiting(*, job_id: int) -> bool:
    """Pause the job if it waits, or if its worker has fallen silent; whether it was so."""
    return Job.objects.filter(takeable(), pk=job_id).update(**laid_aside()) > 0


def stop_if_asked(job: Job) -> bool:
    """Cancel or pause a job that was given back, if somebody had asked for that; whether it was so. For services."""
    return (job.cancel_requested and cancel_waiting(job_id=job.pk)) or (
        job.pause_requested and pause_waiting(job_id=job.pk)
    )


def resume(*, principal: Principal, job_id: int) -> None:
    """Queue a paused job again, or one that was cancelled or failed; it goes on from its checkpoint.

    One that waits or runs goes on as it is, and is not paused any more. Whoever may cancel it may do this. Raises
    `Refused`, `NotFound` or `Forbidden`.
    """
    job = stoppable_job(principal=principal, job_id=job_id)
    going_on = Job.objects.filter(pk=job_id, state__in=Job.ACTIVE)
    if going_on.update(pause_requested=False):
        return
    ended = Q(state__in=ENDED_EARLY) & ~Q(checkpoint={})
    if not queue_again(Job.objects.filter(Q(state=Job.State.PAUSED) | ended, pk=job_id)):
        raise Refused(f"job {job_id} cannot go on: it is {job.state}, or it had not begun; start it again")
    send_on_commit(job)


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
