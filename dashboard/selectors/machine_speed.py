"""How fast the machine was when runs were made, by the reference runs beside them."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from django.conf import settings
from django.db.models import Case, F, FloatField, Q, Subquery, When
from numpy.typing import NDArray

from analytics.machine_speed import adjustments, disturbance, usual_time
from dashboard.models import Batch, Metric, Point, Run, Series
from runner.machine_state import LOADED, OTHERS, SLOWED, STOLEN, MachineStrain

# Of a measurement, by the clock of its metric: what the reference runs before and after it took, multiplied; null without.
REFERENCE_SQUARE = Case(
    *(
        When(
            metric__clock=clock, then=F(f"run__reference_{clock}_before") * F(f"run__reference_{clock}_after")
        )
        for clock in (Metric.Clock.CPU.value, Metric.Clock.WALL.value)
    ),
    output_field=FloatField(),
)
# The newest runs of an environment tell what is usual: machines get other kernels, and other neighbours.
_NEWEST = 200
# The reference columns of a run, by clock.
REFERENCE_COLUMNS = {
    clock.value: (f"reference_{clock.value}_before", f"reference_{clock.value}_after")
    for clock in (Metric.Clock.CPU, Metric.Clock.WALL)
}
# From here on "1.5 times slower" says more than "50 % slower".
_TIMES = 1.5
# What the words of `disturbance_in_words` begin with.
DISTURBED = ("the machine ran ", "the machine changed its speed", "other programs were on the core")
Usual = Mapping[str, tuple[float, float] | None]


def usual_reference(environment_id: int) -> Usual:
    """The usual time of a reference run in an environment with its scatter, by clock; None where too few tell. One query."""
    runs = Run.objects.filter(
        environment_id=environment_id, kind=Run.Kind.PLAIN, reference_cpu_before__isnull=False
    ).order_by("-pk")
    # Times of another interpreter's reference runs are not comparable.
    runs = runs.filter(reference_program=Subquery(runs.values("reference_program")[:1]))
    columns = [column for pair in REFERENCE_COLUMNS.values() for column in pair]
    rows = np.array(list(runs.values_list(*columns)[:_NEWEST]), dtype=float)
    return {
        clock: usual_time(times[times > 0])
        for clock, times in zip(
            REFERENCE_COLUMNS, np.split(rows.reshape(-1, len(columns)), 2, axis=1), strict=True
        )
    }


def adjusted_values(
    values: Sequence[float], squares: Sequence[float | None], programs: Sequence[str], cells: Sequence[object]
) -> list[float]:
    """Times of one series without what the machine's speed did to them, as far as the reference runs beside them tell.

    `squares` are of `REFERENCE_SQUARE`, `programs` tell which reference runs, `cells` which revision. They stay as they are
    where that does not help, and where the setting says so.
    """
    if not settings.ADJUST_TIMES or not any(squares):
        return list(values)
    times = np.array(values, dtype=float)
    references = np.sqrt(np.array(squares, dtype=float))
    numbers = [np.unique(list(map(str, names)), return_inverse=True)[1] for names in (programs, cells)]
    return list(map(float, times * adjustments(times, references, *numbers)))


def slower_than_usual(run: Run, usual: Usual | None) -> float | None:
    """How much longer the reference runs beside a run took than usual, a share, by CPU time; None where unknown."""
    level = usual and usual[Metric.Clock.CPU.value]
    if not level or not run.reference_cpu_before or not run.reference_cpu_after:
        return None
    return float((run.reference_cpu_before * run.reference_cpu_after) ** 0.5) / level[0] - 1


def disturbance_in_words(run: Run, usual: Usual) -> str:
    """What disturbed the machine at a run: "the machine ran 1.8 times slower than usual"; "" where nothing is known to."""
    for clock, columns in REFERENCE_COLUMNS.items():
        before, after = (getattr(run, column) for column in columns)
        level = usual[clock]
        found = disturbance(before, after, level) if level and before and after else None
        if found is None:
            continue
        slower, changed = found
        amount = f"{slower:.1f} times" if slower >= _TIMES else f"{100 * (slower - 1):.0f} %"
        if clock == Metric.Clock.WALL:
            return f"other programs were on the core: a reference run took {amount} longer than usual"
        if changed:
            return f"the machine changed its speed: it ran up to {amount} slower than usual"
        return f"the machine ran {amount} slower than usual"
    return ""


def strain_of(run: Run) -> MachineStrain:
    """What the machine was busy with besides a run."""
    return MachineStrain(
        run.machine_load,
        run.machine_frequency,
        run.machine_others,
        run.machine_stolen,
        run.machine_throttled,
    )


def strained() -> Q:
    """The condition that anything of a run's `strain_of` is worth a word."""
    return (
        Q(machine_load__gte=LOADED)
        | Q(machine_frequency__lt=SLOWED)
        | Q(machine_others__gte=OTHERS)
        | Q(machine_stolen__gte=STOLEN)
        | Q(machine_throttled__gt=0)
    )


def reference_histories(
    series_ids: Collection[int], positions: Mapping[int, int]
) -> dict[int, tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """The positions (n,) of each series' environment and workload, ascending, and what a reference run took there, (n,) seconds.

    `positions` are by the id of the revision. Of series of times alone, out of which the machine's speed was not taken
    already; of the reference program that most revisions have. Three queries.
    """
    of_times = Series.objects.filter(pk__in=series_ids, metric__clock__in=REFERENCE_COLUMNS)
    wanted = {
        pk: (environment, workload, clock)
        for pk, environment, workload, clock in of_times.values_list(
            "pk", "environment_id", "workload_id", "metric__clock"
        )
    }
    if not wanted:
        return {}
    columns = [column for pair in REFERENCE_COLUMNS.values() for column in pair]
    # A workload is of one system.
    runs = Run.objects.filter(
        batch__state=Batch.State.VISIBLE,
        kind=Run.Kind.PLAIN,
        status=Run.Status.OK,
        invalid_reason="",
        workload_id__in={workload for _, workload, _ in wanted.values()},
        reference_cpu_before__isnull=False,
    )
    times: dict[tuple[int, int, str], dict[str, dict[int, list[float]]]] = {}
    for environment, workload, revision, program, *values in runs.values_list(
        "environment_id", "workload_id", "revision_id", "reference_program", *columns
    ):
        for clock, pair in zip(REFERENCE_COLUMNS, (values[:2], values[2:]), strict=True):
            if revision in positions and all(pair):
                by_program = times.setdefault((environment, workload, clock), {})
                of_program = by_program.setdefault(program, {})
                of_program.setdefault(positions[revision], []).append(float(np.sqrt(pair[0] * pair[1])))
    found = {}
    for key, by_program in times.items():
        most = max(by_program.values(), key=len)
        medians = [float(np.median(most[position])) for position in sorted(most)]
        found[key] = np.array(sorted(most), dtype=np.int64), np.array(medians)
    beside = {pk: found[key] for pk, key in wanted.items() if key in found}
    if not beside:
        # Of thousands of benchmarks without reference runs no point is read.
        return {}
    moved = Point.objects.filter(series_id__in=beside).exclude(adjustment=0.0)
    adjusted = set(moved.values_list("series_id", flat=True).distinct())
    return {pk: history for pk, history in beside.items() if pk not in adjusted}
