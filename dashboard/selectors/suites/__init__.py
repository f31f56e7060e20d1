"""Benchmark suites to read: the list of their histories page by page, and the suite in short.

Everything comes from stored fits; nothing is fitted here.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Literal

from django.db.models import Count, F, FloatField, Max, OrderBy, Q, QuerySet
from django.db.models.functions import Abs

from dashboard.access import NotFound, Principal, require
from dashboard.models import HistoryFit, Series, System
from dashboard.selectors.histories.series import OrderedRevisions, ordered_revisions
from dashboard.selectors.packed_fits import unpack
from dashboard.selectors.suites.rows import (
    BenchmarkPage,
    BenchmarkRow,
    ChangedRevision,
    Suite,
    SuiteChange,
    SuiteEnvironment,
)

Sorting = Literal["largest", "last", "newest", "latest", "gap", "name"]
_SHOWN = 10
# As many points as a line of a word's height can show.
_SHAPE = 60
_COLUMNS = (
    "pk",
    "label",
    "subject",
    "environment__name",
    "benchmark_version",
    "metric__quantity",
    "metric__unit",
    "fits__pk",
    "fits__measured",
    "fits__latest",
    "fits__latest_revision__name",
    "fits__changes",
    "fits__enough_data",
    "fits__certainty_gap",
    "fits__largest_change",
    "fits__largest_is_worse",
    "fits__largest_before__name",
    "fits__largest_after__name",
    "fits__largest_after__released_at",
    "fits__last_change",
    "fits__last_is_worse",
    "fits__last_before__name",
    "fits__last_after__name",
    "fits__last_after__released_at",
)


@dataclass(frozen=True, slots=True)
class BenchmarkQuery:
    """What of a suite to list: every word of `text` stands in the name; `environment_id` 0 for all of them.

    `sort` is by the size of the largest or of the last change, the date of the last one, the latest value, the
    certainty gap, or name.
    """

    text: str = ""
    environment_id: int = 0
    only_worse: bool = False
    sort: Sorting = "largest"
    page: int = 1
    size: int = 25


def is_suite(*, principal: Principal, slug: str) -> bool:
    """Whether all histories of the system come from benchmarks, and there are some. Raises `NotFound`."""
    series = Series.objects.filter(system=require(principal, slug))
    benchmark = Series.SubjectKind.BENCHMARK
    return (
        series.filter(subject_kind=benchmark).exists() and not series.exclude(subject_kind=benchmark).exists()
    )


def list_benchmarks(*, principal: Principal, slug: str, query: BenchmarkQuery) -> BenchmarkPage:
    """A page of the suite's histories. Five queries at most. Raises `NotFound`."""
    system = require(principal, slug)
    found = _wanted(system, query)
    start = (max(query.page, 1) - 1) * query.size
    rows = [
        _row(values)
        for values in _sorted(found, query.sort).values_list(*_COLUMNS)[start : start + query.size]
    ]
    return BenchmarkPage(_with_shapes(principal, slug, rows), found.count())


def environments_of(*, principal: Principal, slug: str) -> tuple[SuiteEnvironment, ...]:
    """The environments of a system's histories, those with most histories first. Raises `NotFound`."""
    rows = (
        Series.objects.filter(system=require(principal, slug))
        .values_list("environment_id", "environment__name")
        .annotate(n=Count("pk"), most=Max("fits__measured"))
        .order_by("-n", "environment__name")
    )
    return tuple(SuiteEnvironment(pk, name, count, most or 0) for pk, name, count, most in rows)


def siblings(*, principal: Principal, slug: str, series_id: int) -> tuple[BenchmarkRow, ...]:
    """The same benchmark with the same parameters in other environments or versions. Raises `NotFound`."""
    system = require(principal, slug)
    own = Series.objects.filter(system=system, pk=series_id).first()
    if own is None:
        raise NotFound(f"there is no series {series_id} in {slug!r}")
    others = Series.objects.filter(
        system=system, subject_kind=own.subject_kind, subject=own.subject, workload_id=own.workload_id
    ).exclude(pk=own.pk)
    rows = others.order_by("environment__name", "benchmark_version").values_list(*_COLUMNS)
    return tuple(_row(values) for values in rows if values[7] is not None)


def suite(*, principal: Principal, slug: str) -> Suite | None:
    """The suite in short; None where the system is none. Four queries once it was asked for. Raises `NotFound`."""
    system = require(principal, slug)
    if not is_suite(principal=principal, slug=slug):
        return None
    newest = HistoryFit.objects.filter(series__system=system).aggregate(last=Max("pk"), count=Count("pk"))
    return _suite(slug, system.data_version, newest["last"], newest["count"])


@lru_cache(maxsize=16)
def _suite(slug: str, _data_version: int, _newest_fit: int | None, fitted: int) -> Suite:
    # Whoever asks was checked before.
    principal = Principal.operator()
    system = require(principal, slug)
    names = {label.partition("(")[0] for label in _benchmarks(system).values_list("subject", flat=True)}
    fits = HistoryFit.objects.filter(series__system=system)
    environments = environments_of(principal=principal, slug=slug)
    newest = BenchmarkQuery(only_worse=True, sort="newest", size=_SHOWN)
    return Suite(
        name=system.name,
        benchmarks=len(names),
        histories=sum(one.histories for one in environments),
        fitted=fitted,
        revisions=len(ordered_revisions(principal=principal, slug=slug).revisions),
        environments=environments,
        unchanged=fits.filter(changes=0, enough_data=True).count(),
        worse=fits.filter(last_is_worse=True).count(),
        changed=_changed(fits),
        newest=list_benchmarks(principal=principal, slug=slug, query=newest).rows,
        largest=list_benchmarks(principal=principal, slug=slug, query=replace(newest, sort="last")).rows,
    )


def _changed(fits: QuerySet[HistoryFit]) -> tuple[ChangedRevision, ...]:
    """The newest revisions at which some history was first seen changed."""
    rows = (
        fits.filter(last_after__isnull=False)
        .values_list("last_after__name", "last_after__released_at")
        .annotate(
            worse=Count("pk", filter=Q(last_is_worse=True)), better=Count("pk", filter=Q(last_is_worse=False))
        )
        .order_by(F("last_after__released_at").desc(nulls_last=True), "-worse", "-better")[:_SHOWN]
    )
    return tuple(ChangedRevision(*row) for row in rows)


def _benchmarks(system: System) -> QuerySet[Series]:
    return Series.objects.filter(system=system, subject_kind=Series.SubjectKind.BENCHMARK)


def _wanted(system: System, query: BenchmarkQuery) -> QuerySet[Series]:
    found = _benchmarks(system)
    for word in query.text.split():
        found = found.filter(Q(label__icontains=word) | Q(subject__icontains=word))
    if query.environment_id:
        found = found.filter(environment_id=query.environment_id)
    return found.filter(fits__last_is_worse=True) if query.only_worse else found


def _sorted(found: QuerySet[Series], sort: Sorting) -> QuerySet[Series]:
    size = Abs(
        F("fits__largest_change" if sort == "largest" else "fits__last_change"), output_field=FloatField()
    )
    keys: dict[str, list[OrderBy | str]] = {
        "largest": [size.desc(nulls_last=True)],
        "last": [size.desc(nulls_last=True)],
        "newest": [F("fits__last_after__released_at").desc(nulls_last=True), size.desc(nulls_last=True)],
        "latest": [F("fits__latest").desc(nulls_last=True)],
        "gap": [F("fits__certainty_gap").desc(nulls_last=True)],
        "name": [],
    }
    return found.order_by(*keys[sort], "subject", "pk")


def _row(values: tuple[Any, ...]) -> BenchmarkRow:
    given = dict(zip(_COLUMNS, values, strict=True))
    fit = {name.removeprefix("fits__"): value for name, value in given.items() if name.startswith("fits__")}
    return BenchmarkRow(
        series_id=given["pk"],
        label=given["label"] or given["subject"],
        environment=given["environment__name"],
        version=given["benchmark_version"],
        quantity=given["metric__quantity"],
        unit=given["metric__unit"],
        is_fitted=fit["pk"] is not None,
        measured=fit["measured"] or 0,
        latest=fit["latest"],
        latest_revision=fit["latest_revision__name"] or "",
        changes=fit["changes"] or 0,
        enough_data=bool(fit["enough_data"]),
        largest=_change(fit, "largest"),
        last=_change(fit, "last"),
        gap=fit["certainty_gap"],
    )


def _change(fit: dict[str, Any], which: str) -> SuiteChange | None:
    if fit[f"{which}_change"] is None:
        return None
    return SuiteChange(
        before=fit[f"{which}_before__name"],
        after=fit[f"{which}_after__name"],
        at=fit[f"{which}_after__released_at"],
        relative=fit[f"{which}_change"],
        is_worse=fit[f"{which}_is_worse"],
    )


def _with_shapes(principal: Principal, slug: str, rows: list[BenchmarkRow]) -> tuple[BenchmarkRow, ...]:
    """The rows with the shapes of their histories."""
    places = _places(ordered_revisions(principal=principal, slug=slug))
    shapes = {}
    for series_id, packed in HistoryFit.objects.filter(
        series_id__in=[row.series_id for row in rows]
    ).values_list("series_id", "packed"):
        fit = unpack(bytes(packed))
        step = max(1, -(-len(fit.revisions) // _SHAPE))
        pairs = zip(fit.revisions[::step].tolist(), fit.levels[::step].tolist(), strict=True)
        shapes[series_id] = tuple((float(places[pk]), level) for pk, level in pairs if pk in places)
    return tuple(replace(row, shape=shapes.get(row.series_id, ())) for row in rows)


def _places(placed: OrderedRevisions) -> dict[int, int]:
    return {place.revision_id: place.position for place in placed.revisions}
