"""The terms of a workload of which little was measured: what the known ones have in common, and what its own runs tell.

With the prior of `WorkloadFamily` and m own values y of the configurations with the rows A, the coefficients are normal
with (Rasmussen & Williams 2006, eq. 2.8 with a prior mean)

    mean m + K (y - A m),  covariance s L - K A s L,  K = s L A^T (A s L A^T + v I)^-1

The level of the workload gets a wide prior of its own. How far the workload is from the others (the scale s), how far correlations are
shrunk, and the noise v are not known: each combination of a grid counts as much as it makes the own values likely. The
scale has the prior of a variance that so many workloads tell, inverse chi-square, which makes tails as heavy as Student's.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from analytics.configurations.options import IntArray
from analytics.influence.terms import CONFIDENCE
from analytics.influence.times import FloatArray
from analytics.workloads.families import WorkloadFamily

# Fewer own values than these tell too little even of the level and of the noise.
FEWEST_OWN = 3
# The variance of the level beyond that between known workloads: a factor of 150 to either side is nothing unusual.
_LEVEL = 25.0
_LIGHT = 1e-4
_MOST_FOLDS = 20


@dataclass(frozen=True, slots=True)
class BorrowedGrid:
    """What is tried: shares by which correlations are shrunk, scales of the covariance, quantiles of the noise."""

    shares: tuple[float, ...] = (0.02, 0.1, 0.3, 0.6, 1.0)
    scales: tuple[float, ...] = tuple(2.0**power for power in range(-3, 6))
    quantiles: tuple[float, ...] = (0.1, 0.3, 0.5, 0.7, 0.9)


GRID = BorrowedGrid()


@dataclass(frozen=True, slots=True, eq=False)
class BorrowedWorkload:
    """Coefficients of a workload, on the scale of natural logarithms: of the terms, then of the patterns of its family.

    `covariance` is theirs; `before` (n_terms + n_patterns,) their variances before any own value. `noise` is the variance
    of one value. `own` is how many own values there were.
    """

    family: WorkloadFamily
    coefficients: FloatArray
    covariance: FloatArray
    before: FloatArray
    noise: float
    own: int

    @property
    def margins(self) -> FloatArray:
        """Half of the 95 % interval of each term, shape (n_terms,)."""
        # As many workloads as there are tell the variance of a term between them.
        quantile = float(special.stdtrit(self.family.workloads - 1, (1 + CONFIDENCE) / 2))
        found: FloatArray = quantile * np.sqrt(np.diag(self.covariance)[: len(self.family.levels)])
        return found

    @property
    def told(self) -> FloatArray:
        """The share of each term's variance that own values took away, shape (n_terms,): 0 is borrowed as a whole."""
        before = self.before[: len(self.family.levels)]
        left = np.divide(
            np.diag(self.covariance)[: len(before)], before, out=np.zeros_like(before), where=before > 0.0
        )
        found: FloatArray = np.clip(1 - left, 0.0, 1.0)
        return found

    def predict(self, configurations: IntArray) -> tuple[FloatArray, FloatArray]:
        """The logarithms of one value of each configuration (n, n_options), and half of their 95 % intervals."""
        rows, untold = self.family.rows(configurations)
        variances = np.einsum("ij,jk,ik->i", rows, self.covariance, rows) + untold + self.noise
        return rows @ self.coefficients, float(special.ndtri((1 + CONFIDENCE) / 2)) * np.sqrt(variances)


def borrow(
    family: WorkloadFamily, configurations: IntArray, values: FloatArray, *, grid: BorrowedGrid = GRID
) -> BorrowedWorkload:
    """A workload with the positive `values` (m,) of `configurations` (m, n_options), each of which is there once."""
    rows, untold = family.rows(configurations)
    off = np.log(values) - rows @ family.means
    noises = np.quantile(family.noise, grid.quantiles)
    level = _LEVEL * np.outer(rows[:, 0], rows[:, 0])
    tried, chances = [], []
    for share in grid.shares:
        shared = rows @ family.covariance(share) @ rows.T
        for scale in grid.scales:
            likely = -(family.workloads - 1) / 2 * (np.log(scale) + 1 / scale)
            for noise in noises.tolist():
                own = scale * shared + level + np.diag(untold + noise)
                lower = np.linalg.cholesky(own)
                whitened = np.linalg.solve(lower, off)
                tried.append((share, scale, noise))
                chances.append(likely - whitened @ whitened / 2 - np.log(np.diag(lower)).sum())
    weights = np.exp(np.array(chances) - max(chances))
    weights[weights < _LIGHT * weights.max()] = 0.0
    weights /= weights.sum()
    means, second = np.zeros(len(family.means)), np.zeros((len(family.means),) * 2)
    before = np.zeros(len(family.means))
    for place in np.flatnonzero(weights).tolist():
        (share, scale, noise), weight = tried[place], weights[place]
        prior = scale * family.covariance(share)
        prior[0, 0] += _LEVEL
        across = rows @ prior
        gain = np.linalg.solve(across @ rows.T + np.diag(untold + noise), across).T
        change = gain @ off
        means += weight * change
        second += weight * (prior - gain @ across + np.outer(change, change))
        before += weight * np.diag(prior)
    return BorrowedWorkload(
        family=family,
        coefficients=family.means + means,
        covariance=second - np.outer(means, means),
        before=before,
        noise=float(sum(weight * one[2] for weight, one in zip(weights, tried, strict=True))),
        own=len(values),
    )


def left_out_errors(family: WorkloadFamily, configurations: IntArray, values: FloatArray) -> FloatArray:
    """How far each own value (m,) is from its prediction without it, as a share of it; empty with too few values.

    Of many values several are left out at a time.
    """
    count = len(values)
    if count <= FEWEST_OWN:
        return np.empty(0)
    errors = np.empty(count)
    folds = min(count, _MOST_FOLDS)
    for fold in range(folds):
        out = np.arange(count) % folds == fold
        predicted, _ = borrow(family, configurations[~out], values[~out]).predict(configurations[out])
        errors[out] = np.abs(np.exp(predicted) / values[out] - 1)
    return errors
