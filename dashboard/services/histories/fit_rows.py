"""One fitted history as a row: figures for lists, and packed arrays for what lists draw."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.changepoints import ChangePoint, find_change_points
from analytics.histories import FittedHistory, Measurements, fit, predict
from dashboard.models import HistoryFit, Metric
from dashboard.selectors.fitting import change_settings, history_settings
from dashboard.selectors.histories.series import OrderedRevisions
from dashboard.selectors.packed_fits import pack


@dataclass(frozen=True, slots=True)
class FitKey:
    """What a stored fit is found by."""

    series_id: int
    data_version: int
    settings_digest: str
    code_version: str


@dataclass(frozen=True, slots=True)
class Line:
    """The revisions of an order, for many fits: `ids` by position, and the positions as an array."""

    ids: Mapping[int, int]
    positions: np.ndarray

    @classmethod
    def of(cls, placed: OrderedRevisions) -> "Line":
        """The line of an order."""
        ids = {place.position: place.revision_id for place in placed.revisions}
        return cls(ids, np.array(sorted(ids), dtype=np.int64))


def fit_row(key: FitKey, measurements: Measurements, line: Line, *, kind: str, better: str) -> HistoryFit:
    """Fit a series and search it for changes. Raises `HistoryError` and `ChangePointError`."""
    fitted = fit(measurements, history_settings(kind, level=None, length=len(line.ids)))
    found = find_change_points(measurements, change_settings(None))
    largest = max(found.changes, key=lambda change: abs(change.relative_size), default=None)
    last = found.changes[-1] if found.changes else None
    revisions = [line.ids[position] for position in measurements.positions.tolist()]
    row = HistoryFit(
        series_id=key.series_id,
        data_version=key.data_version,
        settings_digest=key.settings_digest,
        code_version=key.code_version,
        measured=len(measurements),
        enough_data=found.enough_data,
        latest=float(measurements.values[-1]),
        latest_revision_id=revisions[-1],
        certainty_gap=_gap(fitted, line),
        changes=len(found.changes),
        packed=pack(revisions, fitted.scale.backward(fitted.level_means), found.changes, line.ids),
    )
    for name, change in (("largest", largest), ("last", last)):
        if change is not None:
            _note(row, name, change, line, better)
    return row


def _note(row: HistoryFit, name: str, change: ChangePoint, line: Line, better: str) -> None:
    worse = (change.absolute_size > 0) == (better == Metric.Better.LOWER)
    setattr(row, f"{name}_change", _finite(change.relative_size))
    setattr(row, f"{name}_is_worse", worse)
    setattr(row, f"{name}_before_id", line.ids[change.bracket_before])
    setattr(row, f"{name}_after_id", line.ids[change.bracket_after])


def _gap(fitted: FittedHistory, line: Line) -> float | None:
    """The widest 95 % band at any revision, half of it, relative to the estimate there."""
    band = predict(fitted, line.positions)
    with np.errstate(divide="ignore", invalid="ignore"):
        halves = (band.upper_95 - band.lower_95) / (2 * np.abs(band.median))
    return _finite(float(np.max(halves)))


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
