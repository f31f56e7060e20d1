"""A job in parts: jobs of their own that every worker takes, the one that has the whole among them.

The whole does not only wait: its worker takes every part that nobody else has taken. So one worker alone gets on, several share the
work, and a part whose worker died is taken up again.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.utils import timezone
from pydantic import BaseModel

from dashboard.models import Job
from dashboard.selectors.job_columns import JobRequest
from dashboard.services.jobs.context import Cancelled, JobContext, JobError, Paused
from dashboard.services.jobs.leases import takeable
from dashboard.services.jobs.queueing import (
    ENDED_EARLY,
    cancel,
    new_job,
    pause,
    queue_again,
    send_on_commit,
)
from dashboard.services.jobs.running import run_job

_POLL_SECONDS = 0.5
# What does a part; it calls the second again and again, which says how the whole gets on.
PartKind = Callable[[JobContext, Callable[[], None]], dict[str, Any]]


class PartsCheckpoint(BaseModel):
    """How many parts a job was cut into, and how many of them have ended."""

    parts: int = 0
    ended: int = 0


def run_parts(
    context: JobContext, plan: Callable[[], Sequence[JobRequest]], do: PartKind
) -> list[dict[str, Any]]:
    """Cut a job into the parts that `plan` names, once, and wait until all are done; their results, in order.

    `do` does those that this worker takes itself; others find it among the kinds of jobs. Resumed, the job goes on with the parts that
    are not done. Raises `JobError` where one failed, and as `JobContext.check`.
    """
    try:
        if context.checkpoint:
            _resume(context)
        else:
            _make(context, plan())
        while _report(context):
            if not _take_one(context, do):
                time.sleep(_POLL_SECONDS)
    except (Cancelled, Paused) as stopped:
        stop = cancel if isinstance(stopped, Cancelled) else pause
        for part in list(context.job.children.filter(state__in=Job.ACTIVE)):
            stop(part)
        raise
    failed = context.job.children.exclude(state=Job.State.DONE)
    if first := failed.order_by("pk").first():
        raise JobError(f"{failed.count()} parts ended early, the first one: {first.message or first.state}")
    return list(context.job.children.order_by("pk").values_list("result", flat=True))


def _make(context: JobContext, requests: Sequence[JobRequest]) -> None:
    whole = context.job
    with context.fenced():
        rows = Job.objects.bulk_create(
            new_job(
                request,
                f"{whole.title}: part {number} of {len(requests)}"[-200:],
                system=whole.system,
                parent=whole,
                created_by_id=whole.created_by_id,
            )
            for number, request in enumerate(requests, start=1)
        )
        for row in rows:
            send_on_commit(row)
        context.save_checkpoint(PartsCheckpoint(parts=len(rows)).model_dump())


def _resume(context: JobContext) -> None:
    """Queue the parts again that were cancelled or failed; those that are still running go on.

    One that was asked to stop is waited for: whether it has noticed, nobody can tell before it ends.
    """
    parts = context.job.children
    stopping = parts.filter(state=Job.State.RUNNING, cancel_requested=True)
    while stopping.filter(lease_expires_at__gte=timezone.now()).exists():
        context.check()
        time.sleep(_POLL_SECONDS)
    with context.fenced():
        parts.filter(state=Job.State.RUNNING).update(cancel_requested=False)
        _queue_again(parts.filter(state__in=ENDED_EARLY))


def _queue_again(parts: QuerySet[Job]) -> None:
    again = list(parts)
    queue_again(parts)
    for part in again:
        send_on_commit(part)


def _report(context: JobContext) -> bool:
    """Say how far all parts together are; whether any still waits or runs. Raises as `check`."""
    parts = context.job.children
    running, active = Q(state=Job.State.RUNNING), Q(state__in=(*Job.ACTIVE, Job.State.PAUSED))
    counts = parts.aggregate(
        all=Count("pk"),
        active=Count("pk", filter=active),
        running=Count("pk", filter=running),
        paused=Count("pk", filter=Q(state=Job.State.PAUSED)),
        begun=Sum(F("progress"), filter=active),
    )
    ended = counts["all"] - counts["active"]
    # It gets on, however often its worker dies.
    reached = PartsCheckpoint(parts=counts["all"], ended=ended).model_dump()
    if reached != context.checkpoint:
        context.save_checkpoint(reached)
    share = (ended + (counts["begun"] or 0.0)) / max(counts["all"], 1)
    at_work = f", {counts['running']} running" if counts["running"] else ""
    context.progress(min(share, 1.0), f"{ended} of {counts['all']} parts done{at_work}")
    if counts["paused"] or not counts["active"]:
        # Parts hear of a wish to stop as soon as the whole does.
        context.listen()
        # They rest only while the whole does.
        _queue_again(parts.filter(state=Job.State.PAUSED))
    return bool(counts["active"])


def _take_one(context: JobContext, do: PartKind) -> bool:
    """Do a part that nobody does, in this process; whether there was one."""
    part = context.job.children.filter(takeable()).order_by("pk").first()
    if part is None:
        return False
    told = time.monotonic()

    def tell() -> None:
        nonlocal told
        if time.monotonic() - told < _POLL_SECONDS:
            return
        told = time.monotonic()
        # What stops the whole has asked the part to stop, too, or is found behind it.
        with suppress(JobError):
            _report(context)

    run_job(job_id=part.pk, kinds={part.kind: lambda of_part: do(of_part, tell)})
    return True
