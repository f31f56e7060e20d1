"""Laying a job aside, and going on with one that was paused, cancelled or failed, from where it stood."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from dashboard.access import Principal
from dashboard.models import Job
from dashboard.services.jobs import JobId, send, stoppable_job
from dashboard.services.jobs.leases import laid_aside, requeued

ENDED_EARLY = (Job.State.CANCELLED, Job.State.FAILED)


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
