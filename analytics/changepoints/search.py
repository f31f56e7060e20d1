"""The product's detector, PELT by ruptures and with weights, and the interface of detectors."""

from typing import Protocol

import numpy as np

from analytics.histories.measurements import FloatArray

# The smallest penalty: with one point there is nothing to divide, and ruptures asks for a positive number.
SMALLEST_PENALTY = 1.0
# So many ends are compared at once with all starts before them: numpy takes as long for one as for a few.
BLOCK = 16


class Detector(Protocol):
    """Finds the segments of a series."""

    def __call__(self, y: FloatArray, variances: FloatArray, penalty: float, /) -> list[int]:
        """Return the exclusive ends of the segments; the last end is n.

        `y` are the values on the fitted scale and `variances` those of their noise, (n,) each; `penalty` is the cost of one
        more change, in units of the noise variance.
        """


def penalty_of(points: int) -> float:
    """Return the cost of one more change among `points` measured points, in units of the noise variance.

    3 log n: the leading term of the modified Bayesian information criterion for changes of a mean (Zhang &
    Siegmund 2007, Biometrics 63).
    """
    return max(3.0 * float(np.log(points)), SMALLEST_PENALTY)


def segment_ends(y: FloatArray, variances: FloatArray, penalty: float) -> list[int]:
    """Return the exclusive ends of the segments of least cost: weighted squares plus penalties.

    `y` and `variances` have shape (n,). No shortest length is asked for: with one, PELT's pruning is no
    longer exact. The minimum number of points is judged afterwards (`detection`).
    """
    if len(y) < 2:
        return [len(y)]
    scale = variances.mean()
    standard = (y - y.mean()) / np.sqrt(scale)
    weights = scale / variances
    if not np.allclose(weights, 1.0, rtol=1e-9, atol=0.0):
        return weighted_pelt(standard, weights, penalty)
    from ruptures import KernelCPD  # noqa: PLC0415 -- a second of imports that few need

    search = KernelCPD(kernel="linear", min_size=1).fit(standard.reshape(-1, 1))
    return [int(end) for end in search.predict(pen=penalty)]


def weighted_pelt(y: FloatArray, weights: FloatArray, penalty: float, least_weight: float = 0.0) -> list[int]:
    """Return the ends of the segments of least cost: sums of w_i (y_i - mean)^2, plus penalties.

    Segments have at least a `least_weight`; where one is given no start is pruned: what follows it may be too light for another one.

    PELT as in Killick et al. (2012), Algorithm 2. ruptures' kernel search, in C, knows no weights, and its
    general one with a cost of our own takes two seconds for 1,000 points; this takes milliseconds.
    """
    n = len(y)
    weight, first = (np.append(0.0, np.cumsum(s)) for s in (weights, weights * y))
    masses, sums = weight.tolist(), first.tolist()
    # Of every end: its least cost with the penalty of a new segment, and where its last segment starts.
    bases, previous = [-penalty], [0]
    starts, kept_bases = np.zeros(1, dtype=np.int64), np.full(1, -penalty)
    for begin in range(0, n, BLOCK):
        block = slice(begin + 1, min(begin + BLOCK, n) + 1)
        lower = first[block, None] - first[starts]
        lower *= lower
        own = weight[block, None] - weight[starts]
        lower /= own
        costs = np.subtract(kept_bases, lower, out=lower)
        if least_weight:
            costs[own < least_weight] = np.inf
        cheapest = costs.argmin(axis=1)
        least = costs[np.arange(len(costs)), cheapest]
        earlier = zip(least.tolist(), starts[cheapest].tolist(), strict=True)
        for end, (best, start) in enumerate(earlier, block.start):
            for inside in range(block.start, end):
                if masses[end] - masses[inside] < least_weight:
                    break
                step = sums[end] - sums[inside]
                cost = bases[inside] - step * step / (masses[end] - masses[inside])
                if cost < best:
                    best, start = cost, inside  # noqa: PLW2901 -- the best so far
            bases.append(best + penalty)
            previous.append(start)
        # A start that is dearer now than a new segment stays dearer.
        kept = (costs[-1] <= bases[-1]) | bool(least_weight)
        starts = np.concatenate((starts[kept], np.arange(block.start, block.stop)))
        kept_bases = np.concatenate((kept_bases[kept], bases[block]))
    ends = [n]
    while previous[ends[0]] > 0:
        ends.insert(0, previous[ends[0]])
    return ends
