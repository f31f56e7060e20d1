"""The list of the histories of a system that is no suite: of configurations, terms and regions, page by page.

They are fitted when they are listed, and kept in this process; where there are very many, some are picked.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from math import inf
from typing import Any

from dashboard.access import Principal, require
from dashboard.models import Series
from dashboard.selectors.histories import summarise_histories
from dashboard.selectors.histories.picking import pick_series
from dashboard.selectors.histories.rows import ChangeRow, SeriesRow, SeriesSummary
from dashboard.selectors.histories.series import ordered_revisions
from dashboard.selectors.suites import BenchmarkQuery, Sorting
from dashboard.selectors.suites.rows import BenchmarkPage, BenchmarkRow, SuiteChange

# As many points as a line of a word's height can show.
_SHAPE = 60
_CLOCKS = {"cpu": "CPU time", "wall": "wall time"}


def list_histories(*, principal: Principal, slug: str, query: BenchmarkQuery) -> BenchmarkPage:
    """A page of the system's histories; what was measured at one revision has none. Raises `NotFound`.

    The number of queries does not grow with the histories.
    """
    picked = pick_series(principal=principal, slug=slug, search=query.text)
    wanted = [row for row in picked.rows if _fits(row, query.text)]
    if query.environment_id:
        there = Series.objects.filter(system=require(principal, slug), environment_id=query.environment_id)
        known = set(there.values_list("pk", flat=True))
        wanted = [row for row in wanted if row.series_id in known]
    rows = _rows(principal, slug, wanted)
    if query.only_worse:
        rows = [row for row in rows if row.last is not None and row.last.is_worse]
    rows.sort(key=lambda row: (row.label, row.environment, row.series_id))
    rows.sort(key=_KEYS[query.sort], reverse=query.sort != "name")
    start = (max(query.page, 1) - 1) * query.size
    return BenchmarkPage(tuple(rows[start : start + query.size]), len(rows), picked.left_out)


def _fits(row: SeriesRow, text: str) -> bool:
    name = f"{row.kind} {row.label} {_CLOCKS.get(row.clock, row.quantity)} {row.workload} {row.environment}".lower()
    return all(word in name for word in text.lower().split())


def _rows(principal: Principal, slug: str, wanted: Sequence[SeriesRow]) -> list[BenchmarkRow]:
    """The rows of the histories in `wanted`."""
    ids = {row.series_id for row in wanted}
    found = [
        summary
        for kind in sorted({row.kind for row in wanted})
        for summary in summarise_histories(principal=principal, slug=slug, kind=kind, series_ids=ids)
    ]
    days = {
        place.name: place.released_at for place in ordered_revisions(principal=principal, slug=slug).revisions
    }
    several = _several(wanted)
    return [_row(one, days, several) for one in found]


def _row(
    summary: SeriesSummary,
    days: Mapping[str, datetime | None],
    several: Collection[str],
) -> BenchmarkRow:
    series, largest = summary.series, max(summary.changes, key=lambda one: abs(one.relative), default=None)
    return BenchmarkRow(
        series_id=series.series_id,
        label=series.label,
        environment=_where(series, several),
        version="",
        quantity="influence" if series.kind == Series.SubjectKind.TERM else series.quantity,
        unit=series.unit,
        is_fitted=True,
        measured=sum(not point.same_as for point in summary.points),
        latest=summary.latest.median if summary.latest else None,
        latest_revision=summary.latest.revision if summary.latest else "",
        changes=len(summary.changes),
        enough_data=summary.enough_data,
        largest=_change(largest, days),
        last=_change(summary.changes[-1] if summary.changes else None, days),
        gap=summary.gap,
        shape=_shape(summary),
    )


def _where(series: SeriesRow, several: Collection[str]) -> str:
    """What tells histories of one thing apart: kind and metric, and workload and machine where there are several."""
    parts = [series.kind, _CLOCKS.get(series.clock, series.quantity)]
    parts += [name for name in (series.workload, series.environment) if name in several]
    return ", ".join(parts)


def _several(rows: Sequence[SeriesRow]) -> frozenset[str]:
    """The workloads, where there is more than one, and the machines likewise."""
    groups = ({row.workload for row in rows}, {row.environment for row in rows})
    return frozenset(name for group in groups if len(group) > 1 for name in group)


def _change(change: ChangeRow | None, days: Mapping[str, datetime | None]) -> SuiteChange | None:
    if change is None:
        return None
    return SuiteChange(change.before, change.after, days[change.after], change.relative, change.is_slower)


def _shape(summary: SeriesSummary) -> tuple[tuple[float, float], ...]:
    """The estimates at the measured revisions, thinned out."""
    measured = {point.position for point in summary.points}
    shown = [(float(row.position), row.estimate) for row in summary.band if row.position in measured]
    return tuple(shown[:: max(1, -(-len(shown) // _SHAPE))])


def _size(change: SuiteChange | None) -> float:
    return -1.0 if change is None else abs(change.relative)


def _newest(row: BenchmarkRow) -> tuple[float, float]:
    day = row.last.at if row.last else None
    return (-1.0 if day is None else day.timestamp()), _size(row.last)


_KEYS: Mapping[Sorting, Callable[[BenchmarkRow], Any]] = {
    "largest": lambda row: _size(row.largest),
    "last": lambda row: _size(row.last),
    "newest": _newest,
    "latest": lambda row: -inf if row.latest is None else row.latest,
    "gap": lambda row: -1.0 if row.gap is None else row.gap,
    "name": lambda row: row.label,
}
