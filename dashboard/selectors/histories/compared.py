"""Histories that are looked at together: those of terms, and those of one thing in several workloads."""

from collections import Counter

from django.db.models import Q

from analytics.configurations.identities import key_options
from dashboard.models import Series, System
from dashboard.selectors.histories.history import list_histories
from dashboard.selectors.histories.rows import History, SeriesRow
from dashboard.selectors.histories.series import list_series

_MOST_WORKLOADS = 100
# What histories must have in common to be compared: quantity, clock, workload and environment.
_Place = tuple[str, str, str, str]


def term_histories(
    *, system: System, metric: str, option: str = "", workload: str = "", environment: str = ""
) -> tuple[History, ...]:
    """The histories of terms, or of those that hold an option, by one metric in one workload and environment.

    These are the ones that are asked for, where terms have them; else performance or CPU time, and what has most points: terms of
    several have nothing to do with each other. As `list_histories` orders them. Constant number of queries.
    """
    series = [
        row
        for row in list_series(system=system, kinds=[Series.SubjectKind.TERM])
        if row.points > 1 and (not option or option in key_options(row.subject))
    ]
    points: Counter[_Place] = Counter()
    for row in series:
        points[_place(row)] += row.points

    def rank(one: _Place) -> tuple[object, ...]:
        quantity, clock, *where = one
        of_metric = quantity != metric, quantity not in {"performance", "time"}, clock != "cpu"
        return *of_metric, where[0] != workload, where[1] != environment, -points[one], one

    chosen = min(points, key=rank, default=None)
    return list_histories(system=system, series=[row for row in series if _place(row) == chosen])


def _place(row: SeriesRow) -> _Place:
    return row.quantity, row.clock, row.workload, row.environment


def histories_over_workloads(*, system: System, series: SeriesRow) -> tuple[History, ...]:
    """The histories of what a series is of in each workload, in its environment and by its metric; its own among them.

    Those that changed most first; empty where there is one workload alone. Of more than 100 those with most points, and its own.
    Constant number of queries.
    """
    alike = Q(
        subject=series.subject,
        subject_kind=series.kind,
        environment_id=series.environment_id,
        metric_id=series.metric_id,
    )
    if not system.series.filter(alike).exclude(workload_id=series.workload_id).exists():
        return ()
    rows = [row for row in list_series(system=system, only=alike) if row.points > 1]
    rows.sort(key=lambda row: (row.series_id != series.series_id, -row.points))
    found = list_histories(system=system, series=rows[:_MOST_WORKLOADS])
    return found if len({one.series.workload_id for one in found}) > 1 else ()
