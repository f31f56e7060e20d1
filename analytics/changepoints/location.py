"""Where a single step lies, and how sure that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from analytics.histories.measurements import FloatArray, IntArray

SURE = 0.95


def split_gains(y: FloatArray, variances: FloatArray) -> FloatArray:
    """Return by how much each of the n - 1 splits into two levels lowers the weighted squares."""
    weights = 1.0 / variances
    weight = np.cumsum(weights)
    first = np.cumsum(weights * (y - weights @ y / weight[-1]))
    return np.asarray(first[:-1] ** 2 * (1.0 / weight[:-1] + 1.0 / (weight[-1] - weight[:-1])))


def location_probabilities(positions: IntArray, y: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the probability that the one step of these points lies in each of the n - 1 brackets.

    All arguments have shape (n,), n >= 2. Both levels have flat priors and are integrated out, the noise is
    Gaussian, and each revision is as likely as any other to bring the step.
    """
    weight = np.cumsum(1.0 / variances)
    occam = np.log(weight[:-1] * (weight[-1] - weight[:-1]))
    log_posterior = 0.5 * split_gains(y, variances) - 0.5 * occam + np.log(np.diff(positions))
    shares = np.exp(log_posterior - log_posterior.max())
    return np.asarray(shares / shares.sum())


def likely_range(probabilities: FloatArray, best: int) -> tuple[int, int]:
    """Return the first and last bracket of a range around `best` that holds the step with 95 %.

    It grows towards the likelier neighbour, so it is contiguous.
    """
    low = high = best
    total = float(probabilities[best])
    while total < SURE and high - low + 1 < len(probabilities):
        below = float(probabilities[low - 1]) if low > 0 else -1.0
        above = float(probabilities[high + 1]) if high + 1 < len(probabilities) else -1.0
        if below >= above:
            low -= 1
            total += below
        else:
            high += 1
            total += above
    return low, high
