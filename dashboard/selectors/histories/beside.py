"""Time and counts of one configuration side by side: what the one says where the other changed."""

from collections.abc import Sequence

from django.db.models import Q

from dashboard.access import NotFound
from dashboard.models import Metric, Series, System
from dashboard.selectors.histories.beside_rows import ChangeBeside, HistoriesBeside
from dashboard.selectors.histories.counted import moved_between
from dashboard.selectors.histories.history import history_of
from dashboard.selectors.histories.rows import (
    ChangeRow,
    History,
    MeasuredPoint,
)
from dashboard.selectors.histories.series import list_series

# Two measured points around a stretch of revisions.
_Ends = tuple[MeasuredPoint, MeasuredPoint]


def side_by_side(*, system: System, history: History) -> HistoriesBeside | None:
    """The time of a counted history, or what was counted beside one of times, with all changes of both.

    On the same workload where there is one. None where there is nothing beside it. Constant number of queries.
    """
    chosen = history.series
    is_counted = chosen.clock == Metric.Clock.COUNT
    if chosen.kind != Series.SubjectKind.CONFIGURATION or not (is_counted or chosen.quantity == "time"):
        return None
    clock = Metric.Clock.CPU if is_counted else Metric.Clock.COUNT
    alike = Q(
        subject=chosen.subject,
        subject_kind=chosen.kind,
        environment_id=chosen.environment_id,
        metric__clock=clock,
    )
    rows = [row for row in list_series(system=system, only=alike) if row.points > 1]
    if not rows:
        return None
    # Exact counts tell functions; those of the processor do not.
    best = max(
        rows,
        key=lambda row: (row.workload_id == chosen.workload_id, "hardware" not in row.quantity, row.points),
    )
    try:
        other = history_of(system=system, series=best)
    except NotFound:
        return None
    time, counted = (other, history) if is_counted else (history, other)
    return HistoriesBeside(time, counted, _changes(system, time, counted))


def _changes(system: System, time: History, counted: History) -> tuple[ChangeBeside, ...]:
    told = [change for change in time.changes if not change.is_candidate]
    stretches: list[tuple[ChangeRow, ChangeRow | None]] = [(change, change) for change in told]
    stretches += [
        (change, None)
        for change in counted.changes
        if not any(
            one.before.position < change.after.position and change.before.position < one.after.position
            for one in told
        )
    ]
    ends = [
        (_around(time.points, change), _around(counted.points, change), change, known)
        for change, known in sorted(stretches, key=lambda one: one[0].after.position)
    ]
    pairs = {_names(around) for _, around, *_ in ends if around is not None}
    moved = moved_between(system, counted.series, pairs) if pairs else {}
    return tuple(
        ChangeBeside(
            change.before,
            change.after,
            _share(of_time),
            _share(of_counts),
            known,
            moved.get(_names(of_counts), ()) if of_counts else (),
        )
        for of_time, of_counts, change, known in ends
    )


def _around(points: Sequence[MeasuredPoint], change: ChangeRow) -> _Ends | None:
    """The last point before a change and the first one after it; None where one is missing."""
    before = [point for point in points if point.position <= change.before.position]
    after = [point for point in points if point.position >= change.after.position]
    return (before[-1], after[0]) if before and after else None


def _names(ends: _Ends) -> tuple[str, str]:
    before, after = (point.same_as or point.revision for point in ends)
    return before, after


def _share(ends: _Ends | None) -> float | None:
    if ends is None or not ends[0].median:
        return None
    return ends[1].median / ends[0].median - 1
