"""The posterior of a fitted history, one interface for every kernel, and how well it predicts what it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from analytics.histories.brownian import LOG_TWO_PI, RandomWalkSolver, predict_levels
from analytics.histories.dense import DensePosterior, Standard
from analytics.histories.errors import HistoryError
from analytics.histories.matern import PROCESSES, MaternPosterior

if TYPE_CHECKING:
    from analytics.histories.fitted import FittedHistory, Hyperparameters
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.settings import Kernel


class Posterior(Protocol):
    """A history conditioned on its measurements, on the fitted scale."""

    def at(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the mean at the wanted positions, and the variance in two parts, (m,) each.

        The first part comes from the measured levels, the second from the steps between and beyond them.
        """


class BrownianPosterior:
    """Brownian motion, averaged over step variance and noise: `analytics.histories.brownian_fit`."""

    def __init__(self, fitted: FittedHistory) -> None:
        self._fitted = fitted

    def at(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `Posterior.at`."""
        fitted = self._fitted
        levels = (fitted.level_means, fitted.level_variances, fitted.level_covariances)
        places = wanted if fitted.change_prior is None else fitted.change_prior.at(wanted)
        means, from_levels, from_steps = predict_levels(
            fitted.places, levels, fitted.hyperparameters.variance, places
        )
        return means, np.maximum(from_levels, 0.0), from_steps


def posterior_of(fitted: FittedHistory) -> Posterior:
    """Return the posterior of a fitted history."""
    if fitted.settings.is_brownian:
        return BrownianPosterior(fitted)
    y = fitted.scale.forward(fitted.measurements.values)
    standard = Standard.of(fitted.measurements.positions, y, fitted.settings.noise_floor * fitted.unit)
    measured = (fitted.measurements.positions, y, fitted.noise_variances)
    return condition(fitted.settings.kernels, fitted.hyperparameters, measured, standard)


def condition(
    kernels: tuple[Kernel, ...],
    parameters: Hyperparameters,
    measured: tuple[IntArray, FloatArray, FloatArray],
    standard: Standard,
) -> DensePosterior | MaternPosterior:
    """Return the posterior given positions, values and noise variances, (n,) each: a single Matern kernel in O(n)."""
    exact = len(kernels) == 1 and kernels[0] in PROCESSES
    return (MaternPosterior if exact else DensePosterior).of(kernels, parameters, measured, standard)


def leave_one_out(fitted: FittedHistory) -> FloatArray:
    """Return the log density of each measured value given all the others, in nats on the fitted scale, (n,).

    The parameters stay those of the fit to all values (Rasmussen & Williams 2006, sec. 5.4.2); for Brownian motion they
    are their posterior means. A value is taken out of its own level by the difference of two precisions. Raises
    `HistoryError` for fewer than three values.
    """
    y, noise = fitted.scale.forward(fitted.measurements.values), fitted.noise_variances
    if len(y) < 3:
        raise HistoryError(f"leaving one out needs at least 3 measured revisions, got {len(y)}")
    if fitted.settings.is_brownian:
        solver = RandomWalkSolver(np.diff(fitted.places), y)
        found = solver.posterior(noise[None, :], np.array([fitted.hyperparameters.variance]))
        means, variances = found[0][0], found[1][0]
    else:
        means, variances, _ = posterior_of(fitted).at(fitted.measurements.positions.astype(np.float64))
    # Without its own value, a level is less sure: 1 / variance - 1 / noise, which is positive but for rounding.
    precisions = np.maximum(1.0 / np.maximum(variances, 1e-300) - 1.0 / noise, 1e-12 / noise)
    others = (means / np.maximum(variances, 1e-300) - y / noise) / precisions
    spread = 1.0 / precisions + noise
    return np.asarray(-0.5 * (LOG_TWO_PI + np.log(spread) + (y - others) ** 2 / spread))
