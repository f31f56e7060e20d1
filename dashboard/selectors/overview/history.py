"""A system's history in short: the latest value and the last change of its default configuration."""

from dataclasses import dataclass

from dashboard.access import Principal
from dashboard.selectors.histories import get_history
from dashboard.selectors.histories.picking import pick_series
from dashboard.selectors.histories.rows import ChangeRow, MeasuredPoint, SeriesRow

_DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class HistorySummary:
    """One series in short: its last and its largest change, None where there is none or too little to tell."""

    series: SeriesRow
    revisions: int
    points: tuple[MeasuredPoint, ...]
    first: str
    last: str
    last_change: ChangeRow | None
    largest_change: ChangeRow | None
    changes: int
    enough_data: bool


def history_summary(*, principal: Principal, slug: str) -> HistorySummary | None:
    """The history of the default configuration, or of the series with most points; None below two revisions.

    A constant number of queries. Raises `NotFound`.
    """
    known = pick_series(principal=principal, slug=slug)
    series = [row for row in known.rows if row.points > 1]
    if not series:
        return None
    best = max(series, key=lambda row: (row.label == _DEFAULT, row.kind != "term", row.points))
    history = get_history(principal=principal, slug=slug, series_id=best.series_id)
    if len(history.points) < 2:
        return None
    return HistorySummary(
        series=best,
        revisions=len(history.revisions),
        points=history.points,
        first=history.points[0].revision,
        last=history.points[-1].revision,
        last_change=history.changes[-1] if history.changes else None,
        largest_change=max(history.changes, key=lambda change: abs(change.relative), default=None),
        changes=len(history.changes),
        enough_data=history.enough_data,
    )
