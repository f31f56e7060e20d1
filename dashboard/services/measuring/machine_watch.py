"""Noticing that the machine is not as it was: reference runs before, between and after the runs of a job, and its clock."""

import time
from itertools import pairwise

from django.utils import timezone

from dashboard.models import Batch, Run
from dashboard.selectors.batch_manifests import manifest_of, save_manifest
from dashboard.services.jobs.context import JobContext
from runner.reference import reference_seconds

# Between two reference runs at most so many seconds of measuring.
EVERY_SECONDS = 300.0
# A reference run that takes so much longer than the batch's fastest one tells of a noisy machine.
TOLERANCE = 0.05
# Within a run, the clock of the machine may run ahead of steady time, or behind it, by so much.
CLOCK_SECONDS = 1.0


def clock_offset() -> float:
    """How far the machine's clock is ahead of steady time, in seconds: it moves where the clock is set, or the machine slept.

    Times are taken by clocks that do not jump, but whatever ran meanwhile may have been stopped, or begun at a moment
    that is wrong.
    """
    return time.time() - time.monotonic()


class MachineWatch:
    """The reference runs of one batch: kept in its manifest.

    Runs are identified by their ids, not by moments: a clock may jump.
    """

    def __init__(self, context: JobContext, batch: Batch) -> None:
        self._context = context
        self._batch = batch
        self._last = -EVERY_SECONDS

    def look(self) -> None:
        """Make a reference run if the last one is a while ago. Raises as `JobContext.check`."""
        if time.monotonic() - self._last >= EVERY_SECONDS:
            self._make()

    def close(self) -> None:
        """Make the last reference run, and mark the runs between noisy ones: they stay valid, and say so."""
        if not self._batch.runs.filter(started_at__isnull=False).exists():
            return
        self._make()
        times = manifest_of(self._batch).reference_runs
        fastest = min(taken for _, taken, _ in times)
        for (start, before, first), (end, after, last) in pairwise(times):
            slower = max(before, after) / fastest - 1
            if slower > TOLERANCE:
                with self._context.fenced():
                    self._batch.runs.filter(
                        pk__gt=first, pk__lte=last, status=Run.Status.OK, message=""
                    ).update(
                        message=f"noisy machine: a reference run took {slower:.0%} longer than the fastest"
                    )
                self._context.log(
                    f"the machine was noisy from {start[11:16]} to {end[11:16]}: "
                    f"a reference run took {slower:.0%} longer"
                )

    def _make(self) -> None:
        taken = reference_seconds()
        self._last = time.monotonic()
        newest = self._batch.runs.order_by("-pk").values_list("pk", flat=True).first()
        with self._context.fenced():
            earlier = manifest_of(self._batch).reference_runs
            made = (timezone.now().isoformat(), taken, newest or 0)
            save_manifest(self._batch, reference_runs=(*earlier, made))
