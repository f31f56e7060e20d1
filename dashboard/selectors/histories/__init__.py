"""Histories to read: the band over all revisions, measured or not, and its change points."""

from collections.abc import Sequence
from functools import lru_cache
from statistics import median

import numpy as np

from analytics.changepoints import ChangePoint, ChangePoints, find_change_points
from analytics.histories import FittedHistory, fit, predict
from dashboard.access import NotFound, Principal
from dashboard.models import Metric, Series
from dashboard.selectors.fitting import change_settings, history_settings
from dashboard.selectors.histories.rows import (
    BandRow,
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
    as_measurements,
    get_series,
    list_series,
    measured_points,
    ordered_revisions,
)

# More than a screen is wide: further revisions between these would not be seen.
_BAND_POSITIONS = 1500
# Fits kept by the content of their points: a page that is looked at again does not fit again.
_KEPT_FITS = 1024


def get_history(*, principal: Principal, slug: str, series_id: int, order: str = "") -> History:
    """One history: its points, the band over all revisions of the order, and its changes.

    Raises `NotFound` for an unknown series, or one without a point in the order. Constant number of queries.
    """
    series = get_series(principal=principal, slug=slug, series_id=series_id)
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    siblings = (
        list_series(principal=principal, slug=slug) if series.kind == Series.SubjectKind.TERM else (series,)
    )
    base = _base_series(series, siblings)
    wanted = (series_id, base.series_id) if base else (series_id,)
    points = measured_points(principal=principal, slug=slug, series_ids=wanted, order=placed)
    if not points[series_id]:
        raise NotFound(f"{series.label} has no measured revision in the order {placed.name!r}")
    level = _level(points[base.series_id]) if base else None
    positions = _shown_positions(placed, points[series_id])
    length = len(placed.revisions)
    found = _changes(points[series_id], level)
    return History(
        series=series,
        order=placed.name,
        revisions=placed.revisions,
        points=points[series_id],
        band=_band(points[series_id], positions, level, length, series.kind),
        changes=_change_rows(found, placed, series),
        undecided=_undecided_rows(found, placed, level),
        enough_data=found.enough_data,
    )


def summarise_histories(
    *, principal: Principal, slug: str, kind: str, order: str = ""
) -> tuple[SeriesSummary, ...]:
    """All histories of one kind, the ones that changed most first. Constant number of queries."""
    of_bases = [Series.SubjectKind.CONFIGURATION.value] if kind == Series.SubjectKind.TERM else []
    found = list_series(principal=principal, slug=slug, kinds=[kind, *of_bases])
    chosen = tuple(series for series in found if series.kind == kind)
    if not chosen:
        return ()
    placed = ordered_revisions(principal=principal, slug=slug, order=order)
    bases = {series.series_id: _base_series(series, found) for series in chosen}
    ids = {series.series_id for series in chosen} | {base.series_id for base in bases.values() if base}
    points = measured_points(principal=principal, slug=slug, series_ids=tuple(ids), order=placed)
    summaries = []
    for series in chosen:
        own = points[series.series_id]
        if len(own) < 2:
            continue
        base = bases[series.series_id]
        level = _level(points[base.series_id]) if base else None
        summaries.append(
            SeriesSummary(
                series=series,
                latest=own[-1],
                changes=_change_rows(_changes(own, level), placed, series),
                band=_band(own, _shown_positions(placed, own), level, len(placed.revisions), kind),
                points=own,
            )
        )
    return tuple(sorted(summaries, key=_weight, reverse=True))


def _weight(summary: SeriesSummary) -> tuple[float, float]:
    """Changed ones first, by the largest change in the metric's unit; then by the size of the latest value."""
    largest = max((abs(change.size) for change in summary.changes), default=0.0)
    return largest, abs(summary.latest.median) if summary.latest else 0.0


def _base_series(series: SeriesRow, siblings: Sequence[SeriesRow]) -> SeriesRow | None:
    """The default configuration's own history, to which a term's changes are relative; None for other kinds."""
    if series.kind != Series.SubjectKind.TERM:
        return None
    same = (series.workload, series.environment, series.quantity, series.unit, series.clock)
    for other in siblings:
        of_other = (other.workload, other.environment, other.quantity, other.unit, other.clock)
        if other.kind == Series.SubjectKind.CONFIGURATION and other.label == "default" and of_other == same:
            return other
    return None


def _level(points: Sequence[MeasuredPoint]) -> float | None:
    values = [point.median for point in points if point.median > 0]
    return median(values) if values else None


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


@lru_cache(maxsize=_KEPT_FITS)
def fitted_history(
    points: tuple[MeasuredPoint, ...], level: float | None, length: int, kind: str
) -> FittedHistory:
    """The fit to these points, kept for the next time they are asked for.

    `level` is the default configuration's value where they are a term's (None otherwise), `length` the number of
    revisions in the order, `kind` the series'.
    """
    settings = history_settings(kind, level=level, length=length)
    return fit(as_measurements(points, are_estimates=level is not None), settings)


@lru_cache(maxsize=_KEPT_FITS)
def _band(
    points: tuple[MeasuredPoint, ...], positions: tuple[int, ...], level: float | None, length: int, kind: str
) -> tuple[BandRow, ...]:
    band = predict(fitted_history(points, level, length, kind), list(positions))
    columns = (band.positions, band.median, band.lower_50, band.upper_50, band.lower_95, band.upper_95)
    return tuple(
        BandRow(int(row[0]), *(float(value) for value in row[1:])) for row in zip(*columns, strict=True)
    )


@lru_cache(maxsize=_KEPT_FITS)
def _changes(points: tuple[MeasuredPoint, ...], level: float | None) -> ChangePoints:
    measurements = as_measurements(points, are_estimates=level is not None)
    return find_change_points(measurements, change_settings(level))


def _change_rows(found: ChangePoints, placed: OrderedRevisions, series: SeriesRow) -> tuple[ChangeRow, ...]:
    at = {place.position: place for place in placed.revisions}
    return tuple(_change_row(change, found, at, series) for change in found.changes)


def _change_row(
    change: ChangePoint, found: ChangePoints, at: dict[int, RevisionPlace], series: SeriesRow
) -> ChangeRow:
    grows = change.absolute_size > 0
    between = sum(change.bracket_before < position < change.bracket_after for position in at)
    return ChangeRow(
        before=at[change.bracket_before].name,
        after=at[change.bracket_after].name,
        before_position=change.bracket_before,
        after_position=change.bracket_after,
        size=change.absolute_size,
        relative=change.relative_size,
        low=change.relative_low,
        high=change.relative_high,
        reference=found.relative_to.value,
        probability=change.location_probability,
        unmeasured=between,
        is_slower=grows == (series.better == Metric.Better.LOWER),
    )


def _undecided_rows(
    found: ChangePoints, placed: OrderedRevisions, level: float | None
) -> tuple[UndecidedRow, ...]:
    at = {place.position: place.name for place in placed.revisions}
    return tuple(
        UndecidedRow(
            first=at[one.first],
            last=at[one.last],
            relative=one.relative_size,
            size=one.relative_size * (level or one.level / (1 + one.relative_size)),
        )
        for one in found.undecided
    )
