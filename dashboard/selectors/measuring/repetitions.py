"""What the runs of a job say of the times of its cells, for repetitions as needed: by CPU time, as `bisect` and `track`."""

from collections.abc import Sequence

import numpy as np
from django.db.models import QuerySet

from analytics.histories.measurements import FloatArray, IntArray
from analytics.repetitions import half_widths
from dashboard.models import Measurement, Metric, Run, System
from dashboard.selectors.systems import visible_runs

# The newest runs: the machine may have become faster or slower.
_LOOKED_AT = 400


def cell_widths(
    *, batch_id: int, cells: Sequence[tuple[str, str]], before: int | None = None
) -> tuple[IntArray, FloatArray]:
    """How often each cell (revision, identity of the configuration) was run, and the half-widths of their intervals.

    Only repetitions `before` this one count, where it is given. Two queries.
    """
    place = {cell: at for at, cell in enumerate(cells)}
    runs = Run.objects.filter(batch_id=batch_id, kind=Run.Kind.PLAIN)
    if before is not None:
        runs = runs.filter(repetition__lt=before)
    rows = runs.order_by("pk").values_list("pk", "revision__name", "configuration__identity")
    found = [(pk, place[cell]) for pk, *names in rows if (cell := tuple(names)) in place]
    seconds = _seconds(runs)
    made = np.bincount([at for _, at in found], minlength=len(cells))
    told = [(seconds[pk], at) for pk, at in found if pk in seconds]
    times, places = np.array([time for time, _ in told]), np.array([at for _, at in told], dtype=np.int64)
    return made, half_widths(times, places, len(cells))


def earlier_times(*, system: System, workload: str) -> tuple[FloatArray, IntArray]:
    """The times of the newest runs of a workload, in seconds, and their cells from 0. Two queries."""
    runs = visible_runs(system).filter(workload__name=workload, kind=Run.Kind.PLAIN)
    newest = runs.order_by("-pk").values_list("pk", "batch_id", "revision_id", "configuration_id")
    rows = list(newest[:_LOOKED_AT])
    seconds = _seconds(Run.objects.filter(pk__in=[row[0] for row in rows]))
    cells: dict[tuple[int, ...], int] = {}
    told = [(seconds[pk], cells.setdefault(tuple(cell), len(cells))) for pk, *cell in rows if pk in seconds]
    return np.array([time for time, _ in told]), np.array([at for _, at in told], dtype=np.int64)


def _seconds(runs: QuerySet[Run]) -> dict[int, float]:
    """The CPU times of those runs that count. A run that was too quick for the clock tells nothing."""
    clock = {
        "metric__quantity": "time",
        "metric__unit": "s",
        "metric__clock": Metric.Clock.CPU,
        "value__gt": 0,
    }
    good = runs.filter(status=Run.Status.OK, invalid_reason="").order_by()
    return dict(Measurement.objects.filter(run__in=good, **clock).values_list("run_id", "value"))
