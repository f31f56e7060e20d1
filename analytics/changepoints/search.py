"""Where the level of a series changes: the cheapest segmentation, by PELT (ruptures)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
import ruptures
from ruptures.base import BaseCost

if TYPE_CHECKING:
    from analytics.histories.measurements import FloatArray

# The smallest penalty: with one point there is nothing to divide, and ruptures asks for a positive number.
SMALLEST_PENALTY = 1.0


class WeightedMeanCost(BaseCost):  # type: ignore[misc]  # ruptures ships no types
    """The cost of a segment: the sum of w_i (y_i - mean)^2, with the weighted mean, in O(1) from running sums.

    Kernel change-point detection has no weights; this is ruptures' own extension point for costs.
    """

    model = "weighted mean"
    min_size = 1

    def __init__(self, weights: FloatArray) -> None:
        """Store the weights, shape (n,), all positive."""
        self.weights = weights

    def fit(self, signal: FloatArray) -> Self:
        """Prepare the running sums of a signal of shape (n, 1)."""
        self.signal = signal
        y = signal[:, 0]
        sums = (self.weights, self.weights * y, self.weights * y * y)
        self._weight, self._first, self._second = (np.append(0.0, np.cumsum(s)).tolist() for s in sums)
        return self

    def error(self, start: int, end: int) -> float:
        """Return the cost of the points start..end-1."""
        first = self._first[end] - self._first[start]
        weight = self._weight[end] - self._weight[start]
        rest: float = self._second[end] - self._second[start] - first * first / weight
        return max(rest, 0.0)


def penalty_of(points: int) -> float:
    """Return the cost of one more change among `points` measured points, in units of the noise variance.

    3 log n: the leading term of the modified Bayesian information criterion for changes of a mean (Zhang & Siegmund
    2007, Biometrics 63).
    """
    return max(3.0 * float(np.log(points)), SMALLEST_PENALTY)


def segment_ends(y: FloatArray, variances: FloatArray, penalty: float) -> list[int]:
    """Return the ends (exclusive) of the segments that cost least: weighted squares plus `penalty` per change.

    `y` and `variances` have shape (n,). No shortest length is asked of ruptures: with one, its pruning is no longer
    exact. The minimum number of points is judged afterwards (`detection`).
    """
    if len(y) < 2:
        return [len(y)]
    standard = (y - y.mean()) / np.sqrt(variances.mean())
    signal = standard.reshape(-1, 1)
    weights = variances.mean() / variances
    if np.allclose(weights, 1.0, rtol=1e-9, atol=0.0):
        search = ruptures.KernelCPD(kernel="linear", min_size=1)
    else:
        search = ruptures.Pelt(custom_cost=WeightedMeanCost(weights), min_size=1, jump=1)
    return [int(end) for end in search.fit(signal).predict(pen=penalty)]
