"""How much better a step explains values than no step, and than anything smooth, under autocorrelated noise."""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analytics.changepoints.drift_squares import beside_drifts
from analytics.changepoints.drifts import COSTS, drifts, walking, wander_gains
from analytics.changepoints.running_products import PHIS, RunningProducts
from analytics.histories.measurements import FloatArray, IntArray

# Determinant of the precision of a stretch of AR(1) noise: its first point has the variance of the process.
LOG_DETERMINANTS = np.log1p(-(PHIS**2))
# So far to each side of a step it is compared with drifts, and with a random walk.
REACH, WALK_REACH = 150, 500


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
        self._sums = RunningProducts(self.weights, self.y)
        # The squares of the levels between some bounds, and of each two neighbours as one.
        self._levels: tuple[list[int], FloatArray] = ([], np.zeros(0))
        self._joined = np.zeros(0)
        self._drifts: dict[tuple[int, int, int], FloatArray] = {}
        self._walks: dict[tuple[int, int, int], float] = {}

    def autocorrelation(self, bounds: list[int]) -> float:
        """Return the likeliest autocorrelation given the bounds 0, ..., n of the levels."""
        squares = self._squares_of_levels(bounds).sum(axis=0)
        return float(PHIS[self._deviances(squares, len(bounds) - 1).argmin()])

    def variances(self, bounds: list[int]) -> FloatArray:
        """Return the variance of each value around its level, (n,), at the likeliest autocorrelation."""
        squares = self._squares_of_levels(bounds).sum(axis=0)
        at = int(self._deviances(squares, len(bounds) - 1).argmin())
        freedom = max(len(self.y) - len(bounds) + 1, 1)
        innovation = max(float(squares[at]) / freedom, self.floor / len(self.y) * (1.0 - PHIS[at] ** 2))
        return np.asarray(innovation / (1.0 - PHIS[at] ** 2) / self.weights**2)

    def split_gains(self, phi: float, start: int, end: int) -> FloatArray:
        """See `places.split_gains`, of the stretch start..end-1; in units of the mean variance."""
        return self._sums.split_gains(phi, start, end)

    def over_level(self, bounds: list[int]) -> FloatArray:
        """Return by how much each step, at the inner bounds, beats one level between its neighbours, (m,)."""
        levels, self._joined, steps = self._sums.levels_and_steps(np.array(bounds))
        self._levels = list(bounds), levels
        rests = self._rests(bounds)
        squares = np.array((rests + self._joined, rests + steps))
        one, two = self._deviances(squares, len(bounds) - 2).min(axis=-1)
        return np.asarray(one - two)

    def without(self, bounds: list[int], inner: int) -> list[int]:
        """Return the bounds without one of those that were last asked about `over_level`."""
        left, levels = bounds[:inner] + bounds[inner + 1 :], self._levels[1]
        parts = (levels[: inner - 1], self._joined[inner - 1 : inner], levels[inner + 1 :])
        self._levels = left, np.concatenate(parts)
        return left

    def evidence(self, bounds: list[int], over_level: FloatArray) -> list[StepEvidence]:
        """Return how each step compares with one level, which is known, and with drifts."""
        at = np.array(bounds)
        starts, middles, ends = at[:-2], at[1:-1], at[2:]
        firsts, lasts = np.maximum(starts, middles - REACH), np.minimum(ends, middles + REACH)
        rests, stretches = self._rests(bounds), np.full(len(middles), len(bounds) - 2)
        # What lies beyond the window beside a step is a level of its own.
        for outer, inner in ((starts, firsts), (lasts, ends)):
            further = np.flatnonzero(outer < inner)
            if len(further):
                rests[further] += self._sums.level(outer[further], inner[further])
                stretches[further] += 1
        _, steps = self._sums.level_and_step(firsts, middles, lasts)
        of_steps = self._deviances(rests + steps, stretches[:, None]).min(axis=-1)
        windows = list(zip(*map(np.ndarray.tolist, (firsts, middles, lasts)), strict=True))
        for window in windows:
            if window not in self._drifts:
                first, middle, last = window
                ones, y = self.weights[first:last], self.y[first:last]
                self._drifts[window] = beside_drifts(drifts(last - first), ones, y, middle - first)
        # Of the best drifts of each kind, and of each with the step: (m, 2, 4, phis).
        squares = np.array([self._drifts[window] for window in windows])
        # The best of each kind of drift costs as much whatever the autocorrelation.
        deviances = self._deviances(rests[:, None, None] + squares, stretches[:, None, None, None])
        drift, both = (deviances.min(axis=-1) + COSTS).min(axis=-1).T
        numbers = (over_level, drift - of_steps, drift - both, np.array(self.over_wander(bounds)))
        return [StepEvidence(*some) for some in zip(*map(np.ndarray.tolist, numbers), strict=True)]

    def over_wander(self, bounds: list[int]) -> list[float]:
        """Return by how much each step beats a random walk below independent noise, over the points near it alone."""
        stretches = [
            (max(start, middle - WALK_REACH), middle, min(end, middle + WALK_REACH))
            for start, middle, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
        ]
        if new := [one for one in stretches if one not in self._walks]:
            levels, steps = self._sums.level_and_step(*np.array(new).T)
            for (start, middle, end), level, step in zip(new, levels[:, 0].tolist(), steps, strict=True):
                points, floor = end - start, self.floor * (end - start) / len(self.y)
                of_step = points * np.log(step + floor) - LOG_DETERMINANTS
                of_level = points * math.log(level + floor)
                plain = self.y[start:end] / self.weights[start:end]
                alone, beyond = wander_gains(plain, middle - start, floor)
                over = max(of_level - float(of_step.min()) - alone, beyond)
                self._walks[start, middle, end] = over
        return [self._walks[one] for one in stretches]

    def wander_of_levels(self, bounds: list[int]) -> float:
        """Return by how much a random walk of one size below independent noise, in all levels, beats autocorrelated noise around them."""
        plain = self.y / self.weights
        parts = [walking(plain[start:end]) for start, end in pairwise(bounds) if end - start > 1]
        squares, log_determinants = np.sum(parts, axis=0)
        walks = len(plain) * np.log(squares + self.floor) + log_determinants
        noise = self._deviances(self._squares_of_levels(bounds).sum(axis=0), len(bounds) - 1)
        return float((walks[0] - walks.min()) - (noise[0] - noise.min()))

    def _deviances(self, squares: FloatArray, stretches: int | IntArray) -> FloatArray:
        """Minus twice the logarithm of the likelihoods; `squares` (..., phis) are of the whole series."""
        logs = len(self.y) * np.log(np.maximum(squares, 0.0) + self.floor)
        return np.asarray(logs - stretches * LOG_DETERMINANTS + self.prior)

    def _squares_of_levels(self, bounds: list[int]) -> FloatArray:
        """The squares around each level, (m + 1, phis); those of the last bounds are kept."""
        if self._levels[0] != bounds:
            at = np.array(bounds)
            self._levels = list(bounds), self._sums.level(at[:-1], at[1:])
        return self._levels[1]

    def _rests(self, bounds: list[int]) -> FloatArray:
        """The squares of all levels but the two beside each inner bound, (m, phis)."""
        levels = self._squares_of_levels(bounds)
        return np.asarray(np.maximum(levels.sum(axis=0) - levels[:-1] - levels[1:], 0.0))
