"""Fit a history to measurements; predict a band over any positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri, stdtrit

from analytics.histories.brownian import PRIOR_FREEDOM, fit_brownian, posterior, predict_levels
from analytics.histories.dense import DensePosterior, Standard
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.noise import noise_of
from analytics.histories.scale import choose_scale, unit_of
from analytics.histories.settings import HistorySettings, Kernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from analytics.histories.measurements import FloatArray, Measurements
    from analytics.histories.noise import Noise
    from analytics.histories.scale import Scale

# With one measured position and no known length, the expected change spreads over this many positions.
LENGTH_OF_A_SINGLE_POINT = 100
FEWEST_FOR_GPY = 3


def fit(measurements: Measurements, settings: HistorySettings | None = None) -> FittedHistory:
    """Fit a history to the measured points of one series.

    With the default kernel this is exact and O(n) (`analytics.histories.brownian`); the kernels of the paper
    are fitted by GPy in O(n^3) and need at least three points. Raises `HistoryError`.
    """
    settings = settings or HistorySettings()
    scale = choose_scale(measurements.values, log_scale=settings.log_scale)
    unit = unit_of(scale, measurements.values, settings.reference_level)
    noise = noise_of(measurements, scale, unit, settings)
    method = _fit_brownian if settings.kernel is Kernel.BROWNIAN else _fit_dense
    return method(measurements, settings, scale, unit, noise)


def _fit_brownian(
    measurements: Measurements, settings: HistorySettings, scale: Scale, unit: float, noise: Noise
) -> FittedHistory:
    positions, y = measurements.positions, scale.forward(measurements.values)
    prior_variance = (settings.expected_change * unit) ** 2 / _length(measurements, settings)
    best = fit_brownian(positions, y, noise, prior_variance)
    variances = noise.variances(best.noise_factor)
    levels = posterior(positions, y, variances, best.step_variance)
    return FittedHistory(
        measurements=measurements,
        settings=settings,
        scale=scale,
        unit=unit,
        hyperparameters=Hyperparameters(best.step_variance, best.noise_factor),
        noise_variances=variances,
        level_means=levels.means,
        level_variances=levels.variances,
        level_covariances=levels.covariances,
        freedom=len(y) - 1 + PRIOR_FREEDOM,
        log_evidence=levels.log_evidence,
    )


def _fit_dense(
    measurements: Measurements, settings: HistorySettings, scale: Scale, unit: float, noise: Noise
) -> FittedHistory:
    if len(measurements) < FEWEST_FOR_GPY:
        raise HistoryError(
            f"the kernel '{settings.kernel}' needs at least {FEWEST_FOR_GPY} measured positions, "
            f"got {len(measurements)}: use the kernel '{Kernel.BROWNIAN}'"
        )
    from analytics.histories.gpy_fit import fit_with_gpy  # noqa: PLC0415  # takes seconds, rarely needed

    positions, y = measurements.positions, scale.forward(measurements.values)
    standard = Standard.of(positions, y, noise.floor**0.5)
    best = fit_with_gpy(settings.kernel, standard.places(positions), standard.values(y), noise, standard.sd)
    variances = noise.fixed if noise.fixed is not None else np.full(len(y), best.noise_factor)
    dense = DensePosterior.of(settings.kernel, best, (positions, y, variances), standard)
    means, level_variances = dense.at(positions.astype(np.float64))
    return FittedHistory(
        measurements=measurements,
        settings=settings,
        scale=scale,
        unit=unit,
        hyperparameters=best,
        noise_variances=variances,
        level_means=means,
        level_variances=level_variances,
        level_covariances=np.zeros(0),
        freedom=np.inf,
        log_evidence=dense.log_evidence,
    )


def predict(fitted: FittedHistory, positions: Sequence[int] | npt.NDArray[np.integer]) -> Band:
    """Return the band of certainty at the given positions, measured or not, in the metric's own unit.

    Only the positions asked for are answered: gaps stay gaps.
    """
    wanted = np.asarray(positions)
    if wanted.ndim != 1 or np.any(wanted != np.round(wanted)):
        raise HistoryError(f"positions must be a flat list of whole numbers, got {wanted[:5].tolist()}")
    means, variances = predict_on_scale(fitted, wanted.astype(np.float64))
    sd = np.sqrt(np.maximum(variances, 0.0))
    half, wide = (_quantile(fitted.freedom, share) for share in (0.75, 0.975))
    back = fitted.scale.backward
    return Band(
        positions=wanted.astype(np.int64),
        median=back(means),
        lower_50=back(means - half * sd),
        upper_50=back(means + half * sd),
        lower_95=back(means - wide * sd),
        upper_95=back(means + wide * sd),
        sd=sd,
    )


def predict_on_scale(fitted: FittedHistory, wanted: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance at the wanted positions, on the fitted scale; shape (m,) each."""
    positions = fitted.measurements.positions
    if fitted.settings.kernel is Kernel.BROWNIAN:
        return predict_levels(
            positions,
            (fitted.level_means, fitted.level_variances, fitted.level_covariances),
            fitted.hyperparameters.variance,
            wanted,
        )
    y = fitted.scale.forward(fitted.measurements.values)
    standard = Standard.of(positions, y, fitted.settings.noise_floor * fitted.unit)
    measured = (positions, y, fitted.noise_variances)
    return DensePosterior.of(fitted.settings.kernel, fitted.hyperparameters, measured, standard).at(wanted)


def _length(measurements: Measurements, settings: HistorySettings) -> float:
    if settings.length is not None:
        return float(settings.length)
    span = int(measurements.positions[-1] - measurements.positions[0])
    return float(span or LENGTH_OF_A_SINGLE_POINT)


def _quantile(freedom: float, share: float) -> float:
    return float(stdtrit(freedom, share) if np.isfinite(freedom) else ndtri(share))
