"""Histories to read: the band over all revisions, measured or not, and its change points."""

from collections.abc import Collection, Sequence

import numpy as np

from analytics.changepoints import ChangePoint, ChangePoints
from dashboard.access import NotFound, Principal
from dashboard.models import Metric, Series
from dashboard.selectors.histories.codes import CodeVersions
from dashboard.selectors.histories.curves import curve_of, curves
from dashboard.selectors.histories.fits import band, certainty_gap, changes, fitted_history
from dashboard.selectors.histories.rows import (
    ChangeRow,
    History,
    MeasuredPoint,
    RevisionPlace,
    SeriesRow,
    SeriesSummary,
    UndecidedRow,
)
from dashboard.selectors.histories.series import (
    OrderedRevisions,
    get_series,
    list_series,
    ordered_revisions,
    with_same_code,
)

# More than a screen is wide: further revisions between these would not be seen.
_BAND_POSITIONS = 1500


def get_history(*, principal: Principal, slug: str, series_id: int, order: str = "") -> History:
    """One history: its points, the band over all revisions of the order, and its changes.

    Raises `NotFound` for an unknown series, or one without a point in the order. Constant number of queries.
    """
    series = get_series(principal=principal, slug=slug, series_id=series_id)
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    curve = curve_of(principal=principal, slug=slug, series=series, order=placed)
    if not curve.points:
        raise NotFound(f"{series.label} has no measured revision in the order {placed.name!r}")
    line = curve.line
    shown = with_same_code(curve.points, placed)
    found = changes(curve.points, curve.level, line)
    return History(
        series=series,
        order=placed.name,
        revisions=placed.revisions,
        points=shown,
        band=band(curve, _shown_positions(placed, shown)),
        changes=_change_rows(found, placed, line, series),
        undecided=_undecided_rows(found, placed, line, curve.level),
        enough_data=found.enough_data,
    )


def summarise_histories(
    *, principal: Principal, slug: str, kind: str, order: str = "", series_ids: Collection[int] | None = None
) -> tuple[SeriesSummary, ...]:
    """All histories of one kind, or those in `series_ids`, the ones that changed most first.

    Constant number of queries.
    """
    of_bases = [Series.SubjectKind.CONFIGURATION.value] if kind == Series.SubjectKind.TERM else []
    found = list_series(principal=principal, slug=slug, kinds=[kind, *of_bases])
    chosen = tuple(
        series
        for series in found
        if series.kind == kind and (series_ids is None or series.series_id in series_ids)
    )
    if not chosen:
        return ()
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    summaries = []
    drawn = curves(principal=principal, slug=slug, series=chosen, order=placed, siblings=found)
    for series in chosen:
        curve = drawn[series.series_id]
        if len(curve.points) < 2:
            continue
        shown = with_same_code(curve.points, placed)
        searched = changes(curve.points, curve.level, curve.line)
        summaries.append(
            SeriesSummary(
                series=series,
                latest=shown[-1],
                changes=_change_rows(searched, placed, curve.line, series),
                band=band(curve, _shown_positions(placed, shown)),
                points=shown,
                enough_data=searched.enough_data,
                gap=certainty_gap(fitted_history(curve), curve),
            )
        )
    return tuple(sorted(summaries, key=_weight, reverse=True))


def _weight(summary: SeriesSummary) -> tuple[float, float]:
    """Changed ones first, by the largest change in the metric's unit; then by the size of the latest value."""
    largest = max((abs(change.size) for change in summary.changes), default=0.0)
    return largest, abs(summary.latest.median) if summary.latest else 0.0


def _shown_positions(placed: OrderedRevisions, points: Sequence[MeasuredPoint]) -> tuple[int, ...]:
    """Positions at which the band is drawn: all of them, or evenly many and the measured ones with neighbours."""
    everything = np.array([place.position for place in placed.revisions], dtype=np.int64)
    if len(everything) <= _BAND_POSITIONS:
        return tuple(int(position) for position in everything)
    even = everything[np.linspace(0, len(everything) - 1, _BAND_POSITIONS).astype(np.int64)]
    measured = np.array([point.position for point in points], dtype=np.int64)
    around = np.concatenate([measured - 1, measured, measured + 1])
    shown = np.union1d(even, np.intersect1d(around, everything))
    return tuple(int(position) for position in shown)


def _change_rows(
    found: ChangePoints, placed: OrderedRevisions, line: CodeVersions, series: SeriesRow
) -> tuple[ChangeRow, ...]:
    at = {place.position: place for place in placed.revisions}
    return tuple(_change_row(change, found, at, line, series) for change in found.changes)


def _change_row(
    change: ChangePoint,
    found: ChangePoints,
    at: dict[int, RevisionPlace],
    line: CodeVersions,
    series: SeriesRow,
) -> ChangeRow:
    grows = change.absolute_size > 0
    before, after = line.between((change.bracket_before, change.bracket_after))
    return ChangeRow(
        before=at[before].name,
        after=at[after].name,
        before_position=before,
        after_position=after,
        size=change.absolute_size,
        relative=change.relative_size,
        low=change.relative_low,
        high=change.relative_high,
        reference=found.relative_to.value,
        probability=change.location_probability,
        unmeasured=sum(before < position < after for position in at),
        is_slower=grows == (series.better == Metric.Better.LOWER),
    )


def _undecided_rows(
    found: ChangePoints, placed: OrderedRevisions, line: CodeVersions, level: float | None
) -> tuple[UndecidedRow, ...]:
    at = {place.position: place.name for place in placed.revisions}
    return tuple(
        UndecidedRow(
            first=at[line.revisions_of[one.first][0]],
            last=at[line.revisions_of[one.last][1]],
            relative=one.relative_size,
            size=one.relative_size * (level or one.level / (1 + one.relative_size)),
        )
        for one in found.undecided
    )
