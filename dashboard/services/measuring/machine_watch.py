"""Noticing that the machine is not as fast as it was: reference runs before, between and after the runs of a job."""

import time
from datetime import datetime
from itertools import pairwise

from django.utils import timezone

from dashboard.models import Batch, Run
from dashboard.services.jobs.context import JobContext
from runner.reference import reference_seconds

# Between two reference runs at most so many seconds of measuring.
EVERY_SECONDS = 300.0
# A reference run that takes so much longer than the batch's fastest one tells of a noisy machine.
TOLERANCE = 0.05
_TIMES = "reference_runs"


class MachineWatch:
    """The reference runs of one batch: kept in its manifest as [moment, seconds]."""

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
        if self._batch.runs.filter(started_at__isnull=False).exists():
            self._make()
            self._mark()

    def _make(self) -> None:
        taken = reference_seconds()
        self._last = time.monotonic()
        with self._context.fenced():
            times = self._batch.manifest.setdefault(_TIMES, [])
            times.append([timezone.now().isoformat(), taken])
            self._batch.save(update_fields=["manifest", "written_at"])

    def _mark(self) -> None:
        times = [(datetime.fromisoformat(at), taken) for at, taken in self._batch.manifest[_TIMES]]
        fastest = min(taken for _, taken in times)
        for (start, before), (end, after) in pairwise(times):
            slower = max(before, after) / fastest - 1
            if slower > TOLERANCE:
                with self._context.fenced():
                    self._batch.runs.filter(
                        started_at__range=(start, end), status=Run.Status.OK, message=""
                    ).update(
                        message=f"noisy machine: a reference run took {slower:.0%} longer than the fastest"
                    )
                self._context.log(
                    f"the machine was noisy from {start:%H:%M} to {end:%H:%M}: "
                    f"a reference run took {slower:.0%} longer"
                )
