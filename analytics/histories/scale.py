"""The scale a history is fitted on: logarithms for positive values, the plain unit otherwise."""

from enum import StrEnum

import numpy as np

from analytics.histories.errors import HistoryError
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


def scale_and_unit(
    values: FloatArray, *, log_scale: bool, reference_level: float | None
) -> tuple[ValueScale, float]:
    """Return the scale that values are fitted on, and the size of "100 %" there.

    The log scale where it is wanted and all values are positive, else the plain one: a term's influence may be zero or
    negative. The size is 1 on the log scale. On the plain scale it is `reference_level` (such as the base configuration's
    time for a term) or else the median magnitude of the values; where that is zero, their largest magnitude, or 1. Raises
    `HistoryError` on a reference level that is not positive.
    """
    if reference_level is not None and not 0 < reference_level < np.inf:
        raise HistoryError(f"the reference level must be positive, got {reference_level}")
    if log_scale and bool(np.all(values > 0)):
        return ValueScale.LOG, 1.0
    magnitudes = np.abs(values)
    typical = float(np.median(magnitudes)) or float(magnitudes.max()) or 1.0
    return ValueScale.PLAIN, typical if reference_level is None else reference_level
