"""Every series of a system at two revisions: one reading of points, compared at once, kept until the data change."""

from dataclasses import replace
from functools import lru_cache
from statistics import median

from analytics.revision_differences import (
    ComparedSeries,
    revision_differences,
)
from dashboard.models import Series, System
from dashboard.selectors.histories.columns import PointColumns
from dashboard.selectors.histories.curves import series_of_default, sessions_of
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.revisions import place_of
from dashboard.selectors.histories.series import list_series
from dashboard.selectors.histories.unmerged import order_with
from dashboard.selectors.two_revisions.reading import (
    measured_at,
    noise_between_sessions,
    points_around,
    positions_of_code,
    series_around,
    settings_of,
)
from dashboard.selectors.two_revisions.rows import (
    ComparedRevisions,
    ComparedValue,
    RevisionDifference,
    with_differences,
)

# Fewer differences have no middle that says anything of the machine.
_FEWEST = 10
_CONFIGURATION = Series.SubjectKind.CONFIGURATION


def compare_revisions(*, system: System, before: str, after: str) -> ComparedRevisions:
    """Compare all series at two revisions by name. Raises `NotFound` for a revision that is neither in the order nor unmerged.

    Queries: three of the order, nine more where nothing is kept, however many series there are.
    """
    order = order_with(system, before, after)
    ends = (place_of(name, order.revisions) for name in (before, after))
    return _compared(system, system.data_version, order, *ends)


@lru_cache(maxsize=8)
def _compared(
    system: System, _data_version: int, order: OrderedRevisions, before: RevisionPlace, after: RevisionPlace
) -> ComparedRevisions:
    series = list_series(system=system)
    points = points_around(system, [one.series_id for one in series], order, (before, after))
    same_code = [positions_of_code(order, place) for place in (before, after)]
    default = {one.series_id: one for one in series if one.label == "default" and one.kind == _CONFIGURATION}
    bases = series_of_default(system, [one for one in series if one.kind == Series.SubjectKind.TERM])
    settings = settings_of(
        series, points, bases, noise_between_sessions(default, sessions_of(system, default), order)
    )
    rows: list[RevisionDifference] = []
    pairs: list[tuple[RevisionDifference, ComparedSeries]] = []
    for one in series:
        own = points[one.series_id]
        first, last = (
            measured_at(own, place, same) for place, same in zip((before, after), same_code, strict=True)
        )
        values = [_value(own, at, place, order) for at, place in ((first, before), (last, after))]
        row = RevisionDifference(one, "missing", values[0], values[1])
        if first is None or last is None:
            rows.append(row)
        elif first == last:
            rows.append(replace(row, told="same"))
        else:
            pairs.append((row, series_around(one, own, (first, last), settings[one.series_id])))
    found = revision_differences([one for _, one in pairs])
    rows += with_differences([row for row, _ in pairs], found, system.false_alarm_rate)
    rows.sort(key=lambda row: (-row.at_least, -abs(row.relative or 0.0), row.series.kind, row.series.label))
    times = [
        row.relative
        for row in rows
        if row.relative is not None and row.series.quantity == "time" and row.series.kind != "term"
    ]
    return ComparedRevisions(
        before=before,
        after=after,
        rows=tuple(rows),
        same_code=bool(before.content) and before.content == after.content,
        middle=median(times) if len(times) >= _FEWEST else None,
    )


def _value(
    points: PointColumns, at: int | None, place: RevisionPlace, order: OrderedRevisions
) -> ComparedValue | None:
    if at is None:
        return None
    other = "" if points.positions[at] == place.position else order.revisions[points.places[at]].name
    return ComparedValue(float(points.medians[at]), int(points.repetitions[at]), other)
