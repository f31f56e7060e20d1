"""Squares around levels and steps under AR(1) noise, of any stretch of a series: from running sums, in O(1) each.

Whitened by an autocorrelation phi, the product of two columns over a stretch is quadratic in phi: that of all points, minus
phi times that of each point with the one before it, plus phi^2 times that of the points inside (Prais & Winsten 1954).
"""

import numpy as np
from numpy.typing import NDArray

from analytics.histories.measurements import FloatArray, IntArray

# Autocorrelations over which likelihoods are maximized.
PHIS = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98])
# No product is divided by less.
SMALLEST = 1e-300
_POWERS = np.stack((np.ones(len(PHIS)), -PHIS, PHIS**2))
# Of a step: ones from it on with themselves, with all ones, and with y.
_ONES_ONES_Y = np.array([0, 0, 1])

LongArray = NDArray[np.longdouble]


def quadratic(own: FloatArray, lagged: FloatArray, inner: FloatArray) -> FloatArray:
    """Return whitened products, (..., phis), from those of all points, of neighbours and of the points inside, (...)."""
    return np.asarray(own[..., None] - PHIS * lagged[..., None] + PHIS**2 * inner[..., None])


class RunningProducts:
    """The whitened products of `ones` (n,), the levels' column, and `y` (n,) over any stretch start..end-1.

    Each table (3, 3, n + 1) holds the three parts of the quadratic, and for each what ends (or begins) there adds to the
    products of ones with ones, ones with y, and y with y; of a step that begins there those of `_ONES_ONES_Y`.
    """

    def __init__(self, ones: FloatArray, y: FloatArray) -> None:
        before, y_before = np.append(0.0, ones[:-1]), np.append(0.0, y[:-1])
        # Differences of running sums lose digits: so these have more.
        own = _running(np.stack((ones**2, ones * y, y**2)))
        lagged = _running(np.stack((2.0 * ones * before, ones * y_before + y * before, 2.0 * y * y_before)))
        later = np.minimum(np.arange(1, len(ones) + 2), len(ones))
        earlier = np.maximum(np.arange(-1, len(ones)), 0)
        self._ends = np.stack((own, lagged, own[:, earlier]))
        self._starts = np.stack((own, lagged[:, later], own[:, later]))
        # The first point of a step is not whitened: nothing of the step comes before it.
        entering = np.stack((np.zeros(len(ones)), ones * before, ones * y_before))
        steps = own[_ONES_ONES_Y]
        self._middles = np.stack((steps, lagged[_ONES_ONES_Y][:, later], steps))
        self._middles[1, :, :-1] -= entering
        # The places of a step need fewer digits, and take a fifth of the time with them.
        self._plain = tuple(one.astype(np.float64) for one in (self._ends, self._starts, self._middles))
        self._at: dict[float, tuple[FloatArray, FloatArray, FloatArray]] = {}

    def level(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Return the whitened squares around one level of each stretch start..end-1, (k, phis)."""
        ones, cross, squares = _whitened(self._ends[:, :, ends] - self._starts[:, :, starts])
        return np.asarray(squares - cross**2 / np.maximum(ones, SMALLEST))

    def level_and_step(
        self, starts: IntArray, middles: IntArray, ends: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the squares around one level of each stretch, and around two that differ from `middle` on, (k, phis) each."""
        at_ends = self._ends[:, :, ends]
        ones, cross, squares = _whitened(at_ends - self._starts[:, :, starts])
        after, with_ones, with_y = _whitened(at_ends[:, _ONES_ONES_Y] - self._middles[:, :, middles])
        share = cross / np.maximum(ones, SMALLEST)
        level = squares - cross * share
        left = np.maximum(after - with_ones**2 / np.maximum(ones, SMALLEST), SMALLEST)
        return level, np.asarray(level - (with_y - with_ones * share) ** 2 / left)

    def split_gains(self, phi: float, start: int, end: int) -> FloatArray:
        """Return by how much each of the splits of start..end-1 into two levels lowers the whitened squares, (end - start - 1,)."""
        if phi not in self._at:
            first, second, third = (part[0] - phi * part[1] + phi * phi * part[2] for part in self._plain)
            self._at[phi] = first, second, third
        ends, starts, middles = self._at[phi]
        ones, cross, _ = (ends[:, end] - starts[:, start]).tolist()
        after, with_ones, with_y = ends[_ONES_ONES_Y, end][:, None] - middles[:, start + 1 : end]
        explained = with_y - with_ones * (cross / ones)
        return np.asarray(explained**2 / np.maximum(after - with_ones**2 / ones, SMALLEST))


def _running(products: FloatArray) -> LongArray:
    """The sums of all products before each point and before the end, (3, n + 1)."""
    sums = np.zeros((len(products), products.shape[1] + 1), dtype=np.longdouble)
    np.cumsum(products, axis=1, out=sums[:, 1:])
    return sums


def _whitened(parts: LongArray) -> FloatArray:
    """The whitened products, (3, k, phis), of their three parts (3, 3, k)."""
    flat = parts.astype(np.float64).reshape(3, -1)
    return np.asarray((flat.T @ _POWERS).reshape(3, -1, len(PHIS)))
