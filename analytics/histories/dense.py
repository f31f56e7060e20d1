"""Gaussian-process regression with any kernel, O(n^3): for the kernels that have no linear-time form here.

Only the hyperparameters come from GPy; the posterior is computed here, so that a stored fit can be read without it.
The covariance functions are those of the paper (Table II there), as GPy defines them; positions are scaled to [0, 1].
"""

from collections.abc import Sequence

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Hyperparameters
from analytics.histories.measurements import FloatArray
from analytics.histories.settings import Kernel

# How many positions are predicted at once: keeps the cross-covariance small.
CHUNK = 2000
# The prior variance of the start of the Brownian kernel, in variances of the standardised values: as good as
# flat. Without it, the first revision would be pinned to the mean with no variance at all.
START_VARIANCE = 1e4


class DensePosterior:
    """A Gaussian process conditioned on values `z` (n,) with `noise` variances (n,) at `places` (n,), all standardised.

    `log_evidence` is log p(z), in nats. Rasmussen & Williams (2006), Algorithm 2.1. Raises `HistoryError` where the
    covariance is not positive definite.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        parameters: Hyperparameters,
        measured: tuple[FloatArray, FloatArray, FloatArray],
    ) -> None:
        self._kernels, self._parameters = kernels, parameters
        self._places, z, noise = measured
        gram = covariance(kernels, parameters, self._places[:, None], self._places)
        gram[np.diag_indices_from(gram)] += noise
        try:
            self._factor = cholesky(gram, lower=True)
        except LinAlgError as error:
            raise HistoryError(
                f"the covariance of kernel '{' + '.join(kernels)}' over {len(z)} positions is not positive definite: "
                "raise noise_floor"
            ) from error
        self._dual = cho_solve((self._factor, True), z)
        half_determinant = np.log(np.diag(self._factor)).sum()
        self.log_evidence = float(-0.5 * (z @ self._dual + len(z) * np.log(2 * np.pi)) - half_determinant)

    def at(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance at the places, (m,) each."""
        means, variances = np.empty(len(places)), np.empty(len(places))
        for begin in range(0, len(places), CHUNK):
            part = slice(begin, begin + CHUNK)
            cross = covariance(self._kernels, self._parameters, self._places[:, None], places[part])
            whitened = solve_triangular(self._factor, cross, lower=True)
            prior = covariance(self._kernels, self._parameters, places[part], places[part])
            means[part] = cross.T @ self._dual
            variances[part] = prior - np.sum(whitened**2, axis=0)
        return means, variances


def covariance(
    kernels: Sequence[Kernel], parameters: Hyperparameters, a: FloatArray, b: FloatArray
) -> FloatArray:
    """Return the prior covariance between standardised positions, pair by pair as they broadcast. Kernels add.

    `a` (n, 1) and `b` (m,) give the matrix (n, m); the same positions (n,) twice give its diagonal.
    """
    parts = zip(kernels, (parameters, *parameters.plus), strict=True)
    return np.asarray(sum(_covariance(kernel, own, a, b) for kernel, own in parts))


def _covariance(kernel: Kernel, parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """Return s2 k(r), r = |a - b| / length scale; for Brownian motion and a line s2 k(a, b) and the wide start."""
    if kernel is Kernel.LINEAR:
        return np.asarray(parameters.variance * a * b + START_VARIANCE)
    if kernel in {Kernel.BROWNIAN, Kernel.BROWNIAN_GPY}:
        # min(|a|, |b|) on the same side of the start, 0 otherwise.
        shared = np.where(np.sign(a) == np.sign(b), np.minimum(np.abs(a), np.abs(b)), 0.0)
        return np.asarray(parameters.variance * shared + START_VARIANCE)
    r = np.abs(a - b) / (parameters.length_scale or 1.0)
    if kernel is Kernel.RBF:
        shape = np.exp(-0.5 * r**2)
    elif kernel is Kernel.EXPONENTIAL:
        shape = np.exp(-r)
    elif kernel is Kernel.MATERN32:
        shape = (1.0 + np.sqrt(3.0) * r) * np.exp(-np.sqrt(3.0) * r)
    elif kernel is Kernel.MATERN52:
        shape = (1.0 + np.sqrt(5.0) * r + 5.0 * r**2 / 3.0) * np.exp(-np.sqrt(5.0) * r)
    else:
        # The rational quadratic as GPy parametrises it: (1 + r^2 / 2)^-p.
        shape = np.exp(-(parameters.power or 1.0) * np.log1p(0.5 * r**2))
    return np.asarray(parameters.variance * shape)
