"""Fit the Brownian regression: average it over every split of the data into steps and noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.brownian import RandomWalkSolver
from analytics.histories.hyperposterior import integrate, mixture_quantiles

if TYPE_CHECKING:
    from analytics.histories.hyperposterior import Quantiles
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.noise import Noise

# The expected change counts as this many measured differences.
PRIOR_FREEDOM = 1.0
# How far, in nats, the step variance may lie below the smallest and above the largest that data suggest.
BELOW, ABOVE = 10.0, 6.0
# Steps smaller than this beside the noise of one value are no steps, and no float tells them apart.
SMALLEST_STEP = 1e-12
# So many numbers are worked on at once, which bounds the memory of long histories.
AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class BrownianFit:
    """The levels and variances averaged over what the data allow, all on the fitted scale.

    `step_variance` is the posterior mean of the variance of one step; `step_quantiles` and `level_quantiles`
    are the 75 % and 97.5 % quantiles of a step and of a level, in standard deviations. `noise_variances`, `means` and `variances` have shape (n,),
    `covariances` (n - 1,). Means and variances of the history between measured positions follow from these
    exactly.
    """

    step_variance: float
    step_quantiles: Quantiles
    level_quantiles: Quantiles
    noise_factor: float
    noise_variances: FloatArray
    means: FloatArray
    variances: FloatArray
    covariances: FloatArray
    log_evidence: float


def fit_brownian(
    positions: IntArray | FloatArray, y: FloatArray, noise: Noise, prior_step_variance: float
) -> BrownianFit:
    """Return the posterior averaged over step variance and noise; the noise stays inside its bounds. O(n).

    The restricted likelihood is joined by a weak prior on the step variance, worth one measured difference of
    the size expected a priori, so that one, two or equal measurements do not claim a history that never
    moves, and by a flat prior on the logarithm of the noise.
    """
    walk = RandomWalkSolver(np.diff(positions), y)

    def evidence(parameters: FloatArray) -> FloatArray:
        variances = _variances(noise, parameters)
        return walk.log_evidence(variances, _steps(parameters, variances))

    def log_density(parameters: FloatArray) -> FloatArray:
        log_steps = parameters[:, 0]
        prior = -0.5 * PRIOR_FREEDOM * (log_steps + prior_step_variance * np.exp(-log_steps))
        if len(y) == 1:
            return np.asarray(prior)
        rows = max(AT_ONCE // len(y), 1)
        blocks = [parameters[first : first + rows] for first in range(0, len(parameters), rows)]
        return np.asarray(prior + np.concatenate([evidence(block) for block in blocks]))

    span = float(positions[-1] - positions[0]) or 1.0
    differences = np.diff(y) ** 2 / np.diff(positions)
    typical = float(differences.mean() if len(differences) else 0.0) + prior_step_variance
    quiet = float(np.min(_variances(noise, np.log([[noise.low, noise.low]])))) / span
    bounds = [(np.log(min(prior_step_variance, quiet)) - BELOW, np.log(typical + quiet) + ABOVE)]
    if noise.fixed is None:
        bounds.append((np.log(noise.low), np.log(noise.high)))
    nodes = integrate(log_density, bounds)
    return _average(walk, nodes.parameters, nodes.weights, noise)


def _average(
    walk: RandomWalkSolver, parameters: FloatArray, weights: FloatArray, noise: Noise
) -> BrownianFit:
    """Return the moments of the mixture of the nodes' posteriors."""
    variances = _variances(noise, parameters)
    steps = _steps(parameters, variances)
    levels = walk.posterior(variances, steps)
    means = weights @ levels.means
    beside = levels.means - means
    spreads = levels.variances + beside**2
    return BrownianFit(
        step_variance=float(weights @ steps),
        step_quantiles=mixture_quantiles(weights, steps),
        level_quantiles=mixture_quantiles(weights, spreads.mean(axis=1)),
        noise_factor=float(weights @ np.exp(parameters[:, -1])) if noise.fixed is None else noise.low,
        noise_variances=weights @ variances,
        means=means,
        variances=weights @ spreads,
        covariances=weights @ (levels.covariances + beside[:, :-1] * beside[:, 1:]),
        log_evidence=float(weights @ levels.log_evidence),
    )


def _steps(parameters: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the step variance of every node, (k,)."""
    smallest = SMALLEST_STEP / np.mean(1.0 / variances, axis=1)
    return np.asarray(np.maximum(np.exp(parameters[:, 0]), smallest))


def _variances(noise: Noise, parameters: FloatArray) -> FloatArray:
    """Return the noise variances of every node, (k, n)."""
    if noise.fixed is not None:
        return np.broadcast_to(noise.fixed, (len(parameters), len(noise.fixed))).copy()
    return np.maximum(np.exp(parameters[:, -1:]) * noise.shares, noise.floor)
