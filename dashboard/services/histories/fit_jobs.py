"""Fitting the histories of a system as a job: children of about a hundred series each, shared by all workers.

The parent does not only wait: it takes every child that nobody else has taken. So one worker alone gets on, several
share the work, and a child whose worker died is taken up again.
"""

import time
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Count, Q
from django.utils import timezone

from dashboard.access import Principal
from dashboard.models import Job, System
from dashboard.services.histories.fits import chunks_to_fit, fit_series
from dashboard.services.jobs.context import Cancelled, JobContext, JobError
from dashboard.services.jobs.leases import JobId
from dashboard.services.jobs.queueing import ENDED_EARLY, cancel_waiting, enqueue, queue_again, send
from dashboard.services.jobs.running import STOP, run_job

KIND = "fit histories"
PART = "fit some histories"
_ACTIVE = (Job.State.QUEUED, Job.State.RUNNING)
_POLL_SECONDS = 0.5


class FitFailed(JobError):
    """Some of the histories could not be fitted."""


def queue_fits(*, principal: Principal, system: System) -> JobId | None:
    """Queue a job that fits what is missing or out of date; None where nothing is, or one waits already.

    Raises `NotFound` and `Forbidden`.
    """
    waiting = Job.objects.filter(kind=KIND, system=system, state=Job.State.QUEUED)
    if waiting.exists() or not chunks_to_fit(system=system):
        return None
    return enqueue(
        principal=principal,
        kind=KIND,
        title=f"Fit the histories of {system.name}",
        parameters={},
        system=system,
    )


def fit_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that fits all histories of its system; resumed, it goes on with children that are not done."""
    try:
        if context.checkpoint:
            _resume_children(context)
        else:
            _make_children(context)
        while not _finished(context):
            if not _take_one(context):
                time.sleep(_POLL_SECONDS)
    except Cancelled:
        active = Job.objects.filter(parent_id=context.job_id, state__in=_ACTIVE)
        for pk in active.values_list("pk", flat=True):
            if not cancel_waiting(job_id=JobId(pk), now=timezone.now()):
                Job.objects.filter(pk=pk, state=Job.State.RUNNING).update(cancel_requested=True)
        raise
    failed = Job.objects.filter(parent_id=context.job_id).exclude(state=Job.State.DONE)
    if first := failed.order_by("pk").first():
        raise FitFailed(f"{failed.count()} parts ended early, the first one: {first.message or first.state}")
    done = Job.objects.filter(parent_id=context.job_id).values_list("result", flat=True)
    faults = [fault for result in done for fault in result["faults"]]
    for fault in faults[:100]:
        context.log(fault)
    return {"fitted": sum(result["fitted"] for result in done), "faults": len(faults)}


def fit_part(context: JobContext) -> dict[str, Any]:
    """The kind of job that fits the series that its parameters name."""
    fitted, faults = fit_series(
        system_id=context.parameters["system"],
        series_ids=context.parameters["series"],
        check=context.check,
        fence=context.fenced,
    )
    return {"fitted": fitted, "faults": faults}


def _make_children(context: JobContext) -> None:
    parent = Job.objects.select_related("system").get(pk=context.job_id)
    if parent.system is None:
        raise FitFailed("the job has no system")
    chunks = chunks_to_fit(system=parent.system)
    with context.fenced():
        rows = Job.objects.bulk_create(
            Job(
                kind=PART,
                title=f"{parent.title}: part {number} of {len(chunks)}"[-200:],
                parameters={"system": parent.system_id, "series": chunk},
                system=parent.system,
                parent=parent,
                created_by_id=parent.created_by_id,
            )
            for number, chunk in enumerate(chunks, start=1)
        )
        for row in rows:
            transaction.on_commit(partial(send, job_id=JobId(row.pk), queue=row.queue))
        context.save_checkpoint({"parts": len(rows)})


def _resume_children(context: JobContext) -> None:
    """Queue the children again that were cancelled or failed; those that are still running go on.

    One that was asked to stop is waited for: whether it has noticed, nobody can tell before it ends.
    """
    children = Job.objects.filter(parent_id=context.job_id)
    stopping = children.filter(state=Job.State.RUNNING, cancel_requested=True)
    while stopping.filter(lease_expires_at__gte=timezone.now()).exists():
        context.check()
        time.sleep(_POLL_SECONDS)
    with context.fenced():
        children.filter(state=Job.State.RUNNING).update(cancel_requested=False)
        ended = children.filter(state__in=ENDED_EARLY)
        again = list(ended.values_list("pk", "queue"))
        queue_again(ended)
        for pk, queue in again:
            transaction.on_commit(partial(send, job_id=JobId(pk), queue=queue))


def _finished(context: JobContext) -> bool:
    """Whether all children have ended; reports how many."""
    counts = Job.objects.filter(parent_id=context.job_id).aggregate(
        all=Count("pk"), active=Count("pk", filter=Q(state__in=_ACTIVE))
    )
    ended = counts["all"] - counts["active"]
    context.progress(ended / max(counts["all"], 1), f"{ended} of {counts['all']} parts fitted")
    return bool(counts["active"] == 0)


def _take_one(context: JobContext) -> bool:
    """Run a child that nobody runs, in this process; whether there was one."""
    waits = Q(state=Job.State.QUEUED) | Q(state=Job.State.RUNNING, lease_expires_at__lt=timezone.now())
    pk = (
        Job.objects.filter(waits, parent_id=context.job_id)
        .order_by("pk")
        .values_list("pk", flat=True)
        .first()
    )
    if pk is None:
        return False
    run_job(job_id=JobId(pk), kinds={PART: fit_part}, stop=STOP)
    return True
