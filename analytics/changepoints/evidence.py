"""How much better a step explains values than no step, and than anything smooth, under autocorrelated noise."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analytics.changepoints.drifts import drifts
from analytics.histories.measurements import FloatArray

# Autocorrelations over which likelihoods are maximized.
PHIS = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.88, 0.94, 0.98])
# Determinant of the precision of a stretch of AR(1) noise: its first point has the variance of the process.
LOG_DETERMINANTS = np.log1p(-(PHIS**2))
# So far to each side of a step it is compared with drifts.
REACH = 150
# How far the autocorrelation of one series lies from that of its benchmark's others.
POOLED_SPREAD = 0.07
# Pivots below this share of their column are none.
SINGULAR = 1e-9


@dataclass(frozen=True, slots=True)
class StepEvidence:
    """Twice the logarithm of the likelihood that a step wins: over one level, over the best drift, and beyond it."""

    over_level: float
    over_drift: float
    beyond_drift: float


class SeriesLikelihood:
    """Likelihoods of levels and steps of one series, all over the grid of autocorrelations.

    `y` and `variances` have shape (n,); `floor` is the smallest standard deviation of a value; `pooled` is the
    autocorrelation that other series of the same benchmark have, None where nothing is known. What was computed of
    a stretch is kept.
    """

    def __init__(
        self, y: FloatArray, variances: FloatArray, floor: float, pooled: float | None = None
    ) -> None:
        self.weights = np.sqrt(variances.mean() / variances)
        self.y = (y - y.mean()) * self.weights
        self.floor = len(y) * floor**2
        self.prior = np.zeros(len(PHIS)) if pooled is None else ((PHIS - pooled) / POOLED_SPREAD) ** 2
        self._levels: dict[tuple[int, int], FloatArray] = {}
        self._steps: dict[tuple[int, int, int], FloatArray] = {}
        self._drifts: dict[tuple[int, int, int], tuple[FloatArray, FloatArray, FloatArray]] = {}

    def level(self, start: int, end: int) -> FloatArray:
        """Return the whitened squares around one level of start..end-1, for each autocorrelation."""
        if (start, end) not in self._levels:
            ones = self.weights[start:end]
            grams = _grams(np.column_stack((ones, self.y[start:end])))
            self._levels[start, end] = _swept(grams, 0)[:, 1, 1]
        return self._levels[start, end]

    def step(self, start: int, middle: int, end: int) -> FloatArray:
        """Return the whitened squares around two levels that differ from `middle` on."""
        if (start, middle, end) not in self._steps:
            ones = self.weights[start:end]
            after = ones * (np.arange(start, end) >= middle)
            grams = _grams(np.column_stack((ones, after, self.y[start:end])))
            self._steps[start, middle, end] = _swept(_swept(grams, 0), 1)[:, 2, 2]
        return self._steps[start, middle, end]

    def deviance(self, squares: FloatArray, stretches: int) -> FloatArray:
        """Return minus twice the logarithm of the largest likelihood; `squares` (..., phis) are of the whole series."""
        return np.asarray(self._deviances(squares, stretches).min(axis=-1))

    def autocorrelation(self, bounds: list[int]) -> float:
        """Return the likeliest autocorrelation given the bounds 0, ..., n of the levels."""
        return float(PHIS[self._deviances(self._squares(bounds), len(bounds) - 1).argmin()])

    def variances(self, bounds: list[int]) -> FloatArray:
        """Return the variance of each value around its level, (n,), at the likeliest autocorrelation."""
        at = int(self._deviances(self._squares(bounds), len(bounds) - 1).argmin())
        freedom = max(len(self.y) - len(bounds) + 1, 1)
        innovation = max(
            float(self._squares(bounds)[at]) / freedom, self.floor / len(self.y) * (1.0 - PHIS[at] ** 2)
        )
        return np.asarray(innovation / (1.0 - PHIS[at] ** 2) / self.weights**2)

    def over_level(self, bounds: list[int], inner: int) -> float:
        """Return by how much the step at `bounds[inner]` beats one level between its neighbours."""
        start, middle, end = bounds[inner - 1 : inner + 2]
        rest = self._rest(bounds, inner)
        stretches = len(bounds) - 2
        one = self.deviance(rest + self.level(start, end), stretches)
        return float(one - self.deviance(rest + self.step(start, middle, end), stretches))

    def evidence(self, bounds: list[int], inner: int) -> StepEvidence:
        """Return how the step at `bounds[inner]` compares with one level and with drifts."""
        start, middle, end = bounds[inner - 1 : inner + 2]
        first, last = max(start, middle - REACH), min(end, middle + REACH)
        rest = self._rest(bounds, inner)
        stretches = len(bounds) - 2
        for a, b in ((start, first), (last, end)):
            if a < b:
                rest = rest + self.level(a, b)
                stretches += 1
        of_drifts, of_step, of_both = self._against(first, middle, last)
        costs = drifts(last - first).costs
        drift = self.deviance(rest + of_drifts, stretches) + costs
        both = self.deviance(rest + of_both, stretches) + costs
        return StepEvidence(
            over_level=self.over_level(bounds, inner),
            over_drift=float(drift.min() - self.deviance(rest + of_step, stretches)),
            beyond_drift=float(drift.min() - both.min()),
        )

    def _against(self, start: int, middle: int, end: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the squares of each drift (d, phis), of the step (phis,), and of each drift with it, over start..end-1."""
        key = (start, middle, end)
        if key not in self._drifts:
            shapes = drifts(end - start)
            ones = self.weights[start:end]
            after = ones * (np.arange(start, end) >= middle)
            columns = np.column_stack((ones, after, self.y[start:end], ones[:, None] * shapes.columns))
            level = _swept(_grams(columns), 0)
            step = _swept(level, 1)
            both = _best_pairs(step, shapes.pairs)
            self._drifts[key] = (_best_pairs(level, shapes.pairs), step[:, 2, 2], both)
        return self._drifts[key]

    def _deviances(self, squares: FloatArray, stretches: int) -> FloatArray:
        logs = len(self.y) * np.log(squares + self.floor)
        return np.asarray(logs - stretches * LOG_DETERMINANTS + self.prior)

    def _squares(self, bounds: list[int]) -> FloatArray:
        return sum((self.level(a, b) for a, b in pairwise(bounds)), np.zeros(len(PHIS)))

    def _rest(self, bounds: list[int], inner: int) -> FloatArray:
        """Return the squares of all levels but the two beside `bounds[inner]`."""
        others = [i for i in range(len(bounds) - 1) if i not in {inner - 1, inner}]
        return sum((self.level(bounds[i], bounds[i + 1]) for i in others), np.zeros(len(PHIS)))


def _grams(columns: FloatArray) -> FloatArray:
    """Return the whitened products (phis, k, k) of columns (n, k): those of AR(1) noise are quadratic in phi."""
    every = columns.T @ columns
    lagged = columns[1:].T @ columns[:-1]
    inner = columns[1:-1].T @ columns[1:-1]
    phi = PHIS[:, None, None]
    return np.asarray(every - phi * (lagged + lagged.T) + phi**2 * inner)


def _swept(grams: FloatArray, column: int) -> FloatArray:
    """Return the products of what is left of every column after regression on one."""
    pivot = grams[:, column, column]
    scaled = grams[:, :, column] / np.maximum(pivot, 1e-300)[:, None]
    return np.asarray(grams - scaled[:, :, None] * grams[:, None, :, column])


def _best_pairs(grams: FloatArray, pairs: np.ndarray[tuple[int, int], np.dtype[np.intp]]) -> FloatArray:
    """Return the squares of y (column 2) left by each pair of the drift columns (from 3 on): (pairs, phis)."""
    i, j = pairs.T + 3
    own, other, cross = grams[:, i, i], grams[:, j, j], grams[:, i, j]
    to_y, other_to_y = grams[:, i, 2], grams[:, j, 2]
    alone = to_y**2 / np.maximum(own, 1e-300)
    left = other - cross**2 / np.maximum(own, 1e-300)
    beyond = (other_to_y - cross * to_y / np.maximum(own, 1e-300)) ** 2
    further = np.where(left > SINGULAR * other, beyond / np.maximum(left, 1e-300), 0.0)
    return np.asarray(np.maximum(grams[:, 2, 2, None] - alone - further, 0.0).T)
