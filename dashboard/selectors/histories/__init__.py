"""Histories to read: the band over all revisions, measured or not, and its change points."""

from collections.abc import Collection, Sequence

import numpy as np

from analytics.changepoints import ChangePoint, ChangePoints
from dashboard.access import NotFound, Principal
from dashboard.models import Metric, Series
from dashboard.selectors.histories.bases import base_series, level_of
from dashboard.selectors.histories.codes import CodeLine
from dashboard.selectors.histories.elsewhere import changes_elsewhere, whereabouts
from dashboard.selectors.histories.fits import Curve, band, changes
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
    measured_points,
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
    siblings = (
        list_series(principal=principal, slug=slug, kinds=[Series.SubjectKind.CONFIGURATION.value])
        if series.kind == Series.SubjectKind.TERM
        else (series,)
    )
    base = base_series(series, siblings)
    wanted = (series_id, base.series_id) if base else (series_id,)
    points = measured_points(principal=principal, slug=slug, series_ids=wanted, order=placed)
    if not points[series_id]:
        raise NotFound(f"{series.label} has no measured revision in the order {placed.name!r}")
    level = level_of(points[base.series_id]) if base else None
    line = placed.line
    own = whereabouts(principal=principal, slug=slug, series_ids=(series_id,))[series_id]
    elsewhere = changes_elsewhere(principal=principal, slug=slug, own=own, order=placed)
    shown = with_same_code(points[series_id], placed)
    curve = Curve(points[series_id], level, line, series.kind, elsewhere)
    found = changes(points[series_id], level, line)
    return History(
        series=series,
        order=placed.name,
        revisions=placed.revisions,
        points=shown,
        band=band(curve, _shown_positions(placed, shown)),
        changes=_change_rows(found, placed, line, series),
        undecided=_undecided_rows(found, placed, line, level),
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
    bases = {series.series_id: base_series(series, found) for series in chosen}
    ids = {series.series_id for series in chosen} | {base.series_id for base in bases.values() if base}
    points = measured_points(principal=principal, slug=slug, series_ids=tuple(ids), order=placed)
    line = placed.line
    summaries = []
    for series in chosen:
        own = points[series.series_id]
        if len(own) < 2:
            continue
        base = bases[series.series_id]
        level = level_of(points[base.series_id]) if base else None
        shown = with_same_code(own, placed)
        searched = changes(own, level, line)
        summaries.append(
            SeriesSummary(
                series=series,
                latest=shown[-1],
                changes=_change_rows(searched, placed, line, series),
                band=band(Curve(own, level, line, kind), _shown_positions(placed, shown)),
                points=shown,
                enough_data=searched.enough_data,
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
    found: ChangePoints, placed: OrderedRevisions, line: CodeLine, series: SeriesRow
) -> tuple[ChangeRow, ...]:
    at = {place.position: place for place in placed.revisions}
    return tuple(_change_row(change, found, at, line, series) for change in found.changes)


def _change_row(
    change: ChangePoint,
    found: ChangePoints,
    at: dict[int, RevisionPlace],
    line: CodeLine,
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
    found: ChangePoints, placed: OrderedRevisions, line: CodeLine, level: float | None
) -> tuple[UndecidedRow, ...]:
    at = {place.position: place.name for place in placed.revisions}
    return tuple(
        UndecidedRow(
            first=at[line.spans[one.first][0]],
            last=at[line.spans[one.last][1]],
            relative=one.relative_size,
            size=one.relative_size * (level or one.level / (1 + one.relative_size)),
        )
        for one in found.undecided
    )
