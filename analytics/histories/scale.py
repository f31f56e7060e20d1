"""The scale a history is fitted on: logarithms for positive values, the plain unit otherwise."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.errors import HistoryError

if TYPE_CHECKING:
    from analytics.histories.measurements import FloatArray

# The band far from all measurements is wider than a float holds.
LARGEST_LOG = 700.0


class ValueScale(StrEnum):
    """How values are transformed before fitting."""

    LOG = "log"
    PLAIN = "plain"

    def forward(self, values: FloatArray) -> FloatArray:
        """Return the values on this scale."""
        return np.log(values) if self is ValueScale.LOG else np.array(values)

    def backward(self, values: FloatArray) -> FloatArray:
        """Return values of this scale in the metric's own unit."""
        return np.exp(np.minimum(values, LARGEST_LOG)) if self is ValueScale.LOG else np.array(values)

    def sizes(self, sizes: FloatArray, values: FloatArray) -> FloatArray:
        """Return small sizes (in the metric's unit, at `values`) on this scale, to first order."""
        return np.asarray(sizes / values) if self is ValueScale.LOG else np.array(sizes)


def choose_scale(values: FloatArray, *, log_scale: bool) -> ValueScale:
    """Return the log scale where it is wanted and all values are positive, else the plain scale.

    A term's influence may be zero or negative: its history is fitted on the plain scale.
    """
    return ValueScale.LOG if log_scale and bool(np.all(values > 0)) else ValueScale.PLAIN


def unit_of(scale: ValueScale, values: FloatArray, reference_level: float | None) -> float:
    """Return the size, on `scale`, of "100 %".

    It is 1 on the log scale. On the plain scale it is `reference_level` (such as the base configuration's
    time for a term) or else the median magnitude of the values; where that is zero, their largest magnitude,
    or 1. Raises `HistoryError` on a reference level that is not positive.
    """
    if reference_level is not None and not 0 < reference_level < np.inf:
        raise HistoryError(f"the reference level must be positive, got {reference_level}")
    if scale is ValueScale.LOG:
        return 1.0
    if reference_level is not None:
        return reference_level
    magnitudes = np.abs(values)
    return float(np.median(magnitudes)) or float(magnitudes.max()) or 1.0
