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

    Of running sums: what ends or begins at a place adds so much to each of the three parts of the quadratic, for the products of ones
    with ones, ones with y, and y with y; of a step that begins there for those of `_ONES_ONES_Y`.
    """

    def __init__(self, ones: FloatArray, y: FloatArray) -> None:
        before, y_before = np.append(0.0, ones[:-1]), np.append(0.0, y[:-1])
        # Differences of running sums lose digits: so these have more.
        self._own = _running(np.array((ones**2, ones * y, y**2)))
        self._lagged = _running(
            np.array((2.0 * ones * before, ones * y_before + y * before, 2.0 * y * y_before))
        )
        # The first point of a step is not whitened: nothing of the step comes before it.
        self._first = np.zeros((3, len(y) + 1))
        np.multiply(ones, before, out=self._first[1, :-1])
        np.multiply(ones, y_before, out=self._first[2, :-1])
        self._at: dict[float, FloatArray] = {}
        self._parts: FloatArray | None = None

    def level(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Return the whitened squares around one level of each stretch start..end-1, (k, phis)."""
        ones, cross, squares = _whitened(self._at_ends(ends) - self._at_starts(starts))
        return np.asarray(squares - cross**2 / np.maximum(ones, SMALLEST))

    def level_and_step(
        self, starts: IntArray, middles: IntArray, ends: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return the squares around one level of each stretch, and around two that differ from `middle` on, (k, phis) each."""
        at_ends = self._at_ends(ends)
        ones, cross, squares = _whitened(at_ends - self._at_starts(starts))
        after, with_ones, with_y = _whitened(at_ends[:, _ONES_ONES_Y] - self._at_middles(middles))
        share = cross / np.maximum(ones, SMALLEST)
        level = squares - cross * share
        left = np.maximum(after - with_ones**2 / np.maximum(ones, SMALLEST), SMALLEST)
        return level, np.asarray(level - (with_y - with_ones * share) ** 2 / left)

    def levels_and_steps(self, bounds: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the squares around each level between the bounds 0, ..., n, (m + 1, phis), around each two neighbours as one, and as they are, (m, phis)."""
        ends, starts = self._at_ends(bounds[1:]), self._at_starts(bounds[:-1])
        steps = ends[:, _ONES_ONES_Y, 1:] - self._at_middles(bounds[1:-1])
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
            if self._parts is None:
                self._parts = self._plain()
            own, lagged, inner = self._parts
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

    def _at_ends(self, at: IntArray) -> LongArray:
        """The three parts of what ends at each of these places, (3, 3, k)."""
        return np.array((self._own[:, at], self._lagged[:, at], self._own[:, np.maximum(at - 1, 0)]))

    def _at_starts(self, at: IntArray) -> LongArray:
        """The same of what begins there: of the others what comes one point later; behind the last one nothing."""
        later = np.minimum(at + 1, self._own.shape[1] - 1)
        return np.array((self._own[:, at], self._lagged[:, later], self._own[:, later]))

    def _at_middles(self, at: IntArray) -> LongArray:
        """The same of a step that begins there."""
        later = np.minimum(at + 1, self._own.shape[1] - 1)
        own = self._own[:, at][_ONES_ONES_Y]
        return np.array((own, self._lagged[:, later][_ONES_ONES_Y] - self._first[:, at], own))

    def _plain(self) -> FloatArray:
        """Ends and starts without the squares of y, and middles, of all places, (3, 7, n + 1): the places of a step need fewer digits."""
        later = np.append(np.arange(1, self._own.shape[1]), -1)
        plain = np.zeros((3, 7, len(later)))
        own, lagged = self._own.astype(np.float64), self._lagged.astype(np.float64)
        plain[0, :2] = plain[0, 2:4] = own[:2]
        plain[0, 4:] = plain[2, 4:] = own[_ONES_ONES_Y]
        plain[1, :2], plain[2, :2, 1:] = lagged[:2], own[:2, :-1]
        plain[1, 2:4], plain[2, 2:4] = lagged[:2, later], own[:2, later]
        plain[1, 4:] = self._lagged[:, later][_ONES_ONES_Y] - self._first
        return plain


def _running(products: FloatArray) -> LongArray:
    """The sums of all products before each point and before the end, (3, n + 1)."""
    sums = np.zeros((len(products), products.shape[1] + 1), dtype=np.longdouble)
    np.cumsum(products, axis=1, out=sums[:, 1:])
    return sums


def _whitened(parts: LongArray) -> FloatArray:
    """The whitened products, (3, k, phis), of their three parts (3, 3, k)."""
    flat = parts.astype(np.float64).reshape(3, -1)
    return whitened(flat).reshape(3, -1, len(PHIS))
