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


def whitened(parts: FloatArray) -> FloatArray:
    """Return whitened products, (k, phis), from those of all points, of neighbours and of the points inside, (3, k)."""
    return np.asarray(parts.T @ _POWERS)


class RunningProducts:
    """The whitened products of `ones` (n,), the levels' column, and `y` (n,) over any stretch start..end-1.

    Each table (3, 3, n + 1) holds the three parts of the quadratic, and for each what ends (or begins) there adds to the
    products of ones with ones, ones with y, and y with y; of a step that begins there those of `_ONES_ONES_Y`.
    """

    def __init__(self, ones: FloatArray, y: FloatArray) -> None:
        before, y_before = np.append(0.0, ones[:-1]), np.append(0.0, y[:-1])
        # Differences of running sums lose digits: so these have more.
        own = _running(np.array((ones**2, ones * y, y**2)))
        lagged = _running(np.array((2.0 * ones * before, ones * y_before + y * before, 2.0 * y * y_before)))
        shape = (3, *own.shape)
        self._ends, self._starts = np.empty(shape, np.longdouble), np.empty(shape, np.longdouble)
        self._ends[0] = self._starts[0] = own
        self._ends[1] = lagged
        self._ends[2, :, 1:], self._ends[2, :, 0] = own[:, :-1], own[:, 0]
        # What comes one point later; behind the last one nothing.
        for of_starts, sums in zip(self._starts[1:], (lagged, own), strict=True):
            of_starts[:, :-1], of_starts[:, -1] = sums[:, 1:], sums[:, -1]
        self._middles = self._starts[:, _ONES_ONES_Y]
        self._middles[2] = self._middles[0]
        # The first point of a step is not whitened: nothing of the step comes before it.
        self._middles[1, 1, :-1] -= ones * before
        self._middles[1, 2, :-1] -= ones * y_before
        # The places of a step need fewer digits, and take a fifth of the time with them.
        parts = (self._ends[:, :2], self._starts[:, :2], self._middles)
        self._plain = np.concatenate([part.astype(np.float64) for part in parts], axis=1)
        self._at: dict[float, FloatArray] = {}

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

    def levels_and_steps(self, bounds: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the squares around each level between the bounds 0, ..., n, (m + 1, phis), around each two neighbours as one, and as they are, (m, phis)."""
        ends, starts = self._ends[:, :, bounds[1:]], self._starts[:, :, bounds[:-1]]
        steps = ends[:, _ONES_ONES_Y, 1:] - self._middles[:, :, bounds[1:-1]]
        levels = ends - starts
        stretches = np.concatenate((levels, ends[:, :, 1:] - starts[:, :, :-1], steps), axis=2)
        whitened, inner = _whitened(stretches), len(bounds) - 1
        ones, cross, squares = whitened[:, : stretches.shape[2] - steps.shape[2]]
        share = cross / np.maximum(ones, SMALLEST)
        around = squares - cross * share
        after, with_ones, with_y = whitened[:, len(around) :]
        left = np.maximum(after - with_ones**2 / np.maximum(ones[inner:], SMALLEST), SMALLEST)
        stepped = around[inner:] - (with_y - with_ones * share[inner:]) ** 2 / left
        return around[:inner], around[inner:], np.asarray(stepped)

    def split_gains(self, phi: float, start: int, end: int) -> FloatArray:
        """Return by how much each of the splits of start..end-1 into two levels lowers the whitened squares, (end - start - 1,)."""
        if (at := self._at.get(phi)) is None:
            own, lagged, inner = self._plain
            at = self._at[phi] = own - phi * lagged + phi * phi * inner
        # A few numbers: arrays of them take ten times as long.
        ones_at_end, y_at_end = at[:2, end].tolist()
        ones, cross = at[2:4, start].tolist()
        ones, cross = ones_at_end - ones, y_at_end - cross
        before, before_ones, before_y = at[4:, start + 1 : end]
        with_ones = ones_at_end - before_ones
        explained = y_at_end - before_y - with_ones * (cross / ones)
        left = ones_at_end - before - with_ones**2 / ones
        return np.asarray(explained**2 / np.maximum(left, SMALLEST))


def _running(products: FloatArray) -> LongArray:
    """The sums of all products before each point and before the end, (3, n + 1)."""
    sums = np.zeros((len(products), products.shape[1] + 1), dtype=np.longdouble)
    np.cumsum(products, axis=1, out=sums[:, 1:])
    return sums


def _whitened(parts: LongArray) -> FloatArray:
    """The whitened products, (3, k, phis), of their three parts (3, 3, k)."""
    flat = parts.astype(np.float64).reshape(3, -1)
    return whitened(flat).reshape(3, -1, len(PHIS))
