"""The posterior of a fitted history, one interface for every kernel, and how well it predicts what it has not seen."""

from collections.abc import Sequence

import numpy as np

from analytics.histories.brownian import LOG_TWO_PI, RandomWalkSolver, predict_levels
from analytics.histories.change_prior import places_of
from analytics.histories.dense import DensePosterior
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import FittedHistory, Hyperparameters
from analytics.histories.matern import PROCESSES, MaternPosterior
from analytics.histories.measurements import FloatArray, IntArray
from analytics.histories.settings import Kernel


class Standard:
    """Brings measured positions to [0, 1] and values to mean 0 and variance 1; a constant series is divided by `smallest_sd`."""

    def __init__(self, positions: IntArray | FloatArray, y: FloatArray, smallest_sd: float) -> None:
        self.start = float(positions[0])
        self.span = float(positions[-1]) - self.start or 1.0
        self.mean, self.sd = float(y.mean()), max(float(y.std()), smallest_sd)

    def places(self, positions: IntArray | FloatArray) -> FloatArray:
        """Return the positions on the scale [0, 1]; outside it beyond the measured ones."""
        return np.asarray((positions - self.start) / self.span, dtype=np.float64)

    def values(self, y: FloatArray) -> FloatArray:
        """Return values with mean 0 and variance 1."""
        return (y - self.mean) / self.sd


class KernelPosterior:
    """Any kernel but the default, given positions, values and noise variances, (n,) each: a single Matern kernel in O(n).

    `log_evidence` is log p(y), in nats, on the fitted scale.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        parameters: Hyperparameters,
        measured: tuple[IntArray | FloatArray, FloatArray, FloatArray],
        standard: Standard,
    ) -> None:
        positions, y, variances = measured
        process = MaternPosterior if len(kernels) == 1 and kernels[0] in PROCESSES else DensePosterior
        points = standard.places(positions), standard.values(y), variances / standard.sd**2
        self._standard, self._process = standard, process(kernels, parameters, points)
        self.log_evidence = self._process.log_evidence - len(y) * float(np.log(standard.sd))

    def at(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `moments_at`; the second part of the variance is 0."""
        means, variances = self._process.at(self._standard.places(wanted))
        mean, sd = self._standard.mean, self._standard.sd
        return mean + sd * means, sd**2 * np.maximum(variances, 0.0), np.zeros(len(wanted))


def moments_at(fitted: FittedHistory, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of a fitted history at the wanted positions, and its variance in two parts, on the fitted scale, (m,).

    The first part comes from the measured levels, the second from the steps between and beyond them, which only Brownian
    motion tells apart.
    """
    if fitted.settings.is_brownian:
        levels = (fitted.level_means, fitted.level_variances, fitted.level_covariances)
        places = places_of(wanted, fitted.change_prior)
        means, spread, steps = predict_levels(fitted.places, levels, fitted.hyperparameters.variance, places)
        return means, np.maximum(spread, 0.0), steps
    positions, y = fitted.measurements.positions, fitted.scale.forward(fitted.measurements.values)
    standard = Standard(positions, y, fitted.settings.noise_floor * fitted.unit)
    measured = (positions, y, fitted.noise_variances)
    return KernelPosterior(fitted.settings.kernels, fitted.hyperparameters, measured, standard).at(wanted)


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
        means, variances, _ = moments_at(fitted, fitted.measurements.positions.astype(np.float64))
    # Without its own value, a level is less sure: 1 / variance - 1 / noise, which is positive but for rounding.
    precisions = np.maximum(1.0 / np.maximum(variances, 1e-300) - 1.0 / noise, 1e-12 / noise)
    others = (means / np.maximum(variances, 1e-300) - y / noise) / precisions
    spread = 1.0 / precisions + noise
    return np.asarray(-0.5 * (LOG_TWO_PI + np.log(spread) + (y - others) ** 2 / spread))
