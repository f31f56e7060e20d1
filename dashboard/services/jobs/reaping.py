"""The reaper: takes jobs back from dead workers and sends lost messages again."""

import logging
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from dashboard.models import Job
from dashboard.services.jobs.leases import append_log, is_gone, requeued
from dashboard.services.jobs.queueing import send, stop_if_asked

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
    for job in list(Job.objects.filter(state=Job.State.RUNNING)):
        job_id, gone = job.pk, is_gone(job.owner)
        if not gone and job.lease_expires_at is not None and job.lease_expires_at >= now:
            continue
        # Its owner may have shown signs of life meanwhile.
        held = Job.objects.filter(pk=job_id, owner=job.owner, state=Job.State.RUNNING)
        with transaction.atomic():
            if not (held if gone else held.filter(lease_expires_at__lt=now)).update(**requeued(now)):
                continue
            append_log(job_id=job_id, lines=["the worker died or fell silent; the job waits to be resumed"])
        log.warning("job %d was taken back from its dead worker", job_id)
        if not stop_if_asked(job) and not job.environment:
            send(job_id=job_id, queue=job.queue)
            sent += 1
    for job in list(Job.objects.filter(state=Job.State.QUEUED, environment="").order_by("pk")):
        patience = max(_RESEND_SECONDS, _RESEND_SHARE_OF_AGE * (now - job.created_at).total_seconds())
        # One that is yet to come was sent before the clock was set back.
        if not everything and timedelta(0) <= now - job.sent_at < timedelta(seconds=patience):
            continue
        # Conditional, so that of two reapers only one sends.
        waiting = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED, sent_at=job.sent_at)
        if waiting.update(sent_at=now):
            send(job_id=job.pk, queue=job.queue)
            sent += 1
    return sent
