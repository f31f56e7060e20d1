"""One fitted history as a row: figures for lists, and packed arrays for what lists draw."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analytics.changepoints import ChangePoint
from analytics.histories import Measurements
from dashboard.models import HistoryFit, Metric
from dashboard.selectors.histories.codes import CodeVersions
from dashboard.selectors.histories.fits import HistoryCurve, certainty_gap, changes_in_line, fit_in_line
from dashboard.selectors.packed_fits import pack


@dataclass(frozen=True, slots=True)
class FitKey:
    """What a stored fit is found by."""

    series_id: int
    data_version: int
    settings_digest: str
    method_version: str


def fit_row(
    key: FitKey, measurements: Measurements, curve: HistoryCurve, ids: Mapping[int, int], better: str
) -> HistoryFit:
    """Fit a series and search it for changes, in the line of `curve`, whose points are not looked at.

    `ids` are those of the revisions by position. Raises `HistoryError` and `ChangePointError`.
    """
    line = curve.line
    fitted = fit_in_line(measurements, curve)
    found = changes_in_line(measurements, curve.level, line)
    steps = [_between(change, line) for change in found.changes]
    largest = max(steps, key=lambda change: abs(change.relative_size), default=None)
    last = steps[-1] if steps else None
    measured = measurements.positions.tolist()
    revisions = [ids[position] for position in measured]
    # The smooth levels: a list draws them as small as a word, and the best values would take half as long again.
    at = np.searchsorted(fitted.measurements.positions, [line.version_at[position] for position in measured])
    levels = fitted.scale.backward(fitted.level_means)[at]
    row = HistoryFit(
        series_id=key.series_id,
        data_version=key.data_version,
        settings_digest=key.settings_digest,
        method_version=key.method_version,
        measured=len(measurements),
        enough_data=found.enough_data,
        latest=float(measurements.values[-1]),
        latest_revision_id=revisions[-1],
        certainty_gap=certainty_gap(fitted, curve),
        changes=len(steps),
        packed=pack(revisions, levels, steps, ids),
    )
    for name, change in (("largest", largest), ("last", last)):
        if change is not None:
            _note(row, name, change, ids, better)
    return row


def _between(change: ChangePoint, line: CodeVersions) -> ChangePoint:
    """The change with its bracket as positions instead of places of the line."""
    before, after = line.between((change.bracket_before, change.bracket_after))
    return replace(change, bracket_before=before, bracket_after=after)


def _note(row: HistoryFit, name: str, change: ChangePoint, ids: Mapping[int, int], better: str) -> None:
    worse = (change.absolute_size > 0) == (better == Metric.Better.LOWER)
    setattr(row, f"{name}_change", _finite(change.relative_size))
    setattr(row, f"{name}_is_worse", worse)
    setattr(row, f"{name}_before_id", ids[change.bracket_before])
    setattr(row, f"{name}_after_id", ids[change.bracket_after])


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
