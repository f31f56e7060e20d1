"""Histories of benchmarks: their list page by page, and the benchmark suite in short.

Everything comes from stored fits; nothing is fitted here.
"""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from django.db.models import Count, F, FloatField, Max, OrderBy, Q, QuerySet
from django.db.models.functions import Abs

from dashboard.access import NotFound
from dashboard.models import HistoryFit, Series, System
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.history_list.rows import (
    BenchmarkSuite,
    ChangedRevision,
    HistoryQuery,
    ListedChange,
    ListedEnvironment,
    ListedHistory,
    Sorting,
    thinned,
)
from dashboard.selectors.packed_fits import unpack

_SHOWN = 10
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


def is_suite(system: System) -> bool:
    """Whether all histories of the system come from benchmarks, and there are some. Two queries."""
    series = Series.objects.filter(system=system)
    benchmark = Series.SubjectKind.BENCHMARK
    return (
        series.filter(subject_kind=benchmark).exists() and not series.exclude(subject_kind=benchmark).exists()
    )


def list_benchmarks(system: System, query: HistoryQuery) -> tuple[tuple[ListedHistory, ...], int, int]:
    """A page of the suite's histories, and how many there are in all; none is left out. Five queries at most."""
    found = _wanted(system, query)
    start = (max(query.page, 1) - 1) * query.size
    rows = [
        _row(values)
        for values in _sorted(found, query.sort).values_list(*_COLUMNS)[start : start + query.size]
    ]
    return _with_shapes(system, rows), found.count(), 0


def environments_of(system: System) -> tuple[ListedEnvironment, ...]:
    """The environments of a system's histories, those with most histories first. One query."""
    rows = (
        Series.objects.filter(system=system)
        .values_list("environment_id", "environment__name")
        .annotate(n=Count("pk"), most=Max("fits__measured"))
        .order_by("-n", "environment__name")
    )
    return tuple(ListedEnvironment(pk, name, count, most or 0) for pk, name, count, most in rows)


def siblings(system: System, series_id: int) -> tuple[ListedHistory, ...]:
    """The same benchmark with the same parameters in other environments or versions. Raises `NotFound`."""
    own = Series.objects.filter(system=system, pk=series_id).first()
    if own is None:
        raise NotFound(f"there is no series {series_id} in {system.slug!r}")
    others = Series.objects.filter(
        system=system, subject_kind=own.subject_kind, subject=own.subject, workload_id=own.workload_id
    ).exclude(pk=own.pk)
    rows = others.order_by("environment__name", "benchmark_version").values_list(*_COLUMNS)
    return tuple(_row(values) for values in rows if values[7] is not None)


def suite(system: System) -> BenchmarkSuite | None:
    """The suite in short; None where the system is none. Three queries once it was read."""
    if not is_suite(system):
        return None
    newest = HistoryFit.objects.filter(series__system=system).aggregate(last=Max("pk"), count=Count("pk"))
    return _suite(system, system.data_version, newest["last"], newest["count"])


@lru_cache(maxsize=16)
def _suite(system: System, _data_version: int, _newest_fit: int | None, fitted: int) -> BenchmarkSuite:
    names = {label.partition("(")[0] for label in _benchmarks(system).values_list("subject", flat=True)}
    fits = HistoryFit.objects.filter(series__system=system)
    environments = environments_of(system)
    newest = HistoryQuery(only_worse=True, sort="newest", size=_SHOWN)
    return BenchmarkSuite(
        name=system.name,
        benchmarks=len(names),
        histories=sum(one.histories for one in environments),
        fitted=fitted,
        revisions=len(ordered_revisions(system=system).revisions),
        environments=environments,
        unchanged=fits.filter(changes=0, enough_data=True).count(),
        worse=fits.filter(last_is_worse=True).count(),
        changed=_changed(fits),
        newest=list_benchmarks(system, newest)[0],
        largest=list_benchmarks(system, replace(newest, sort="last"))[0],
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


def _wanted(system: System, query: HistoryQuery) -> QuerySet[Series]:
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


def _row(values: tuple[Any, ...]) -> ListedHistory:
    given = dict(zip(_COLUMNS, values, strict=True))
    fit = {name.removeprefix("fits__"): value for name, value in given.items() if name.startswith("fits__")}
    return ListedHistory(
        series_id=given["pk"],
        label=given["label"] or given["subject"],
        environment=given["environment__name"],
        version=given["benchmark_version"],
        quantity=given["metric__quantity"],
        unit=given["metric__unit"],
        is_fitted=fit["pk"] is not None,
        measured=fit["measured"] or 0,
        latest=fit["latest"],
        changes=fit["changes"] or 0,
        enough_data=bool(fit["enough_data"]),
        largest=_change(fit, "largest"),
        last=_change(fit, "last"),
        gap=fit["certainty_gap"],
    )


def _change(fit: dict[str, Any], which: str) -> ListedChange | None:
    if fit[f"{which}_change"] is None:
        return None
    return ListedChange(
        before=fit[f"{which}_before__name"],
        after=fit[f"{which}_after__name"],
        at=fit[f"{which}_after__released_at"],
        relative=fit[f"{which}_change"],
        is_worse=fit[f"{which}_is_worse"],
    )


def _with_shapes(system: System, rows: list[ListedHistory]) -> tuple[ListedHistory, ...]:
    """The rows with the shapes of their histories."""
    places = {one.revision_id: one.position for one in ordered_revisions(system=system).revisions}
    shapes = {}
    for series_id, packed in HistoryFit.objects.filter(
        series_id__in=[row.series_id for row in rows]
    ).values_list("series_id", "packed"):
        revisions, levels, _ = unpack(bytes(packed))
        pairs = zip(revisions.tolist(), levels.tolist(), strict=True)
        shapes[series_id] = thinned([(float(places[pk]), level) for pk, level in pairs if pk in places])
    return tuple(replace(row, shape=shapes.get(row.series_id, ())) for row in rows)
