"""Comparing the kernels of a history as a job, and keeping the one that a person chose."""

from typing import Any

from django.db import transaction

from analytics.histories.errors import HistoryError
from analytics.histories.settings import Kernel
from dashboard.access import Access, NotFound, Permission
from dashboard.models import Series
from dashboard.selectors.histories.curves import load_curves
from dashboard.selectors.histories.kernels import (
    NAMES,
    STANDARD,
    ComparedKernel,
    KernelComparison,
    KernelRequest,
    compared,
    kernel_title,
    newest_comparison,
    stored_comparison,
    stored_kernel,
)
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import BROWNIAN
from dashboard.selectors.histories.series import get_series
from dashboard.services.data_versions import bump
from dashboard.services.jobs.context import JobContext, JobError
from dashboard.services.jobs.queueing import enqueue


def compare_kernels(*, access: Access, request: KernelRequest) -> int:
    """Queue the comparison of kernels for a history. Needs the role editor. Raises `NotFound` and `Forbidden`."""
    access.check(Permission.EDIT)
    if unknown := [name for name in request.also if name not in NAMES]:
        raise NotFound(f"there is no kernel {unknown[0]!r}: choose from {', '.join(NAMES)}")
    series = get_series(system=access.system, series_id=request.series_id)
    return enqueue(access, request, title=f"Compare kernels for {series.label} of {access.system.name}")


def compare_in_job(context: JobContext) -> dict[str, Any]:
    """The kind of job that fits every kernel to one history and judges each by the revisions left out."""
    request = KernelRequest.of(context.job)
    system = context.access.system
    series = get_series(system=system, series_id=request.series_id)
    curve = load_curves(system, [series], ordered_revisions(system=system))[series.series_id]
    also = tuple(Kernel(name) for name in NAMES if name in request.also)
    wanted = dict.fromkeys((*STANDARD, also) if also else STANDARD)
    found: list[ComparedKernel] = []
    faults: dict[str, str] = {}
    for number, kernels in enumerate(wanted):
        context.check()
        context.progress(number / len(wanted), f"fitting {kernel_title(tuple(kernels))}")
        try:
            found.append(compared(curve, kernels))
        except HistoryError as error:
            faults["+".join(kernels)] = str(error)
    if not found:
        raise JobError(next(iter(faults.values())))
    found.sort(key=lambda one: one.log_score, reverse=True)
    context.progress(1.0, f"{kernel_title(found[0].choice.kernels)} predicts revisions left out best")
    return stored_comparison(KernelComparison(series.data_version, len(curve.points), tuple(found), faults))


def choose_kernel(*, access: Access, series_id: int, name: str) -> None:
    """Keep the kernel of that name with a history: one of its newest comparison, or Brownian motion.

    Stored fits of the history are out of date then. Needs the role editor. Raises `Forbidden`, and `NotFound` for a kernel
    that was not compared.
    """
    access.check(Permission.EDIT)
    comparison, _ = newest_comparison(access.system, series_id)
    choices = {BROWNIAN.name: BROWNIAN}
    if comparison is not None:
        choices |= {key: one.choice for key, one in comparison.by_name.items()}
    if name not in choices:
        raise NotFound(f"the kernel {name!r} was not compared for this history: compare the kernels first")
    with transaction.atomic():
        changed = Series.objects.filter(system=access.system, pk=series_id).update(
            kernel=stored_kernel(choices[name])
        )
        if not changed:
            raise NotFound(f"there is no series {series_id} in {access.slug!r}")
        bump(system=access.system, series=[series_id])
