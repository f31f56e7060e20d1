"""How much better a step explains values than no step, and than anything smooth, under autocorrelated noise."""

from dataclasses import dataclass

import numpy as np

from analytics.changepoints.drifts import drifts, wander_gains
from analytics.histories.measurements import FloatArray, IntArray

# Autocorrelations over which likelihoods are maximized.
PHIS = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98])
# Determinant of the precision of a stretch of AR(1) noise: its first point has the variance of the process.
LOG_DETERMINANTS = np.log1p(-(PHIS**2))
# So far to each side of a step it is compared with drifts, and with a random walk.
REACH, WALK_REACH = 150, 500
# Pivots below this share of their column are none; no product is divided by less than the smallest.
SINGULAR, SMALLEST = 1e-9, 1e-300


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """Twice the logarithm of the likelihood that a step wins: over one level, over the best drift, and beyond it.

    `over_wander` is over a random walk below the noise, or beyond it: a step in a walk rather than the walk alone.
    """

    over_level: float
    over_drift: float
    beyond_drift: float
    over_wander: float


class SeriesLikelihood:
    """Likelihoods of levels and steps of one series, all over the grid of autocorrelations.

    `y` and `variances` have shape (n,); `floor` is the smallest standard deviation of a value. Beforehand the
    autocorrelation is thought to lie about `expected`, with the standard deviation `spread`, or anywhere (None). What was
    compared with drifts and walks is kept.
    """

    def __init__(
        self,
        y: FloatArray,
        variances: FloatArray,
        floor: float,
        expected: float | None = None,
        spread: float = 1.0,
    ) -> None:
        self.weights = np.sqrt(variances.mean() / variances)
        self.y = (y - y.mean()) * self.weights
        self.floor = len(y) * floor**2
        self.prior = np.zeros(len(PHIS)) if expected is None else ((PHIS - expected) / spread) ** 2
        ones, values = self.weights, self.y
        before, value_before = np.append(0.0, ones[:-1]), np.append(0.0, values[:-1])
        # Of ones with ones, ones with y, y with y: each point with itself, and both ways with the one before it.
        self._own = np.stack((ones**2, ones * values, values**2))
        lagged = (2.0 * ones * before, ones * value_before + values * before, 2.0 * values * value_before)
        # Of the ones of a step that begins there, and of the values there, with the point before.
        self._entering = np.stack((ones * before, ones * value_before))[..., None]
        # Differences of running sums lose digits: so these have more.
        self._sums = np.zeros((6, len(y) + 1), dtype=np.longdouble)
        np.cumsum(np.concatenate((self._own, lagged)), axis=1, out=self._sums[:, 1:])
        self._drifts: dict[tuple[int, int, int], tuple[FloatArray, FloatArray]] = {}
        self._walks: dict[tuple[int, int, int], float] = {}

    def level(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """Return the whitened squares around one level of each stretch start..end-1, (k, phis)."""
        ones, cross, squares = self._grams(starts, ends)
        return np.asarray(squares - cross**2 / np.maximum(ones, SMALLEST))

    def step(self, starts: IntArray, middles: IntArray, ends: IntArray) -> FloatArray:
        """Return the whitened squares around two levels of each stretch, which differ from `middle` on, (k, phis)."""
        ones, cross, squares = self._grams(starts, ends)
        ones = np.maximum(ones, SMALLEST)
        after, with_ones, with_y = self._steps(middles, ends)
        left = np.maximum(after - with_ones**2 / ones, SMALLEST)
        return np.asarray(squares - cross**2 / ones - (with_y - with_ones * cross / ones) ** 2 / left)

    def autocorrelation(self, bounds: list[int]) -> float:
        """Return the likeliest autocorrelation given the bounds 0, ..., n of the levels."""
        return float(PHIS[self._deviances(self._levels(bounds).sum(axis=0), len(bounds) - 1).argmin()])

    def variances(self, bounds: list[int]) -> FloatArray:
        """Return the variance of each value around its level, (n,), at the likeliest autocorrelation."""
        squares = self._levels(bounds).sum(axis=0)
        at = int(self._deviances(squares, len(bounds) - 1).argmin())
        freedom = max(len(self.y) - len(bounds) + 1, 1)
        innovation = max(float(squares[at]) / freedom, self.floor / len(self.y) * (1.0 - PHIS[at] ** 2))
        return np.asarray(innovation / (1.0 - PHIS[at] ** 2) / self.weights**2)

    def over_level(self, bounds: list[int]) -> FloatArray:
        """Return by how much each step, at the inner bounds, beats one level between its neighbours, (m,)."""
        at, stretches = np.array(bounds), len(bounds) - 2
        rest = self._rests(bounds)
        one = self._deviance(rest + self.level(at[:-2], at[2:]), stretches)
        two = self._deviance(rest + self.step(at[:-2], at[1:-1], at[2:]), stretches)
        return np.asarray(one - two)

    def evidence(self, bounds: list[int], over_level: FloatArray) -> list[StepEvidence]:
        """Return how each step compares with one level, which is known, and with drifts."""
        found = []
        for inner, rest in enumerate(self._rests(bounds), 1):
            start, middle, end = bounds[inner - 1 : inner + 2]
            first, last = max(start, middle - REACH), min(end, middle + REACH)
            further = [ends for ends in ((start, first), (last, end)) if ends[0] < ends[1]]
            stretches = len(bounds) - 2 + len(further)
            if further:
                starts, ends = np.array(further).T
                rest = rest + self.level(starts, ends).sum(axis=0)  # noqa: PLW2901 -- of all but the window
            of_drifts, of_both = self._beside_drifts(first, middle, last)
            (of_step,) = self.step(*np.array([[first], [middle], [last]]))
            costs = drifts(last - first).costs
            drift = float((self._deviance(rest + of_drifts, stretches) + costs).min())
            both = float((self._deviance(rest + of_both, stretches) + costs).min())
            over_drift = drift - float(self._deviance(rest + of_step, stretches))
            one = StepEvidence(
                over_level=float(over_level[inner - 1]),
                over_drift=over_drift,
                beyond_drift=drift - both,
                over_wander=self._over_wander(start, middle, end),
            )
            found.append(one)
        return found

    def _over_wander(self, start: int, middle: int, end: int) -> float:
        """By how much a step beats a random walk below independent noise, over the points near it alone."""
        start, end = max(start, middle - WALK_REACH), min(end, middle + WALK_REACH)
        if (found := self._walks.get((start, middle, end))) is not None:
            return found
        places = np.array([[start], [middle], [end]])
        points, floor = end - start, self.floor * (end - start) / len(self.y)
        of_step = points * np.log(self.step(*places)[0] + floor) - LOG_DETERMINANTS
        of_level = points * np.log(float(self.level(places[0], places[2])[0, 0]) + floor)
        plain = self.y[start:end] / self.weights[start:end]
        alone, beyond = wander_gains(plain, middle - start, floor)
        self._walks[start, middle, end] = max(float(of_level - of_step.min()) - alone, beyond)
        return self._walks[start, middle, end]

    def _beside_drifts(self, start: int, middle: int, end: int) -> tuple[FloatArray, FloatArray]:
        """Return the squares of each drift, and of each drift with the step, over start..end-1: (d, phis) each."""
        key = (start, middle, end)
        if key not in self._drifts:
            shapes = drifts(end - start)
            ones = self.weights[start:end, None]
            after = ones * (np.arange(start, end)[:, None] >= middle)
            columns = np.hstack((ones, after, self.y[start:end, None], ones * shapes.columns))
            i, j = shapes.pairs.T + 3
            to_few = _products("ni,nj->ij", columns[:, :3], columns)
            own = _products("ni,ni->i", columns, columns)
            cross = _products("ni,ni->i", columns[:, i], columns[:, j])
            found = []
            for known in (0, 1):
                share = to_few[known] / np.maximum(to_few[known, known], SMALLEST)
                own = own - to_few[known] * share
                cross = cross - to_few[known, i] * share[j]
                to_few = to_few - to_few[:, known, None] * share
                found.append(_left_by_pairs(to_few[2], own, cross, (i, j)))
            self._drifts[key] = found[0], found[1]
        return self._drifts[key]

    def _grams(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The whitened products of ones with ones, ones with y and y with y of each stretch, (3, k, phis)."""
        own, lagged = self._between(starts, ends)[:3], self._between(starts + 1, ends)[3:]
        return _quadratic(own, lagged, own - self._own[:, starts] - self._own[:, ends - 1])

    def _steps(self, middles: IntArray, ends: IntArray) -> FloatArray:
        """The whitened products of ones from `middle` on with themselves, with all ones and with y, (3, k, phis)."""
        own, lagged = self._between(middles, ends)[:2], self._between(middles + 1, ends)[3:5]
        after, with_y = _quadratic(own, lagged, own - self._own[:2, ends - 1])
        entering = PHIS * self._entering[:, middles]
        return np.stack((after, after - entering[0], with_y - entering[1]))

    def _between(self, starts: IntArray, ends: IntArray) -> FloatArray:
        """The running sums of own and of lagged products, (6, k)."""
        between: FloatArray = (self._sums[:, ends] - self._sums[:, starts]).astype(np.float64)
        return between

    def _deviance(self, squares: FloatArray, stretches: int) -> FloatArray:
        """Minus twice the logarithm of the largest likelihood; `squares` (..., phis) are of the whole series."""
        return np.asarray(self._deviances(squares, stretches).min(axis=-1))

    def _deviances(self, squares: FloatArray, stretches: int) -> FloatArray:
        logs = len(self.y) * np.log(np.maximum(squares, 0.0) + self.floor)
        return np.asarray(logs - stretches * LOG_DETERMINANTS + self.prior)

    def _levels(self, bounds: list[int]) -> FloatArray:
        at = np.array(bounds)
        return self.level(at[:-1], at[1:])

    def _rests(self, bounds: list[int]) -> FloatArray:
        """The squares of all levels but the two beside each inner bound, (m, phis)."""
        levels = self._levels(bounds)
        return np.asarray(np.maximum(levels.sum(axis=0) - levels[:-1] - levels[1:], 0.0))


def _quadratic(own: FloatArray, lagged: FloatArray, inner: FloatArray) -> FloatArray:
    """Return whitened products (..., phis): those of AR(1) noise are quadratic in phi."""
    return np.asarray(own[..., None] - PHIS * lagged[..., None] + PHIS**2 * inner[..., None])


def _products(subscripts: str, left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the whitened products of columns (n, k), as the subscripts of `numpy.einsum` ask, (..., phis)."""
    later, earlier, inside = slice(1, None), slice(None, -1), slice(1, -1)
    return _quadratic(
        np.einsum(subscripts, left, right),
        np.einsum(subscripts, left[later], right[earlier])
        + np.einsum(subscripts, left[earlier], right[later]),
        np.einsum(subscripts, left[inside], right[inside]),
    )


def _left_by_pairs(
    to_y: FloatArray, own: FloatArray, cross: FloatArray, pairs: tuple[IntArray, IntArray]
) -> FloatArray:
    """Return the squares of y (column 2) that each pair of columns leaves, (pairs, phis).

    `to_y` are the products of all columns with y, `own` those with themselves, `cross` those of each pair.
    """
    i, j = pairs
    one, other = np.maximum(own[i], SMALLEST), own[j]
    left = other - cross**2 / one
    beyond = (to_y[j] - cross * to_y[i] / one) ** 2 / np.maximum(left, SMALLEST)
    further = np.where(left > SINGULAR * other, beyond, 0.0)
    return np.asarray(to_y[2] - to_y[i] ** 2 / one - further)
