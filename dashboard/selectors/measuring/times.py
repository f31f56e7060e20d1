"""How long runs take from start to start, from those that were made. For services, behind their check."""

from collections.abc import Collection
from datetime import datetime
from itertools import pairwise
from statistics import median

from dashboard.models import Batch, Run, System

# The newest runs: the machine may have become faster or slower.
_LOOKED_AT = 400


def seconds_per_run(*, system: System, workload: str, profile: bool) -> float | None:
    """The median time from the start of one run to the start of the next; None where no two runs tell.

    Warm-up, profiled call and start of the process are in it. Batches measured with the same choice of profiling
    are preferred. Two queries at most.
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
        .values_list("batch_id", "started_at")
    )
    alike = list(runs.filter(batch__manifest__profile=profile)[:_LOOKED_AT])
    return _median_gap(alike) or _median_gap(list(runs[:_LOOKED_AT]))


def seconds_per_revision(*, system: System, workload: str, repetitions: int) -> float | None:
    """What it should take to build a revision and to run it so often; None where nothing tells.

    The median of what the newest tracking of the workload took for one, else that of the runs alone. Four queries at
    most.
    """
    batches = Batch.objects.filter(
        system=system, format="track", state=Batch.State.VISIBLE, manifest__workload=workload
    )
    newest = batches.order_by("-pk").values_list("manifest", flat=True).first()
    steps = [] if newest is None else newest["trail"]
    taken: list[float] = [step["seconds"] for step in steps if step["outcome"] == "measured"]
    if newest is not None and taken and newest.get("repetitions") == repetitions:
        return median(taken)
    each = seconds_per_run(system=system, workload=workload, profile=False)
    return None if each is None else each * repetitions


def unmeasured(*, system: System, revisions: Collection[str]) -> int:
    """How many of these revisions have no run yet; one query."""
    known = (
        Run.objects.filter(batch__system=system, revision__name__in=revisions)
        .values_list("revision__name", flat=True)
        .distinct()
    )
    return len(set(revisions) - set(known))


def _median_gap(starts: list[tuple[int, datetime | None]]) -> float | None:
    """The median gap, in seconds, between neighbours of one batch; `starts` come newest first."""
    gaps = [
        (later - earlier).total_seconds()
        for (batch, later), (other, earlier) in pairwise(starts)
        if batch == other and later is not None and earlier is not None
    ]
    return median(gaps) if gaps else None
