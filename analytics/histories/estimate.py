"""The estimate at any revision, measured or not: one value, and the band around it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.history import predict
from analytics.histories.robust_levels import point_estimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from analytics.histories.fitted import Band, FittedHistory
    from analytics.histories.measurements import FloatArray


def estimate(
    fitted: FittedHistory, positions: Sequence[int] | npt.NDArray[np.integer]
) -> tuple[FloatArray, Band]:
    """Return the best single value at each position, (m,), in the metric's unit, and a band that holds it.

    Of the default kernel the values are those of `point_estimates`, by which a replay is judged. The band is that of `predict`, but its 95 % go as
    far as the value where that lies beyond: in a bracket with a step much larger than the usual movement, the level of
    the nearer end is likelier than what Brownian motion allows. Of any other kernel the value is the median of its band.
    """
    band = predict(fitted, positions)
    if not fitted.settings.is_brownian:
        return band.median, band
    values = point_estimates(fitted, np.asarray(positions))
    low, high = np.minimum(band.lower_95, values), np.maximum(band.upper_95, values)
    return values, replace(band, lower_95=low, upper_95=high)
