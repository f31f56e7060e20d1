"""What the changes of a term are relative to: the default configuration's own history."""

from collections.abc import Sequence
from statistics import median

from dashboard.models import Series
from dashboard.selectors.histories.rows import MeasuredPoint, SeriesRow


def base_series(series: SeriesRow, siblings: Sequence[SeriesRow]) -> SeriesRow | None:
    """The default configuration's own history, to which a term's changes are relative; None for other kinds."""
    if series.kind != Series.SubjectKind.TERM:
        return None
    same = (series.workload, series.environment, series.quantity, series.unit, series.clock)
    for other in siblings:
        of_other = (other.workload, other.environment, other.quantity, other.unit, other.clock)
        if other.kind == Series.SubjectKind.CONFIGURATION and other.label == "default" and of_other == same:
            return other
    return None


def level_of(points: Sequence[MeasuredPoint]) -> float | None:
    """The median of the positive values; None where there is none."""
    values = [point.median for point in points if point.median > 0]
    return median(values) if values else None
