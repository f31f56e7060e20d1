"""Values whose outliers are clipped, and how far their noise is autocorrelated."""

import numpy as np
from scipy.ndimage import median_filter

from analytics.histories.measurements import FloatArray
from analytics.histories.noise import median

# Residuals about the running median are clipped at so many robust standard deviations.
CLIP = 2.5
# Values of the running median: a step of five points and more stays a step.
WIDTH = 7
# The running median follows its own points: their residuals are smaller by this factor (simulated, Gaussian).
SHRINKAGE = 1.1
# A normal variable's standard deviation over its median absolute deviation.
MAD_TO_DEVIATION = 1.4826
# The largest autocorrelation that differences are believed to show.
MOST = 0.9
# Squared differences count at most as those of so many standard deviations.
SQUARED_CLIP = 9.0


def deviation(residuals: FloatArray, floor: float) -> float:
    """Return the robust standard deviation of residuals (n,), at least the floor."""
    return max(MAD_TO_DEVIATION * median(np.abs(residuals)), floor)


def clipped(y: FloatArray, floor: float) -> FloatArray:
    """Return the values (n,) with their residuals about the running median clipped: winsorized, levels kept."""
    middle = median_filter(y, size=min(WIDTH, len(y)), mode="reflect")
    residuals = y - middle
    limit = CLIP * SHRINKAGE * deviation(residuals, floor)
    return np.asarray(middle + np.clip(residuals, -limit, limit))


def autocorrelation(y: FloatArray, floor: float) -> tuple[float, float]:
    """Return the lag-one autocorrelation of the noise of y (n,), n >= 4, and its variance, whatever its levels.

    AR(1) noise of variance v has mean squared differences 2 v (1 - phi^k) at lag k: those at lags 1 to 3 tell phi, and
    steps change few differences, which are clipped.
    """
    spread = deviation(np.diff(y), floor) / np.sqrt(2.0)
    most = 2.0 * SQUARED_CLIP * spread**2
    first, second, third = (float(np.minimum((y[k:] - y[:-k]) ** 2, most).mean()) for k in (1, 2, 3))
    # The sum of lags 2 and 3 over lag 1 is 2 + 2 phi + phi^2.
    ratio = (second + third) / max(first, floor**2)
    phi = float(np.clip(np.sqrt(max(ratio - 1.0, 0.0)) - 1.0, 0.0, MOST))
    return phi, max(first / 2.0, spread**2, floor**2) / (1.0 - phi)
