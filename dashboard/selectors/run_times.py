"""How long runs take from start to start, from those that were made. For services, behind their check."""

from collections.abc import Collection
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from dashboard.models import Batch, CountedRun, Run, System
from dashboard.selectors.batch_manifests import measured_with

# The newest runs: the machine may have become faster or slower.
_LOOKED_AT = 400
# Batch, start and repetition of a run.
_Start: TypeAlias = tuple[int, datetime | None, int]


def estimate_seconds(
    *, system: System, workload: str, profile: bool, runs: int, countings: int = 0
) -> float | None:
    """How long so many timed runs and runs that only count should take, from start to start; None where nothing tells.

    From the medians of the newest runs: warm-up, profiled call and start of the process are in them. Batches measured
    with the same choice of profiling are preferred. Where no batch counted, counting is taken to take as long as a run.
    Four queries at most.
    """
    starts = (
        Run.objects.filter(
            batch__system=system,
            batch__state=Batch.State.VISIBLE,
            workload__name=workload,
            kind=Run.Kind.PLAIN,
            started_at__isnull=False,
        )
        .order_by("-started_at")
        .values_list("batch_id", "started_at", "repetition")
    )
    alike = list(starts.filter(measured_with(path="batch__", profile=profile))[:_LOOKED_AT])
    medians = _medians(alike) or _medians(list(starts[:_LOOKED_AT]))
    return None if medians is None else medians[0] * runs + medians[1] * countings


def unmeasured(*, system: System, revisions: Collection[str]) -> int:
    """How many of these revisions have no run yet; one query."""
    known = (
        Run.objects.filter(batch__system=system, revision__name__in=revisions)
        .values_list("revision__name", flat=True)
        .distinct()
    )
    return len(set(revisions) - set(known))


def _medians(starts: list[_Start]) -> tuple[float, float] | None:
    """The median gaps, in seconds, after a run and after a run that counts; `starts` come newest first.

    Gaps are between neighbours of one batch.

    In a batch that counts, the counting run of a configuration comes after its first repetition.
    """
    countings = CountedRun.objects.filter(batch_id__in={batch for batch, *_ in starts})
    # Each batch once, in no order: there may be thousands of countings.
    counted = set(countings.order_by().values_list("batch_id", flat=True).distinct())
    alone: list[float] = []
    with_counting: list[float] = []
    for (batch, later, _), (other, earlier, repetition) in pairwise(starts):
        if batch == other and later is not None and earlier is not None:
            gaps = with_counting if batch in counted and repetition == 1 else alone
            gaps.append((later - earlier).total_seconds())
    if not alone:
        # One repetition of each only: both together are known, and are about alike.
        half = median(with_counting) / 2 if with_counting else None
        return None if half is None else (half, half)
    run = median(alone)
    return run, max(median(with_counting) - run, 0.0) if with_counting else run
