"""Celery's door: the id of a job in, one call of a service."""

from typing import Any

from celery.exceptions import Reject
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down

from dashboard.celery import app
from dashboard.job_kinds import KINDS
from dashboard.models import Job
from dashboard.services.jobs.memory import keep_freed_memory, stay_within_memory
from dashboard.services.jobs.presence import WorkerPresence
from dashboard.services.jobs.queueing import TASK_NAME
from dashboard.services.jobs.running import STOP, JobOutcome
from dashboard.services.jobs.running import run_job as run


@app.task(name=TASK_NAME)  # type: ignore[untyped-decorator] # celery has no type information
def run_job(*, job_id: int, **_: Any) -> None:
    """Run the job, if nobody else does. Unknown keywords come from newer senders and are passed over."""
    if run(job_id=job_id, kinds=KINDS) is JobOutcome.INTERRUPTED:
        raise Reject(requeue=True)


@worker_shutting_down.connect  # type: ignore[untyped-decorator] # celery has no type information
def release_running_job(**_: Any) -> None:
    """Tell the running job to give itself back to the queue."""
    STOP.request()


@worker_ready.connect  # type: ignore[untyped-decorator] # celery has no type information
def deal_with_memory(sender: Any, **_: Any) -> None:
    """Stay within the memory that jobs of the default queue may take; those that measure set limits for what they run."""
    if set(sender.app.amqp.queues.consume_from) == {Job.Queue.DEFAULT}:
        stay_within_memory()
        keep_freed_memory()


@worker_ready.connect  # type: ignore[untyped-decorator] # celery has no type information
def say_that_it_lives(sender: Any, **_: Any) -> None:
    """Let others see that this worker takes jobs, until it ends."""
    presence = WorkerPresence(sender.app.amqp.queues.consume_from)
    presence.begin()
    # Kept by nobody else, so not weakly.
    worker_shutdown.connect(lambda **_: presence.end(), weak=False)
