"""Histories of benchmarks: their list page by page, and the benchmark suite in short.

Everything comes from stored fits; nothing is fitted here.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Literal

from django.db.models import Count, F, FloatField, Max, OrderBy, Prefetch, Q, QuerySet
from django.db.models.functions import Abs

from dashboard.models import HistoryFit, Series, System
from dashboard.selectors.histories.revisions import newest_place, ordered_revisions
from dashboard.selectors.histories.series import stored_series
from dashboard.selectors.histories.stored_fits import unpack
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import (
    BenchmarkSuite,
    FoundChanges,
    HistoryQuery,
    ListedChange,
    ListedEnvironment,
    ListedHistory,
    Sorting,
    thinned,
)

_SHOWN = 10

# The key of the list of a system that has other histories, too.
EVERYTHING = "all"


def is_suite(system: System) -> bool:
    """Whether all histories of the system come from benchmarks, and there are some. Two queries."""
    series = Series.objects.filter(system=system)
    benchmark = Series.SubjectKind.BENCHMARK
    return (
        series.filter(subject_kind=benchmark).exists() and not series.exclude(subject_kind=benchmark).exists()
    )


def list_benchmarks(system: System, query: HistoryQuery) -> tuple[tuple[ListedHistory, ...], int, int]:
    """A page of the suite's histories, and how many there are in all; none is left out. Five queries at most."""
    found = _benchmarks(system)
    for word in query.text.split():
        found = found.filter(Q(label__icontains=word) | Q(subject__icontains=word))
    if query.environment_id:
        found = found.filter(environment_id=query.environment_id)
    if query.only_worse:
        found = found.filter(fits__last_is_worse=True, fits__last_is_candidate=False)
    start = (max(query.page, 1) - 1) * query.size
    shown = _with_fits(_sorted(found, query.sort))[start : start + query.size]
    places = {one.revision_id: one.position for one in ordered_revisions(system=system).revisions}
    return tuple(_row(series, places) for series in shown), found.count(), 0


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
    own = stored_series(system, series_id)
    others = Series.objects.filter(
        system=system, subject_kind=own.subject_kind, subject=own.subject, workload_id=own.workload_id
    ).exclude(pk=own.pk)
    fitted = _with_fits(others.filter(fits__isnull=False).order_by("environment__name", "benchmark_version"))
    return tuple(_row(one, {}) for one in fitted)


def suite(system: System) -> BenchmarkSuite | None:
    """The suite in short; None where the system is none. Nine queries once it was read."""
    if not is_suite(system):
        return None
    newest = HistoryFit.objects.filter(series__system=system).aggregate(last=Max("pk"), count=Count("pk"))
    found = _suite(system, system.data_version, newest["last"], newest["count"], newest_place(system))
    # What people say of findings moves nothing that was measured.
    return replace(found, findings=found_changes(system, HistoryQuery(size=_SHOWN)))


@lru_cache(maxsize=16)
def _suite(
    system: System, _data_version: int, _newest_fit: int | None, fitted: int, _newest_place: int | None
) -> BenchmarkSuite:
    names = {label.partition("(")[0] for label in _benchmarks(system).values_list("subject", flat=True)}
    fits = HistoryFit.objects.filter(series__system=system)
    environments = environments_of(system)
    return BenchmarkSuite(
        benchmarks=len(names),
        histories=sum(one.histories for one in environments),
        fitted=fitted,
        revisions=len(ordered_revisions(system=system).revisions),
        environments=environments,
        unchanged=fits.filter(
            Q(changes=0) | Q(largest_is_candidate=True), enough_data=True, packed_drift=b""
        ).count(),
        worse=fits.filter(last_is_worse=True, last_is_candidate=False).count(),
        findings=FoundChanges((), 0, (), 0),
    )


def _benchmarks(system: System) -> QuerySet[Series]:
    return Series.objects.filter(system=system, subject_kind=Series.SubjectKind.BENCHMARK)


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


def _with_fits(found: QuerySet[Series]) -> QuerySet[Series]:
    """The series with all that their rows show. Two queries."""
    fits = HistoryFit.objects.select_related("largest_before", "largest_after", "last_before", "last_after")
    return found.select_related("environment", "metric").prefetch_related(Prefetch("fits", fits))


def _row(series: Series, places: Mapping[int, int]) -> ListedHistory:
    """A history as its newest fit shows it; its shape over the revisions (ids) that have a position in `places`."""
    row = ListedHistory(
        series_id=series.pk,
        label=series.label or series.subject,
        environment=series.environment.name,
        version=series.benchmark_version,
        quantity=series.metric.quantity,
        unit=series.metric.unit,
    )
    fit = next(iter(series.fits.all()), None)
    if fit is None:
        return row
    revisions, levels = unpack(bytes(fit.packed))
    pairs = zip(revisions.tolist(), levels.tolist(), strict=True)
    return replace(
        row,
        measured=fit.measured,
        latest=fit.latest,
        changes=fit.changes,
        enough_data=fit.enough_data,
        largest=_change(fit, "largest"),
        last=_change(fit, "last"),
        gap=fit.certainty_gap,
        shape=thinned([(float(places[pk]), level) for pk, level in pairs if pk in places]),
    )


def _change(fit: HistoryFit, which: Literal["largest", "last"]) -> ListedChange | None:
    before, after, relative, is_worse, certainty, is_candidate = (
        getattr(fit, f"{which}_{name}")
        for name in ("before", "after", "change", "is_worse", "certainty", "is_candidate")
    )
    if before is None or after is None or relative is None:
        return None
    return ListedChange(
        before.name, after.name, after.released_at, relative, is_worse, certainty, is_candidate
    )
