"""Brownian regression with diffuse start: exact in O(n), because the precision of the levels is tridiagonal.

The model on the fitted scale: y_i = f(x_i) + e_i, e_i ~ N(0, v_i), where f has a flat prior on its start and
f(x) - f(x') ~ N(0, s2 |x - x'|). It is the local level model with exact diffuse initialisation (Durbin &
Koopman 2012, sections 2.2 and 2.9), and with v -> 0 it interpolates linearly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dpttrf, dpttrs
from scipy.optimize import minimize

if TYPE_CHECKING:
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.noise import Noise

LOG_TWO_PI = float(np.log(2 * np.pi))
# The expected change counts as this many measured differences.
PRIOR_FREEDOM = 1.0
# Where the search for the step variance begins: around the mean squared difference, on a log scale.
STARTS = (-4.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Levels:
    """The posterior of f at the measured positions.

    `means` and `variances` have shape (n,), `covariances` (of neighbours) shape (n - 1,). `log_evidence` is
    the restricted log-likelihood in nats; `score` its derivatives by log(s2) and by the log of a common noise
    factor.
    """

    means: FloatArray
    variances: FloatArray
    covariances: FloatArray
    log_evidence: float
    score: tuple[float, float]


@dataclass(frozen=True, slots=True)
class BrownianFit:
    """The fitted variances: of a step by one position, and the common noise factor."""

    step_variance: float
    noise_factor: float


def posterior(positions: IntArray, y: FloatArray, variances: FloatArray, step_variance: float) -> Levels:
    """Return the exact posterior of the levels given the variances. O(n).

    `positions` (n,) increase strictly; `y` and `variances` (n,) are on the fitted scale. The precision of f
    is Q / s2 + diag(1 / v), Q tridiagonal; the diagonal of its inverse comes from one elimination in each
    direction.
    """
    gaps = np.diff(positions).astype(np.float64)
    links = 1.0 / gaps
    weights = 1.0 / variances
    centre = float(weights @ y / weights.sum())
    z = y - centre
    walk = np.zeros(len(y))
    walk[:-1] += links
    walk[1:] += links
    diagonal = walk / step_variance + weights
    side = -links / step_variance
    if len(y) == 1:
        return Levels(np.array([centre]), variances.copy(), np.zeros(0), 0.0, (0.0, 0.0))
    pivots, lower, _ = dpttrf(diagonal, side)
    backward_pivots, _, _ = dpttrf(diagonal[::-1], side[::-1])
    means = dpttrs(pivots, lower, weights * z)[0]
    level_variances = 1.0 / (pivots + backward_pivots[::-1] - diagonal)
    covariances = -lower * level_variances[1:]
    moves = float(np.diff(means) ** 2 @ links) / step_variance
    rest = (z - means) ** 2 * weights
    n = len(y)
    log_determinant = (
        np.log(pivots).sum() + (n - 1) * np.log(step_variance) + np.log(gaps).sum() + np.log(variances).sum()
    )
    log_evidence = -0.5 * ((n - 1) * LOG_TWO_PI + log_determinant + moves + rest.sum())
    trace = float(walk @ level_variances - 2 * links @ covariances) / step_variance
    by_step = 0.5 * (moves + trace - (n - 1))
    by_noise = 0.5 * float(np.sum(rest + level_variances * weights - 1.0))
    return Levels(means + centre, level_variances, covariances, float(log_evidence), (by_step, by_noise))


def fit_brownian(positions: IntArray, y: FloatArray, noise: Noise, prior_step_variance: float) -> BrownianFit:
    """Return the variances of largest posterior density; noise stays inside its bounds.

    The restricted likelihood is joined by a weak prior on s2, worth one measured difference of the size
    expected a priori, so that one, two or equal measurements do not claim a history that never moves.
    """
    span = float(positions[-1] - positions[0]) or 1.0
    fixed = noise.fixed is not None
    log_noise = np.log([noise.low, noise.high])

    def loss(parameters: FloatArray) -> tuple[float, FloatArray]:
        log_step = float(parameters[0])
        factor = float(np.exp(parameters[1])) if not fixed else noise.low
        variances = noise.variances(factor)
        levels = posterior(positions, y, variances, float(np.exp(log_step)))
        ratio = prior_step_variance * np.exp(-log_step)
        value = 0.5 * PRIOR_FREEDOM * (log_step + ratio) - levels.log_evidence
        slope = 0.5 * PRIOR_FREEDOM * (1 - ratio) - levels.score[0]
        return value, np.array([slope] if fixed else [slope, -levels.score[1]])

    if len(y) == 1:
        return BrownianFit(prior_step_variance, noise.low)
    typical = float(np.mean(np.diff(y) ** 2 / np.diff(positions))) + prior_step_variance
    smallest = float(np.min(noise.variances(noise.low))) / span
    step_bounds = (np.log(min(typical, prior_step_variance, smallest)) - 12, np.log(typical + smallest) + 6)
    bounds = [step_bounds] if fixed else [step_bounds, (log_noise[0], log_noise[1])]
    best = min(
        (
            minimize(
                loss,
                np.array([np.log(typical) + start] if fixed else [np.log(typical) + start, log_noise.mean()]),
                jac=True,
                bounds=bounds,
                method="L-BFGS-B",
            )
            for start in STARTS
        ),
        key=lambda result: float(result.fun),
    )
    factor = noise.low if fixed else float(np.exp(best.x[1]))
    return BrownianFit(float(np.exp(best.x[0])), factor)


def predict_levels(
    positions: IntArray,
    posterior_levels: tuple[FloatArray, FloatArray, FloatArray],
    step_variance: float,
    wanted: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance of f at the wanted positions, each of shape (m,).

    `posterior_levels` are means (n,), variances (n,) and covariances of neighbours (n - 1,) at the measured
    positions. Between two of them f is a Brownian bridge over their joint posterior; outside, the variance
    grows by s2 per position.
    """
    means, variances, covariances = posterior_levels
    n = len(positions)
    places = positions.astype(np.float64)
    left = np.clip(np.searchsorted(places, wanted, side="right") - 1, 0, n - 1)
    right = np.minimum(left + 1, n - 1)
    gap = np.maximum(places[right] - places[left], 1.0)
    share = np.clip((wanted - places[left]) / gap, 0.0, 1.0)
    share[left == right] = 0.0
    joint = np.append(covariances, 0.0)[left]
    spread = (
        (1 - share) ** 2 * variances[left]
        + share**2 * variances[right]
        + 2 * share * (1 - share) * joint
        + step_variance * gap * share * (1 - share)
    )
    outside = np.maximum(places[0] - wanted, 0.0) + np.maximum(wanted - places[-1], 0.0)
    return (1 - share) * means[left] + share * means[right], spread + step_variance * outside
