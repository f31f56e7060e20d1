"""The covariance functions of the paper (Table II there), as GPy defines them; positions scaled to [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.settings import Kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from analytics.histories.fitted import Hyperparameters
    from analytics.histories.measurements import FloatArray

# The prior variance of the start of the Brownian kernel, in variances of the standardised values: as good as
# flat. Without it, the first revision would be pinned to the mean with no variance at all.
START_VARIANCE = 1e4


def covariance(
    kernels: Sequence[Kernel], parameters: Hyperparameters, a: FloatArray, b: FloatArray
) -> FloatArray:
    """Return the prior covariance between positions `a` (n,) and `b` (m,), standardised: (n, m). Kernels add."""
    parts = zip(kernels, (parameters, *parameters.plus), strict=True)
    return np.asarray(sum(FUNCTIONS[kernel](own, a[:, None], b[None, :]) for kernel, own in parts))


def prior_variance(kernels: Sequence[Kernel], parameters: Hyperparameters, a: FloatArray) -> FloatArray:
    """Return the diagonal of `covariance(kernels, parameters, a, a)`, shape (n,)."""
    parts = zip(kernels, (parameters, *parameters.plus), strict=True)
    return np.asarray(sum(FUNCTIONS[kernel](own, a, a) for kernel, own in parts))


def _distance(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.abs(a - b) / (parameters.length_scale or 1.0))


def _brownian(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 min(|a|, |b|) on the same side of the start, 0 otherwise, plus the wide start."""
    shared = np.where(np.sign(a) == np.sign(b), np.minimum(np.abs(a), np.abs(b)), 0.0)
    return parameters.variance * shared + START_VARIANCE


def _rbf(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 exp(-r^2 / 2)."""
    return np.asarray(parameters.variance * np.exp(-0.5 * _distance(parameters, a, b) ** 2))


def _matern32(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 (1 + sqrt(3) r) exp(-sqrt(3) r)."""
    r = np.sqrt(3.0) * _distance(parameters, a, b)
    return np.asarray(parameters.variance * (1.0 + r) * np.exp(-r))


def _matern52(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r)."""
    r = np.sqrt(5.0) * _distance(parameters, a, b)
    return np.asarray(parameters.variance * (1.0 + r + r * r / 3.0) * np.exp(-r))


def _rational_quadratic(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 (1 + r^2 / 2)^-p, which is how GPy parametrises it."""
    r = _distance(parameters, a, b)
    return np.asarray(parameters.variance * np.exp(-(parameters.power or 1.0) * np.log1p(0.5 * r * r)))


def _exponential(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 exp(-r)."""
    return np.asarray(parameters.variance * np.exp(-_distance(parameters, a, b)))


def _linear(parameters: Hyperparameters, a: FloatArray, b: FloatArray) -> FloatArray:
    """s2 a b, plus the wide start: a straight line."""
    return np.asarray(parameters.variance * a * b + START_VARIANCE)


FUNCTIONS: dict[Kernel, Callable[[Hyperparameters, FloatArray, FloatArray], FloatArray]] = {
    Kernel.BROWNIAN: _brownian,
    Kernel.BROWNIAN_GPY: _brownian,
    Kernel.RBF: _rbf,
    Kernel.MATERN32: _matern32,
    Kernel.MATERN52: _matern52,
    Kernel.RATIONAL_QUADRATIC: _rational_quadratic,
    Kernel.EXPONENTIAL: _exponential,
    Kernel.LINEAR: _linear,
}
