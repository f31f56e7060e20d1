"""Runs to read: those of a cell of the plan, those that failed, and how long runs take from start to start."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, TypeAlias

from django.db.models import Count, Max, Q, QuerySet

from dashboard.access import Access, NotFound
from dashboard.models import Configuration, CountedRun, Measurement, Metric, Run, System
from dashboard.selectors.batch_manifests import BatchManifest, manifest_of, measured_with
from dashboard.selectors.configurations import options_of_several_levels, words
from dashboard.selectors.end_to_end import MeasurementContext
from dashboard.selectors.jobs import MEASURED
from dashboard.selectors.machine_speed import Usual, slower_than_usual, strain_of, usual_reference
from dashboard.selectors.systems import EXECUTED, visible_runs
from runner.machine_state import MachineState, MachineStrain

# The end of an output that a list shows.
_TAIL = 6_000


# The newest runs: the machine may have become faster or slower.
_LOOKED_AT = 400
# Batch, start and repetition of a run.
_Start: TypeAlias = tuple[int, datetime | None, int]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One execution. `run_ids` are the rows it is stored as: a profiled one may stand beside the plain one.

    Times are in seconds, None where none was stored; `configuration` is in words, `status` of the plain run. `slower` is
    how much longer reference runs beside it took than usual, a share, None where that is not known. `machine` are the states of
    the machine at the begin and the end of its batch, `phases` what it did meanwhile (`MachinePhases.as_numbers`); `strain` is what it
    was busy with during this run, `sandbox` what it was made in.
    """

    run_ids: tuple[int, ...]
    batch_id: int
    revision: str
    configuration: str
    workload: str
    environment: str
    repetition: int
    kinds: tuple[str, ...]
    status: str
    message: str
    output: str
    started_at: datetime | None
    wall_seconds: float | None
    cpu_seconds: float | None
    slower: float | None
    invalid_reason: str
    invalidated_by: str
    machine: tuple[MachineState, ...] = ()
    phases: Mapping[str, float] = field(default_factory=dict)
    sandbox: tuple[str, ...] = ()
    strain: MachineStrain = field(default_factory=MachineStrain)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are asked for; what is empty asks for all. `configuration` is an identity."""

    revision: str = ""
    configuration: str = ""
    batch_id: int | None = None
    run_ids: tuple[int, ...] = ()
    failed: bool = False
    invalid: bool = False

    @property
    def asks(self) -> bool:
        """Whether anything is asked for but everything."""
        return self != RunFilter()


@dataclass(frozen=True, slots=True)
class FailureRow:
    """Failed runs of one revision that say the same, of which `newest` is one; `output` is the end of what one printed."""

    newest: Run
    configurations: int
    configuration: str
    runs: int
    output: str


def list_runs(
    *, access: Access, wanted: RunFilter, limit: int = 200, offset: int = 0
) -> tuple[tuple[RunRow, ...], int]:
    """Runs of a system, the newest batches first, and how many stored runs of that kind there are in all.

    `limit` stored runs at most, after the first `offset`. The number of queries does not grow with the runs, only with their environments.
    """
    runs = _filtered(access.system, wanted)
    total = runs.count()
    found = list(
        runs.select_related(
            "batch", "revision", "configuration", "workload", "environment", "invalidated_by"
        ).order_by("-batch_id", "revision_id", "configuration_id", "repetition", "kind", "pk")[
            offset : offset + limit
        ]
    )
    # The end-to-end seconds of runs by clock.
    times: dict[int, dict[str, float]] = defaultdict(dict)
    timed = Measurement.objects.filter(run__in=[run.pk for run in found], metric__unit__in=("s", "seconds"))
    for run_id, clock, value in timed.values_list("run_id", "metric__clock", "value"):
        times[run_id][clock] = value
    executions: dict[tuple[Any, ...], list[Run]] = defaultdict(list)
    for run in found:
        # A plain and a profiled run of one measuring job are the same execution.
        apart = "" if run.batch.format == MEASURED else run.kind
        context = MeasurementContext(run.revision_id, run.workload_id, run.environment_id)
        executions[run.batch_id, context, run.configuration_id, run.repetition, apart].append(run)
    several = options_of_several_levels(access.system)
    environments = {run.environment_id for run in found if run.reference_cpu_before}
    usual = {pk: usual_reference(pk) for pk in environments}
    manifests = {
        run.batch_id: manifest_of(run.batch) for run in {run.batch_id: run for run in found}.values()
    }
    return tuple(
        _row(rows, times, several, usual, manifests[rows[0].batch_id]) for rows in executions.values()
    ), total


def find_runs(*, access: Access, wanted: RunFilter) -> tuple[int, ...]:
    """The ids of all runs that are asked for. Raises `NotFound`, also for ids that the system does not have."""
    found = tuple(_filtered(access.system, wanted).order_by("pk").values_list("pk", flat=True))
    missing = set(wanted.run_ids) - set(found)
    if missing:
        raise NotFound(f"{access.slug!r} has no such run {', '.join(map(str, sorted(missing)))}")
    return found


def failures(*, access: Access, limit: int = 20) -> tuple[FailureRow, ...]:
    """The failed runs that count, alike ones together, the newest first. Constant number of queries."""
    failed = _filtered(access.system, RunFilter(failed=True)).filter(EXECUTED, invalid_reason="")
    groups = list(
        failed.order_by()
        .values("revision_id", "status", "message")
        .annotate(
            newest=Max("pk"),
            telling=Max("pk", filter=~Q(output_tail="")),
            runs=Count("pk"),
            configurations=Count("configuration", distinct=True),
        )
        .order_by("-newest")[:limit]
    )
    shown = {group[name] for group in groups for name in ("newest", "telling") if group[name]}
    runs = Run.objects.select_related("revision", "configuration").in_bulk(shown)
    several = options_of_several_levels(access.system)
    return tuple(
        FailureRow(
            newest=newest,
            configurations=group["configurations"],
            configuration=_words(newest.configuration, several),
            runs=group["runs"],
            output=runs[group["telling"]].output_tail[-_TAIL:] if group["telling"] else "",
        )
        for group, newest in ((group, runs[group["newest"]]) for group in groups)
    )


def _filtered(system: System, wanted: RunFilter) -> QuerySet[Run]:
    asked = {
        "revision__name": wanted.revision,
        "configuration__identity": wanted.configuration,
        "batch_id": wanted.batch_id,
        "pk__in": wanted.run_ids,
    }
    given = {column: value for column, value in asked.items() if value not in {"", None, ()}}
    runs = visible_runs(system).filter(**given)
    if wanted.failed:
        runs = runs.exclude(status=Run.Status.OK)
    if wanted.invalid:
        runs = runs.exclude(invalid_reason="")
    return runs


def _row(
    rows: list[Run],
    times: dict[int, dict[str, float]],
    several: Collection[str],
    usual: Mapping[int, Usual],
    manifest: BatchManifest,
) -> RunRow:
    first = rows[0]
    return RunRow(
        run_ids=tuple(run.pk for run in rows),
        batch_id=first.batch_id,
        revision=first.revision.name,
        configuration=_words(first.configuration, several),
        workload=first.workload.name,
        environment=first.environment.name,
        repetition=first.repetition,
        kinds=tuple(run.kind for run in rows),
        status=first.status,
        message=first.message,
        output=first.output_tail[-_TAIL:],
        started_at=first.started_at,
        wall_seconds=times[first.pk].get(Metric.Clock.WALL),
        cpu_seconds=times[first.pk].get(Metric.Clock.CPU),
        slower=slower_than_usual(first, usual.get(first.environment_id)),
        invalid_reason=first.invalid_reason,
        invalidated_by=first.invalidated_by.get_username() if first.invalidated_by else "",
        machine=manifest.machine,
        phases=manifest.phases,
        sandbox=manifest.sandbox,
        strain=strain_of(first),
    )


def _words(configuration: Configuration, several: Collection[str]) -> str:
    return configuration.name or words(configuration.assignments, several)


def estimate_seconds(
    *, system: System, workload: str, profile: bool, runs: int, countings: int = 0
) -> float | None:
    """How long so many timed runs and runs that only count should take, from start to start; None where nothing tells.

    From the medians of the newest runs: warm-up, profiled call and start of the process are in them. Batches measured
    with the same choice of profiling are preferred. Where no batch counted, counting is taken to take as long as a run.
    Four queries at most.
    """
    starts = (
        visible_runs(system)
        .filter(workload__name=workload, kind=Run.Kind.PLAIN, started_at__isnull=False)
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
