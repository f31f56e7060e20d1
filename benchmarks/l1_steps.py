"""Steps as airspeed velocity's published method finds them: levels of least absolute distance, with a penalty that data choose.

A level more costs a penalty, and its value is that of the least beta k + log(s + s0) over all penalties: k are the levels,
s the sum of distances, s0 a tenth of the smallest step, beta = 4 log(n) / n (documentation of asv, "step detection").
Here every segmentation is the cheapest one; asv itself searches short levels first and joins them.
"""

from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.optimize import minimize_scalar

from analytics.histories.measurements import FloatArray

SHORTEST = 2
# How roughly the penalty is chosen, on the scale of its logarithm.
ROUGHLY = 0.05


def distances(y: FloatArray) -> FloatArray:
    """Return the sum of distances from the median of the points start..end-1, (n + 1, n + 1); infinite for too few."""
    n = len(y)
    found = np.full((n + 1, n + 1), np.inf)
    for length in range(SHORTEST, n + 1):
        windows = np.sort(sliding_window_view(y, length), axis=1)
        half = length // 2
        starts = np.arange(n - length + 1)
        found[starts, starts + length] = windows[:, length - half :].sum(axis=1) - windows[:, :half].sum(
            axis=1
        )
    return found


def segment(costs: FloatArray, penalty: float) -> tuple[list[int], float]:
    """Return the bounds 0, ..., n of the cheapest levels, each at the penalty, and their sum of distances."""
    n = len(costs) - 1
    least, starts = np.zeros(n + 1), np.zeros(n + 1, dtype=np.int64)
    for end in range(1, n + 1):
        totals = least[:end] + costs[:end, end]
        starts[end] = totals.argmin()
        least[end] = totals[starts[end]] + penalty
    bounds = [n]
    while bounds[0]:
        bounds.insert(0, int(starts[bounds[0]]))
    return bounds, float(least[n] - penalty * (len(bounds) - 1))


def l1_steps(y: FloatArray) -> list[int]:
    """Return the first points of all levels but the first, of values (n,), n >= 2."""
    n, costs = len(y), distances(y)
    tried: list[tuple[float, list[int]]] = []

    def criterion(logarithm: float) -> float:
        bounds, total = segment(costs, costs[0, n] * float(np.exp(logarithm)))
        medians = [float(np.median(y[a:b])) for a, b in pairwise(bounds)]
        smallest = float(np.abs(np.diff(medians)).min()) if len(medians) > 1 else 0.0
        value = float(4.0 * np.log(n) / n * (len(bounds) - 1) + np.log(total + 0.1 * smallest))
        tried.append((value, bounds))
        return value

    penalties = np.log(0.1 / n), 0.0
    minimize_scalar(criterion, bounds=penalties, method="bounded", options={"xatol": ROUGHLY})
    return min(tried)[1][1:-1]
