"""Histories to read: the band over all revisions, measured or not, and its change points."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from analytics.changepoints import ChangePoint
from dashboard.access import NotFound
from dashboard.models import Metric, System
from dashboard.selectors.histories.curves import load_curve, load_curves, with_same_code
from dashboard.selectors.histories.fits import HistoryCurve, band, certainty_gap, find_changes
from dashboard.selectors.histories.revisions import OrderedRevisions, ordered_revisions
from dashboard.selectors.histories.rows import ChangeRow, History, MeasuredPoint, SeriesRow
from dashboard.selectors.histories.series import get_series, list_series, pick_series

# More than a screen is wide: further revisions between these would not be seen.
_BAND_POSITIONS = 1500


def get_history(*, system: System, series_id: int, order: str = "") -> History:
    """One history: its points, the band over all revisions of the order, and its changes.

    Raises `NotFound` for an unknown series, or one without a point in the order. Constant number of queries.
    """
    series = get_series(system=system, series_id=series_id)
    ordered = ordered_revisions(system=system, order=order)
    curve = load_curve(system, series, ordered)
    if not curve.points:
        raise NotFound(f"{series.label} has no measured revision in the order {ordered.name!r}")
    return _history(series, ordered, curve)


def list_histories(
    *, system: System, kind: str, order: str = "", series_ids: Collection[int] | None = None
) -> tuple[History, ...]:
    """All histories of one kind, or those in `series_ids`, of two points or more, the ones that changed most first.

    Constant number of queries.
    """
    chosen = tuple(
        series
        for series in list_series(system=system, kinds=[kind])
        if series_ids is None or series.series_id in series_ids
    )
    if not chosen:
        return ()
    ordered = ordered_revisions(system=system, order=order)
    curves = load_curves(system, chosen, ordered)
    found = [
        _history(series, ordered, curves[series.series_id])
        for series in chosen
        if len(curves[series.series_id].points) > 1
    ]

    def weight(history: History) -> tuple[float, float]:
        largest = max((abs(change.size) for change in history.changes), default=0.0)
        return largest, abs(history.points[-1].median)

    # Changed ones first, by the largest change in the metric's unit; then by the size of the latest value.
    return tuple(sorted(found, key=weight, reverse=True))


def main_history(*, system: System) -> History | None:
    """The history of the default configuration, or of the series with most points; None below two revisions.

    A constant number of queries.
    """
    series = [row for row in pick_series(system=system)[0] if row.points > 1]
    if not series:
        return None
    best = max(series, key=lambda row: (row.label == "default", row.kind != "term", row.points))
    history = get_history(system=system, series_id=best.series_id)
    return history if len(history.points) > 1 else None


def _history(series: SeriesRow, order: OrderedRevisions, curve: HistoryCurve) -> History:
    points = with_same_code(curve.points, order)
    found = find_changes(curve.points, curve.level, curve.versions)
    at = {place.position: place.name for place in order.revisions}
    revisions_of = curve.versions.revisions_of
    return History(
        series=series,
        order=order.name,
        revisions=order.revisions,
        points=points,
        band=band(curve, _shown_positions(order, points)),
        changes=tuple(
            _change_row(change, found.relative_to.value, curve, at, series) for change in found.changes
        ),
        undecided=tuple(
            replace(one, first=revisions_of[one.first][0], last=revisions_of[one.last][1])
            for one in found.undecided
        ),
        enough_data=found.enough_data,
        gap=certainty_gap(curve),
    )


def _shown_positions(order: OrderedRevisions, points: Sequence[MeasuredPoint]) -> tuple[int, ...]:
    """Positions at which the band is drawn: all of them, or evenly many and the measured ones with neighbours."""
    everything = np.array([place.position for place in order.revisions], dtype=np.int64)
    if len(everything) <= _BAND_POSITIONS:
        return tuple(everything.tolist())
    even = everything[np.linspace(0, len(everything) - 1, _BAND_POSITIONS).astype(np.int64)]
    measured = np.array([point.position for point in points], dtype=np.int64)
    around = np.concatenate([measured - 1, measured, measured + 1])
    return tuple(np.union1d(even, np.intersect1d(around, everything)).tolist())


def _change_row(
    change: ChangePoint, reference: str, curve: HistoryCurve, at: dict[int, str], series: SeriesRow
) -> ChangeRow:
    before, after = curve.versions.between((change.bracket_before, change.bracket_after))
    return ChangeRow(
        before=at[before],
        after=at[after],
        before_position=before,
        after_position=after,
        size=change.absolute_size,
        relative=change.relative_size,
        low=change.relative_low,
        high=change.relative_high,
        reference=reference,
        probability=change.location_probability,
        unmeasured=sum(before < position < after for position in at),
        is_slower=(change.absolute_size > 0) == (series.better == Metric.Better.LOWER),
    )
