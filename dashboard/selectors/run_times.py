"""How long runs take from start to start, from those that were made. For services, behind their check."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import TypeAlias

from dashboard.models import Batch, CountedRun, Run, System

# The newest runs: the machine may have become faster or slower.
_LOOKED_AT = 400
# Batch, start and repetition of a run.
_Start: TypeAlias = tuple[int, datetime | None, int]


@dataclass(frozen=True, slots=True)
class RunSeconds:
    """What a run takes from its start to the start of the next, and what a run that only counts takes between two."""

    run: float
    counting: float


def seconds_per_run(*, system: System, workload: str, profile: bool) -> RunSeconds | None:
    """The medians of the newest runs; None where no two runs tell.

    Warm-up, profiled call and start of the process are in it. Batches measured with the same choice of profiling
    are preferred. Where no batch counted, counting is taken to take as long as a run. Four queries at most.
    """
    runs = (
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
    alike = list(runs.filter(batch__manifest__profile=profile)[:_LOOKED_AT])
    return _medians(alike) or _medians(list(runs[:_LOOKED_AT]))


def unmeasured(*, system: System, revisions: Collection[str]) -> int:
    """How many of these revisions have no run yet; one query."""
    known = (
        Run.objects.filter(batch__system=system, revision__name__in=revisions)
        .values_list("revision__name", flat=True)
        .distinct()
    )
    return len(set(revisions) - set(known))


def _medians(starts: list[_Start]) -> RunSeconds | None:
    """The median gaps between neighbours of one batch; `starts` come newest first.

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
        return None if half is None else RunSeconds(half, half)
    run = median(alone)
    return RunSeconds(run, max(median(with_counting) - run, 0.0) if with_counting else run)
