"""Fitting the histories of a system as a job: children of about a hundred series each, shared by all workers.

The parent does not only wait: it takes every child that nobody else has taken. So one worker alone gets on, several
share the work, and a child whose worker died is taken up again.
"""

import time
from typing import Any, ClassVar

from django.db.models import Count, Q
from django.utils import timezone

from dashboard.access import Access, Principal, access_to
from dashboard.models import Job, System
from dashboard.selectors.history_list.region_costs import RegionContext
from dashboard.selectors.job_columns import JobRequest
from dashboard.services.histories.fits import chunks_to_fit, fit_series, queue_noticing
from dashboard.services.histories.region_searches import contexts_to_search, search_regions
from dashboard.services.jobs.context import Cancelled, JobContext, JobError
from dashboard.services.jobs.leases import takeable
from dashboard.services.jobs.queueing import (
    ENDED_EARLY,
    cancel,
    enqueue,
    new_job,
    queue_again,
    send_on_commit,
)
from dashboard.services.jobs.running import run_job

_POLL_SECONDS = 0.5


class FitRequest(JobRequest):
    """All histories of the job's system."""

    kind: ClassVar = "fit histories"


class PartRequest(JobRequest):
    """Some histories of the job's system: a part of another job."""

    kind: ClassVar = "fit some histories"

    series: tuple[int, ...] = ()
    # Where it is no part of the series: the configuration, workload and environment (ids) whose regions are searched.
    regions: tuple[int, int, int] | None = None


def queue_fits(*, access: Access) -> int | None:
    """Queue a job that fits what is missing or out of date; None where nothing is, or one waits already.

    Raises `Forbidden`.
    """
    system = access.system
    waiting = Job.objects.filter(kind=FitRequest.kind, system=system, state=Job.State.QUEUED)
    if waiting.exists() or not _parts(system):
        return None
    return enqueue(access, FitRequest(), title=f"Fit the histories of {system.name}")


def queue_outdated_fits(*, principal: Principal) -> None:
    """Queue the fits of every system that are missing, or of a former version of the method. Raises `Forbidden`."""
    for slug in System.objects.filter(series__isnull=False).distinct().values_list("slug", flat=True):
        queue_fits(access=access_to(principal, slug))


def fit_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that fits all histories of its system; resumed, it goes on with children that are not done."""
    try:
        if context.checkpoint:
            _resume_children(context)
        else:
            _make_children(context)
        while True:
            counts = context.job.children.aggregate(
                all=Count("pk"), active=Count("pk", filter=Q(state__in=Job.ACTIVE))
            )
            ended = counts["all"] - counts["active"]
            context.progress(ended / max(counts["all"], 1), f"{ended} of {counts['all']} parts fitted")
            if not counts["active"]:
                break
            if not _take_one(context):
                time.sleep(_POLL_SECONDS)
    except Cancelled:
        for child in list(context.job.children.filter(state__in=Job.ACTIVE)):
            cancel(child)
        raise
    failed = context.job.children.exclude(state=Job.State.DONE)
    if first := failed.order_by("pk").first():
        raise JobError(f"{failed.count()} parts ended early, the first one: {first.message or first.state}")
    done = context.job.children.values_list("result", flat=True)
    faults = [fault for result in done for fault in result["faults"]]
    for fault in faults[:100]:
        context.log(fault)
    queue_noticing(access=context.access)
    return {"fitted": sum(result["fitted"] for result in done), "faults": len(faults)}


def fit_part(context: JobContext) -> dict[str, Any]:
    """The kind of job that fits a part of the series, or searches the regions of one configuration."""
    part, system_id = PartRequest.of(context.job), context.access.system.pk
    if part.regions is not None:
        fitted, faults = search_regions(
            system_id=system_id,
            context=RegionContext(*part.regions),
            report=context.progress,
            fence=context.fenced,
        )
        return {"fitted": fitted, "faults": faults}
    fitted, faults = fit_series(
        system_id=system_id, series_ids=part.series, check=context.check, fence=context.fenced
    )
    return {"fitted": fitted, "faults": faults}


def _parts(system: System) -> list[PartRequest]:
    """What is missing or out of date: histories, then regions."""
    contexts = contexts_to_search(system=system)
    return [
        *(PartRequest(series=tuple(chunk)) for chunk in chunks_to_fit(system=system)),
        *(
            PartRequest(regions=(one.configuration_id, one.workload_id, one.environment_id))
            for one in contexts
        ),
    ]


def _make_children(context: JobContext) -> None:
    parent = context.job
    parts = _parts(context.access.system)
    with context.fenced():
        rows = Job.objects.bulk_create(
            new_job(
                part,
                f"{parent.title}: part {number} of {len(parts)}"[-200:],
                system=parent.system,
                parent=parent,
                created_by_id=parent.created_by_id,
            )
            for number, part in enumerate(parts, start=1)
        )
        for row in rows:
            send_on_commit(row)
        context.save_checkpoint({"parts": len(rows)})


def _resume_children(context: JobContext) -> None:
    """Queue the children again that were cancelled or failed; those that are still running go on.

    One that was asked to stop is waited for: whether it has noticed, nobody can tell before it ends.
    """
    children = context.job.children
    stopping = children.filter(state=Job.State.RUNNING, cancel_requested=True)
    while stopping.filter(lease_expires_at__gte=timezone.now()).exists():
        context.check()
        time.sleep(_POLL_SECONDS)
    with context.fenced():
        children.filter(state=Job.State.RUNNING).update(cancel_requested=False)
        ended = children.filter(state__in=ENDED_EARLY)
        again = list(ended)
        queue_again(ended)
        for job in again:
            send_on_commit(job)


def _take_one(context: JobContext) -> bool:
    """Run a child that nobody runs, in this process; whether there was one."""
    child = context.job.children.filter(takeable()).order_by("pk").first()
    if child is None:
        return False
    run_job(job_id=child.pk, kinds={PartRequest.kind: fit_part})
    return True
