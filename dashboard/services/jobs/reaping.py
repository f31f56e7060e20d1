"""The reaper: takes jobs back from dead workers and sends lost messages again."""

import logging
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from dashboard.models import Job
from dashboard.services.jobs.leases import JobId, append_log, is_gone, requeued
from dashboard.services.jobs.queueing import cancel_waiting, pause_waiting, send

log = logging.getLogger(__name__)

# A message that was not taken for so long may be lost. Later the wait grows with the job's age (a quarter of it):
# behind a measurement of ten hours a waiting job is sent some twenty times, not twelve hundred.
_RESEND_SECONDS = 30.0
_RESEND_SHARE_OF_AGE = 0.25


def reap(*, everything: bool = False) -> int:
    """Put the jobs of dead workers back and send what may be lost; the number of messages sent.

    `everything` sends every waiting job's message: for a start, when the broker is known to be empty. A message
    too many is harmless, because a job is claimed only once.
    """
    now = timezone.now()
    sent = 0
    running = Job.objects.filter(state=Job.State.RUNNING).values_list(
        "pk", "queue", "owner", "lease_expires_at", "cancel_requested", "pause_requested"
    )
    for job_id, queue, owner, expires_at, cancel_requested, pause_requested in list(running):
        if (expires_at is None or expires_at >= now) and not is_gone(owner):
            continue
        if not _take_back(JobId(job_id), owner, now):
            continue
        stopped = (cancel_requested and cancel_waiting(job_id=JobId(job_id), now=now)) or (
            pause_requested and pause_waiting(job_id=JobId(job_id), now=now)
        )
        if not stopped:
            send(job_id=JobId(job_id), queue=queue)
            sent += 1
    return sent + _send_again(now, everything=everything)


def _take_back(job_id: JobId, owner: str, now: datetime) -> bool:
    """Put the job back in the queue, unless its owner showed signs of life; whether it was done."""
    with transaction.atomic():
        held = Job.objects.filter(pk=job_id, owner=owner, state=Job.State.RUNNING)
        if not is_gone(owner):
            held = held.filter(lease_expires_at__lt=now)
        taken = held.update(**requeued(now)) > 0
        if taken:
            append_log(job_id=job_id, lines=["the worker died or fell silent; the job waits to be resumed"])
    if taken:
        log.warning("job %d was taken back from its dead worker", job_id)
    return taken


def _send_again(now: datetime, *, everything: bool) -> int:
    waiting = Job.objects.filter(state=Job.State.QUEUED).order_by("pk")
    count = 0
    for job_id, queue, created_at, sent_at in list(
        waiting.values_list("pk", "queue", "created_at", "sent_at")
    ):
        patience = max(_RESEND_SECONDS, _RESEND_SHARE_OF_AGE * (now - created_at).total_seconds())
        if not everything and now - sent_at < timedelta(seconds=patience):
            continue
        # Conditional, so that of two reapers only one sends.
        if Job.objects.filter(pk=job_id, state=Job.State.QUEUED, sent_at=sent_at).update(sent_at=now):
            send(job_id=JobId(job_id), queue=queue)
            count += 1
    return count
