"""Systems by name, as a list shows them, their metrics, and the search over the things of one system."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any, Literal, TypeVar

from django.db import models
from django.db.models import Case, Count, F, Max, Model, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Concat

from dashboard.access import NotFound, Principal, seen_by
from dashboard.models import (
    Batch,
    Measurement,
    Metric,
    PerformanceModel,
    Region,
    Revision,
    Run,
    Series,
    System,
    SystemOption,
)
from dashboard.selectors.batch_manifests import unseen
from dashboard.selectors.jobs import MEASURED

Row = TypeVar("Row", bound=Model)
# An execution that was measured is stored as a plain and a profiled run: together they count as one.
EXECUTED = Q(kind=Run.Kind.PLAIN) | ~Q(batch__format=MEASURED)


# What people ask about first, where a system has several metrics.
PRIMARY = ("performance", "time", "throughput")


@dataclass(frozen=True, slots=True)
class MeasuredCounts:
    """What was measured of a system; runs marked invalid do not count, nor a configuration of which every run failed.

    `at` is when the last run started; of imports that carry no times it is the time of the import.
    """

    revisions: int = 0
    configurations: int = 0
    workloads: int = 0
    runs: int = 0
    failed: int = 0
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class SystemRow:
    """A system as a list shows it; `histories` counts those of one that holds histories without runs."""

    system: System
    options: int
    regions: int
    measured: MeasuredCounts
    histories: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """One thing that a search found: its name as people say it, and what tells it from others of that name."""

    kind: Literal[
        "option", "term", "region", "revision", "history", "view", "configuration", "word", "document"
    ]
    key: str
    name: str
    detail: str


def visible_systems(principal: Principal) -> QuerySet[System]:
    """The systems that the principal may see. For selectors: a queryset never leaves them."""
    return System.objects.filter(seen_by(principal), visible=True)


def visible_runs(system: System) -> QuerySet[Run]:
    """The stored runs of a system, but for those that are still written. For selectors."""
    return Run.objects.filter(batch__system=system, batch__state=Batch.State.VISIBLE)


def list_names(*, principal: Principal) -> tuple[System, ...]:
    """The systems that the principal may see, by name."""
    return tuple(visible_systems(principal))


def find_slug(*, principal: Principal, name: str) -> str:
    """The address of the system with this address or, failing that, this name. Raises `NotFound`."""
    found = list(
        visible_systems(principal).filter(Q(slug=name) | Q(name=name)).values_list("slug", flat=True)
    )
    if name in found:
        return name
    if len(found) > 1:
        raise NotFound(f"several systems are called {name!r}: use one of the addresses {', '.join(found)}")
    if not found:
        known = ", ".join(visible_systems(principal).values_list("slug", flat=True)) or "none"
        raise NotFound(f"there is no system {name!r} that you can see; there are: {known}")
    return found[0]


def list_systems(*, principal: Principal) -> tuple[SystemRow, ...]:
    """The systems that the principal may see with what was measured of each, by name; six queries, and two more where histories came without runs."""
    systems = visible_systems(principal)
    options = _counts(systems, Count("options"))
    counted = Q(regions__is_program=False)
    regions = Counter(_counts(systems, Count("regions", filter=counted)))
    if hidden := unseen(Region):
        rows = systems.order_by().filter(counted).values_list("pk", "regions")
        regions.subtract(system for system, region in rows if region in hidden)
    measured = _measured(systems)
    # Suites of benchmarks hold values at revisions, and no runs.
    histories = _counts(systems.exclude(pk__in=measured), Count("series"))
    suites = systems.filter(pk__in=[pk for pk, count in histories.items() if count])
    if suites:
        seen = Q(batches__state=Batch.State.VISIBLE)
        came = dict(
            suites.order_by().filter(seen).annotate(at=Max("batches__created_at")).values_list("pk", "at")
        )
        for pk, revisions in _counts(suites, Count("revisions")).items():
            measured[pk] = MeasuredCounts(revisions=revisions, at=came.get(pk))
    return tuple(
        SystemRow(
            system,
            options=options.get(system.pk, 0),
            regions=regions[system.pk],
            measured=measured.get(system.pk, MeasuredCounts()),
            histories=histories.get(system.pk, 0),
        )
        for system in systems
    )


def measured_counts(system: System) -> MeasuredCounts:
    """What was measured of one system. For selectors."""
    return _measured(System.objects.filter(pk=system.pk)).get(system.pk, MeasuredCounts())


def search(*, system: System, text: str, limit: int = 8) -> tuple[Hit, ...]:
    """Options, regions and revisions whose name holds `text`, at most `limit` of each."""
    wanted = text.strip()
    if not wanted:
        return ()
    options = SystemOption.objects.filter(system=system, name__icontains=wanted)[:limit]
    regions = Region.objects.filter(system=system).filter(
        Q(key__icontains=wanted) | Q(name__icontains=wanted)
    )
    revisions = Revision.objects.filter(system=system).filter(
        Q(name__icontains=wanted) | Q(commit__istartswith=wanted) | Q(tags__icontains=wanted)
    )
    # Tags have blanks between them: 3.4 comes before 3.4.1.
    around = Concat(Value(" "), F("tags"), Value(" "), output_field=models.TextField())
    called = Case(When(name=wanted, then=0), When(around__contains=f" {wanted} ", then=1), default=2)
    revisions = revisions.annotate(around=around).order_by(called, "-pk")
    return (
        *(Hit("option", option.name, option.name, option.description) for option in options),
        *(
            Hit("region", region.key, region.name, region.package)
            for region in islice(_seen(regions.order_by("name", "key")), limit)
        ),
        *(
            Hit(
                "revision",
                one.name,
                one.name,
                " · ".join(filter(None, [one.tags, one.message.partition("\n")[0]])),
            )
            for one in islice(_seen(revisions), limit)
        ),
    )


def _measured(systems: QuerySet[System]) -> dict[int, MeasuredCounts]:
    runs = Run.objects.filter(
        EXECUTED,
        batch__state=Batch.State.VISIBLE,
        batch__system__in=systems.order_by().values("pk"),
        invalid_reason="",
    )
    rows = runs.values_list("batch__system").annotate(
        revisions=Count("revision", distinct=True),
        configurations=Count("configuration", distinct=True, filter=Q(status=Run.Status.OK)),
        workloads=Count("workload", distinct=True),
        runs=Count("pk"),
        failed=Count("pk", filter=~Q(status=Run.Status.OK)),
        at=Coalesce(Max("started_at"), Max("batch__created_at")),
    )
    return {row[0]: MeasuredCounts(*row[1:]) for row in rows}


def _counts(systems: QuerySet[System], things: Count) -> dict[int, int]:
    return dict(systems.order_by().annotate(n=things).values_list("pk", "n"))


def _seen(rows: QuerySet[Row]) -> Iterator[Row]:
    """The rows in their order, without those that an import under way has made."""
    hidden = unseen(rows.model)
    return (row for row in rows.iterator(chunk_size=100) if row.pk not in hidden)


def system_metrics(system: System) -> tuple[Metric, ...]:
    """The metrics of a system, what people ask about first in front. Constant number of queries."""
    rows = Metric.objects.filter(pk__in=metric_ids(system)).order_by("quantity", "clock", "unit")
    return tuple(sorted(rows, key=lambda one: one.quantity not in PRIMARY))


def metric_ids(system: System) -> set[int]:
    """The ids of the metrics of a system. For selectors and services.

    Its histories know them all at once; only a system without histories has its measurements looked through.
    """
    of_series = _distinct(Series.objects.filter(system=system))
    of_analyses = _distinct(PerformanceModel.objects.filter(system=system), "total_metric_id")
    if of_series:
        return of_series | of_analyses
    return of_analyses | _distinct(Measurement.objects.filter(run__batch__system=system))


def _distinct(rows: models.QuerySet[Any], column: str = "metric_id") -> set[int]:
    return set(rows.order_by().values_list(column, flat=True).distinct())
