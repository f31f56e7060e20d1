"""Fits of histories and searches for their changes, in places of a line: the one way for pages, jobs and stored fits.

`level` is the default configuration's value where the points are a term's, None otherwise. Kept by the content of the
points: a page that is looked at again does not fit again.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.changepoints import ChangePoints, find_change_points
from analytics.histories import FittedHistory, Measurements, estimate, fit, predict
from dashboard.selectors.histories.codes import Bracket, CodeVersions
from dashboard.selectors.histories.fitting import change_settings, history_settings
from dashboard.selectors.histories.rows import BandRow, MeasuredPoint
from dashboard.selectors.histories.series import as_measurements

_KEPT = 1024


@dataclass(frozen=True, slots=True)
class HistoryCurve:
    """What a fit is of: the points of a series of some kind, and what is known besides.

    `elsewhere` are the brackets in which other histories changed, `noise` is how far the value of a code is off at least,
    relative.
    """

    points: tuple[MeasuredPoint, ...]
    level: float | None
    line: CodeVersions
    kind: str
    elsewhere: tuple[Bracket, ...] = ()
    noise: float = 0.0


@lru_cache(maxsize=_KEPT)
def fitted_history(curve: HistoryCurve) -> FittedHistory:
    """The fit, in places of the line."""
    return fit_in_line(as_measurements(curve.points, are_estimates=curve.level is not None), curve)


def fit_in_line(measurements: Measurements, curve: HistoryCurve) -> FittedHistory:
    """The fit, in places of the line, of measurements by position; the curve's own points are not looked at.

    Raises `HistoryError`.
    """
    line = curve.line
    settings = history_settings(curve.kind, level=curve.level, length=line.length, noise=curve.noise)
    return fit(line.by_version(measurements), settings, change_prior=line.change_prior(curve.elsewhere))


@lru_cache(maxsize=_KEPT)
def band(curve: HistoryCurve, positions: tuple[int, ...]) -> tuple[BandRow, ...]:
    """The estimate and the band of the fit at some positions of the order."""
    places = np.array([curve.line.version_at[position] for position in positions], dtype=np.int64)
    values, found = estimate(fitted_history(curve), places)
    columns = (values, found.lower_50, found.upper_50, found.lower_95, found.upper_95)
    rows = zip(positions, *(column.tolist() for column in columns), strict=True)
    return tuple(BandRow(*row) for row in rows)


@lru_cache(maxsize=_KEPT)
def changes(points: tuple[MeasuredPoint, ...], level: float | None, line: CodeVersions) -> ChangePoints:
    """The changes of a history, their brackets as places of the line."""
    return changes_in_line(as_measurements(points, are_estimates=level is not None), level, line)


def certainty_gap(fitted: FittedHistory, curve: HistoryCurve) -> float | None:
    """The widest 95 % band at any revision, half of it, relative to the history there, or to the curve's level."""
    found = predict(fitted, list(curve.line.revisions_of))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        widest = np.max((found.upper_95 - found.lower_95) / (2 * (curve.level or np.abs(found.median))))
    return float(widest) if np.isfinite(widest) else None


def changes_in_line(measurements: Measurements, level: float | None, line: CodeVersions) -> ChangePoints:
    """The changes, their brackets as places of the line, of measurements by position. Raises `ChangePointError`."""
    return find_change_points(line.by_version(measurements), change_settings(level))
