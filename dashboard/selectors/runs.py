"""Runs to read: those of a cell of the plan, those that failed, and finding a configuration by its words."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from dashboard.access import Access, NotFound
from dashboard.models import Batch, Configuration, Level, Measurement, Metric, Run, System
from dashboard.selectors.histories.series import options_of_several_levels, words
from dashboard.selectors.jobs import MEASURED
from dashboard.selectors.measurement_contexts import MeasurementContext
from dashboard.selectors.systems import EXECUTED

# The end of an output that a list shows.
_TAIL = 6_000


@dataclass(frozen=True, slots=True)
class RunRow:
    """One execution. `run_ids` are the rows it is stored as: a profiled one may stand beside the plain one.

    Times are in seconds, None where none was stored; `configuration` is in words, `status` of the plain run.
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
    invalid_reason: str
    invalidated_by: str


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
    """Failed runs of one revision that say the same; `output` is the end of what one of them printed."""

    revision: str
    status: str
    message: str
    configurations: int
    configuration: str
    identity: str
    runs: int
    output: str


def list_runs(*, access: Access, wanted: RunFilter, limit: int = 200) -> tuple[tuple[RunRow, ...], int]:
    """Runs of a system, the newest batches first, and how many stored runs of that kind there are in all.

    Constant number of queries.
    """
    runs = _filtered(access.system, wanted)
    total = runs.count()
    found = list(
        runs.select_related(
            "batch", "revision", "configuration", "workload", "environment", "invalidated_by"
        ).order_by("-batch_id", "revision_id", "configuration_id", "repetition", "kind", "pk")[:limit]
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
        context = MeasurementContext.of(run)
        executions[run.batch_id, context, run.configuration_id, run.repetition, apart].append(run)
    several = options_of_several_levels(access.system)
    return tuple(_row(rows, times, several) for rows in executions.values()), total


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
            revision=newest.revision.name,
            status=newest.status,
            message=newest.message,
            configurations=group["configurations"],
            configuration=_words(newest.configuration, several),
            identity=newest.configuration.identity,
            runs=group["runs"],
            output=runs[group["telling"]].output_tail[-_TAIL:] if group["telling"] else "",
        )
        for group, newest in ((group, runs[group["newest"]]) for group in groups)
    )


def find_configuration(*, access: Access, written: str) -> str:
    """The identity of a configuration written as `a=on,b=off`, `default`, or its name. Raises `NotFound`."""
    references = dict(
        Level.objects.filter(option__system=access.system, position=0).values_list("option__name", "label")
    )
    wanted: dict[str, str] = {}
    for part in written.split(",") if written != "default" else ():
        name, _, label = (piece.strip() for piece in part.partition("="))
        if references.get(name) != label:
            wanted[name] = label
    for identity, name, assignments in Configuration.objects.filter(system=access.system).values_list(
        "identity", "name", "assignments"
    ):
        if written in (name, identity) or (
            ("=" in written or written == "default") and assignments == wanted
        ):
            return identity
    raise NotFound(f"{access.slug!r} has no configuration {written!r}: write default, a=on,b=off or its name")


def _filtered(system: System, wanted: RunFilter) -> QuerySet[Run]:
    runs = Run.objects.filter(batch__system=system, batch__state=Batch.State.VISIBLE)
    if wanted.revision:
        runs = runs.filter(revision__name=wanted.revision)
    if wanted.configuration:
        runs = runs.filter(configuration__identity=wanted.configuration)
    if wanted.batch_id is not None:
        runs = runs.filter(batch_id=wanted.batch_id)
    if wanted.run_ids:
        runs = runs.filter(pk__in=wanted.run_ids)
    if wanted.failed:
        runs = runs.exclude(status=Run.Status.OK)
    if wanted.invalid:
        runs = runs.exclude(invalid_reason="")
    return runs


def _row(rows: list[Run], times: dict[int, dict[str, float]], several: Collection[str]) -> RunRow:
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
        invalid_reason=first.invalid_reason,
        invalidated_by=first.invalidated_by.get_username() if first.invalidated_by else "",
    )


def _words(configuration: Configuration, several: Collection[str]) -> str:
    return configuration.name or words(configuration.assignments, several)
