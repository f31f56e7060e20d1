"""Gaussian-process regression with any kernel, O(n^3): for the kernels that have no linear-time form here.

Only the hyperparameters come from GPy; the posterior is computed here, so that a stored fit can be read
without it. Rasmussen & Williams (2006), Algorithm 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

from analytics.histories.errors import HistoryError
from analytics.histories.kernels import covariance, prior_variance

if TYPE_CHECKING:
    from analytics.histories.fitted import Hyperparameters
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.settings import Kernel

# How many positions are predicted at once: keeps the cross-covariance small.
CHUNK = 2000


@dataclass(frozen=True, slots=True)
class Standard:
    """How positions are brought to [0, 1] and values to mean 0 and variance 1."""

    start: float
    span: float
    mean: float
    sd: float

    @classmethod
    def of(cls, positions: IntArray | FloatArray, y: FloatArray, smallest_sd: float) -> Standard:
        """Return the standardisation of measured points; a constant series is divided by `smallest_sd`."""
        start, end = float(positions[0]), float(positions[-1])
        return cls(start, end - start or 1.0, float(y.mean()), max(float(y.std()), smallest_sd))

    def places(self, positions: IntArray | FloatArray) -> FloatArray:
        """Return the positions on the scale [0, 1]; outside it beyond the measured ones."""
        return np.asarray((positions - self.start) / self.span, dtype=np.float64)

    def values(self, y: FloatArray) -> FloatArray:
        """Return values with mean 0 and variance 1."""
        return (y - self.mean) / self.sd


@dataclass(frozen=True, slots=True, eq=False)
class DensePosterior:
    """A conditioned Gaussian process: Cholesky factor (n, n), dual weights (n,) and log evidence.

    `log_evidence` is log p(y), in nats, on the fitted scale.
    """

    kernels: tuple[Kernel, ...]
    parameters: Hyperparameters
    standard: Standard
    places: FloatArray
    factor: FloatArray
    dual: FloatArray
    log_evidence: float

    @classmethod
    def of(
        cls,
        kernels: tuple[Kernel, ...],
        parameters: Hyperparameters,
        measured: tuple[IntArray | FloatArray, FloatArray, FloatArray],
        standard: Standard,
    ) -> DensePosterior:
        """Condition on positions, values and noise variances, each (n,).

        Raises `HistoryError` where the covariance is not positive definite.
        """
        positions, y, variances = measured
        x, z = standard.places(positions), standard.values(y)
        gram = covariance(kernels, parameters, x, x)
        gram[np.diag_indices_from(gram)] += variances / standard.sd**2
        try:
            factor = cholesky(gram, lower=True)
        except LinAlgError as error:
            raise HistoryError(
                f"the covariance of kernel '{' + '.join(kernels)}' over {len(x)} positions is not positive definite: "
                "raise noise_floor"
            ) from error
        dual = cho_solve((factor, True), z)
        scaled = np.log(np.diag(factor)).sum() + len(z) * (0.5 * np.log(2 * np.pi) + np.log(standard.sd))
        return cls(kernels, parameters, standard, x, factor, dual, float(-0.5 * z @ dual - scaled))

    def at(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `Posterior.at`."""
        means, variances = np.empty(len(wanted)), np.empty(len(wanted))
        for begin in range(0, len(wanted), CHUNK):
            part = slice(begin, begin + CHUNK)
            places = self.standard.places(wanted[part])
            cross = covariance(self.kernels, self.parameters, self.places, places)
            whitened = solve_triangular(self.factor, cross, lower=True)
            means[part] = cross.T @ self.dual
            variances[part] = prior_variance(self.kernels, self.parameters, places) - np.sum(
                whitened**2, axis=0
            )
        sd = self.standard.sd
        spread = sd**2 * np.maximum(variances, 0.0)
        return self.standard.mean + sd * means, spread, np.zeros(len(wanted))
