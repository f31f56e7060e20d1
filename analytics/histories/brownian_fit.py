"""Fit the Brownian regression: average it over every split of the data into steps and noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.brownian import RandomWalkSolver
from analytics.histories.fitted import FittedHistory, Hyperparameters
from analytics.histories.hyperposterior import integrate, mixture_quantiles

if TYPE_CHECKING:
    from analytics.histories.change_prior import ChangePrior
    from analytics.histories.measurements import FloatArray, IntArray, Measurements
    from analytics.histories.noise import Noise
    from analytics.histories.scale import ValueScale
    from analytics.histories.settings import HistorySettings

# The expected change counts as this many measured differences.
PRIOR_FREEDOM = 1.0
# How far, in nats, the step variance may lie below the smallest and above the largest that data suggest.
BELOW, ABOVE = 10.0, 6.0
# Steps smaller than this beside the noise of one value are no steps, and no float tells them apart.
SMALLEST_STEP = 1e-12
# So many numbers are worked on at once, which bounds the memory of long histories.
AT_ONCE = 1_000_000
# With one measured position and no known length, the expected change spreads over this many positions.
LENGTH_OF_A_SINGLE_POINT = 100


def fit_brownian(
    measurements: Measurements,
    settings: HistorySettings,
    on_scale: tuple[ValueScale, float, Noise],
    change_prior: ChangePrior | None,
) -> FittedHistory:
    """Return the posterior averaged over step variance and noise; the noise stays inside its bounds. O(n).

    `on_scale` are the scale, the size of 100 % there, and the noise. The restricted likelihood is joined by a weak prior on
    the step variance, worth one measured difference of the size expected a priori, so that one, two or equal measurements do
    not claim a history that never moves, and by a flat prior on the logarithm of the noise.
    """
    scale, unit, noise = on_scale
    y = scale.forward(measurements.values)
    positions = measurements.positions if change_prior is None else change_prior.at(measurements.positions)
    span = int(measurements.positions[-1] - measurements.positions[0])
    length = settings.length if settings.length is not None else span or LENGTH_OF_A_SINGLE_POINT
    prior_step_variance = (settings.expected_change * unit) ** 2 / length
    parameters, weights = _nodes(positions, y, noise, prior_step_variance)
    walk = RandomWalkSolver(np.diff(positions), y)
    variances = _variances(noise, parameters)
    steps = _steps(parameters, variances)
    level_means, level_variances, covariances = walk.posterior(variances, steps)
    # The moments of the mixture of the nodes' posteriors.
    means = weights @ level_means
    beside = level_means - means
    spreads = level_variances + beside**2
    factor = float(weights @ np.exp(parameters[:, -1])) if noise.fixed is None else noise.low
    return FittedHistory(
        measurements=measurements,
        settings=settings,
        scale=scale,
        unit=unit,
        hyperparameters=Hyperparameters(float(weights @ steps), factor),
        noise_variances=weights @ variances,
        level_means=means,
        level_variances=weights @ spreads,
        level_covariances=weights @ (covariances + beside[:, :-1] * beside[:, 1:]),
        level_quantiles=mixture_quantiles(weights, spreads.mean(axis=1)),
        step_quantiles=mixture_quantiles(weights, steps),
        log_evidence=float(weights @ walk.log_evidence(variances, steps)),
        change_prior=change_prior,
    )


def _nodes(
    positions: IntArray | FloatArray, y: FloatArray, noise: Noise, prior_step_variance: float
) -> tuple[FloatArray, FloatArray]:
    """Return nodes over the logarithms of step variance and noise, and their posterior weights, see `integrate`."""
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
    return integrate(log_density, bounds)


def _steps(parameters: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the step variance of every node, (k,)."""
    smallest = SMALLEST_STEP / np.mean(1.0 / variances, axis=1)
    return np.asarray(np.maximum(np.exp(parameters[:, 0]), smallest))


def _variances(noise: Noise, parameters: FloatArray) -> FloatArray:
    """Return the noise variances of every node, (k, n)."""
    if noise.fixed is not None:
        return np.broadcast_to(noise.fixed, (len(parameters), len(noise.fixed))).copy()
    return np.maximum(np.exp(parameters[:, -1:]) * noise.shares, noise.floor)
