"""The list of the histories of a system that is no suite: of configurations, terms and regions, page by page.

They are fitted when they are listed, and kept in this process; where there are very many, some are picked.
"""

from collections.abc import Callable, Collection, Mapping
from math import inf
from typing import Any

from dashboard.models import Series, System
from dashboard.selectors.histories.history import list_histories
from dashboard.selectors.histories.rows import ChangeRow, History, largest_change, last_change
from dashboard.selectors.histories.series import pick_series
from dashboard.selectors.history_list.rows import (
    HistoryQuery,
    ListedChange,
    ListedHistory,
    Sorting,
    thinned,
)


def list_fitted(system: System, query: HistoryQuery) -> tuple[tuple[ListedHistory, ...], int, int]:
    """A page of the system's histories, how many there are in all, and how many more only words would find.

    What was measured at one revision has no history.

    The number of queries does not grow with the histories.
    """
    picked, left_out = pick_series(system=system, search=query.text)
    wanted = []
    for row in picked:
        name = f"{row.kind} {row.label} {row.measure} {row.workload} {row.environment}".lower()
        if query.environment_id in {0, row.environment_id} and all(
            word in name for word in query.text.lower().split()
        ):
            wanted.append(row)
    histories = list_histories(system=system, series=wanted)
    # Workloads and machines are named where there is more than one.
    groups = ({row.workload for row in wanted}, {row.environment for row in wanted})
    several = frozenset(name for group in groups if len(group) > 1 for name in group)
    rows = [_row(one, several) for one in histories]
    if query.only_worse:
        rows = [row for row in rows if row.last and row.last.is_worse and not row.last.is_candidate]
    rows.sort(key=lambda row: (row.label, row.environment, row.series_id))
    rows.sort(key=_KEYS[query.sort], reverse=query.sort != "name")
    start = (max(query.page, 1) - 1) * query.size
    return tuple(rows[start : start + query.size]), len(rows), left_out


def _row(history: History, several: Collection[str]) -> ListedHistory:
    series, latest = history.series, history.points[-1]

    def change(one: ChangeRow | None) -> ListedChange | None:
        if one is None:
            return None
        return ListedChange(
            before=one.before.name,
            after=one.after.name,
            at=one.after.released_at,
            relative=one.relative,
            is_worse=one.is_slower,
            certainty=one.certainty,
            is_candidate=one.is_candidate,
        )

    # What differs between histories of one thing: kind and metric, and workload and machine where there are several.
    where = [series.kind, series.measure]
    where += [name for name in (series.workload, series.environment) if name in several]
    measured = {point.position for point in history.points}
    return ListedHistory(
        series_id=series.series_id,
        label=series.label,
        environment=", ".join(where),
        version="",
        quantity="influence" if series.kind == Series.SubjectKind.TERM else series.quantity,
        unit=series.unit,
        measured=len(history.measured),
        latest=latest.median,
        changes=len(history.changes),
        enough_data=history.enough_data,
        largest=change(largest_change(history.changes)),
        last=change(last_change(history.changes) if history.changes else None),
        gap=history.gap,
        shape=thinned(
            [(float(row.position), row.estimate) for row in history.band if row.position in measured]
        ),
    )


def _size(change: ListedChange | None) -> float:
    return -1.0 if change is None else abs(change.relative)


_KEYS: Mapping[Sorting, Callable[[ListedHistory], Any]] = {
    "largest": lambda row: _size(row.largest),
    "last": lambda row: _size(row.last),
    "newest": lambda row: (
        -1.0 if row.last is None or row.last.at is None else row.last.at.timestamp(),
        _size(row.last),
    ),
    "latest": lambda row: -inf if row.latest is None else row.latest,
    "gap": lambda row: -1.0 if row.gap is None else row.gap,
    "name": lambda row: row.label,
}
