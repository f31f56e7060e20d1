"""Fitting the histories of a system as a job in parts of up to a thousand series each, shared by all workers."""

from collections.abc import Callable
from itertools import chain
from typing import Any, ClassVar

from pydantic import BaseModel

from dashboard.access import Access, Principal, access_to
from dashboard.models import Job, System
from dashboard.selectors.history_list.region_costs import RegionContext
from dashboard.selectors.job_columns import JobRequest
from dashboard.services.histories import fits
from dashboard.services.histories.region_searches import contexts_to_search, search_regions
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.parts import run_parts
from dashboard.services.jobs.queueing import enqueue

# Series of a part at most: ten seconds or so. Of fewer series so many parts are made, for as many workers to share.
SERIES_OF_PART = 1_000
_PARTS = 8


class FitRequest(JobRequest):
    """All histories of the job's system, so many of them at most in a part."""

    kind: ClassVar = "fit histories"

    series_of_part: int = SERIES_OF_PART


class PartRequest(JobRequest):
    """Some histories of the job's system: a part of another job."""

    kind: ClassVar = "fit some histories"

    series: tuple[int, ...] = ()
    # Where it is no part of the series: the configuration, workload and environment (ids) whose regions are searched.
    regions: tuple[int, int, int] | None = None


class PartCheckpoint(BaseModel):
    """Of a part: how many of its series were tried, how many fitted, and why the others could not be."""

    tried: int = 0
    fitted: int = 0
    faults: tuple[str, ...] = ()


def queue_fits(*, access: Access, series_of_part: int = SERIES_OF_PART) -> int | None:
    """Queue a job that fits what is missing or out of date; None where nothing is, or one waits already.

    Raises `Forbidden`.
    """
    system = access.system
    request = FitRequest(series_of_part=series_of_part)
    waiting = Job.objects.filter(kind=FitRequest.kind, system=system, state=Job.State.QUEUED)
    if waiting.exists() or not _parts(system, request):
        return None
    return enqueue(access, request, title=f"Fit the histories of {system.name}")


def queue_outdated_fits(*, principal: Principal) -> None:
    """Queue the fits of every system that are missing, or of a former version of the method. Raises `Forbidden`."""
    for slug in System.objects.filter(series__isnull=False).distinct().values_list("slug", flat=True):
        queue_fits(access=access_to(principal, slug))


def fit_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that fits all histories of its system; resumed, it goes on with parts that are not done."""
    system, request = context.access.system, FitRequest.of(context.job)
    done = run_parts(context, lambda: _parts(system, request), fit_part)
    faults = [fault for result in done for fault in result["faults"]]
    for fault in faults[:100]:
        context.log(fault)
    fits.queue_noticing(access=context.access)
    return {"fitted": sum(result["fitted"] for result in done), "faults": len(faults)}


def fit_part(context: JobContext, tell: Callable[[], None] = lambda: None) -> dict[str, Any]:
    """The kind of job that fits a part of the series, or searches the regions of one configuration.

    Series are fitted and stored some hundred at a time; resumed, it goes on behind those. `tell` is called again and again.
    """
    part, system_id = PartRequest.of(context.job), context.access.system.pk

    def report(share: float, message: str) -> None:
        context.progress(share, message)
        tell()

    if part.regions is not None:
        fitted, faults = search_regions(
            system_id=system_id,
            context=RegionContext(*part.regions),
            report=report,
            fence=context.fenced,
        )
        return {"fitted": fitted, "faults": faults}
    return _fit(context, part.series, report)


def _fit(
    context: JobContext, series: tuple[int, ...], report: Callable[[float, str], None]
) -> dict[str, Any]:
    known = PartCheckpoint.model_validate(context.checkpoint)
    while left := series[known.tried :][: fits.GROWING_TOGETHER]:
        at, some = known.tried, left[: fits.together(left)]

        def check() -> None:
            nonlocal at
            report(min(at / len(series), 1.0), f"{at} of {len(series)} histories")
            at += 1

        fitted, faults = fits.fit_series(
            system_id=context.access.system.pk, series_ids=some, check=check, fence=context.fenced
        )
        known = PartCheckpoint(
            tried=known.tried + len(some), fitted=known.fitted + fitted, faults=(*known.faults, *faults)
        )
        context.save_checkpoint(known.model_dump(mode="json"))
    return known.model_dump(mode="json", include={"fitted", "faults"})


def _parts(system: System, request: FitRequest) -> list[PartRequest]:
    """What is missing or out of date: histories, then regions."""
    series = list(chain.from_iterable(fits.chunks_to_fit(system=system)))
    size = min(request.series_of_part, max(fits.TOGETHER, -(-len(series) // _PARTS)))
    contexts = contexts_to_search(system=system)
    return [
        *(PartRequest(series=tuple(series[at : at + size])) for at in range(0, len(series), size)),
        *(
            PartRequest(regions=(one.configuration_id, one.workload_id, one.environment_id))
            for one in contexts
        ),
    ]
