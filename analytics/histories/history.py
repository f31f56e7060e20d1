"""Fit a history to measurements; predict a band over any positions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import stdtrit

from analytics.histories.brownian import PRIOR_FREEDOM, fit_brownian, posterior, predict_levels
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.noise import noise_of
from analytics.histories.scale import choose_scale, unit_of
from analytics.histories.settings import HistorySettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from analytics.histories.measurements import FloatArray, Measurements

# With one measured position and no known length, the expected change spreads over this many positions.
LENGTH_OF_A_SINGLE_POINT = 100


def fit(measurements: Measurements, settings: HistorySettings | None = None) -> FittedHistory:
    """Fit a history to the measured points of one series.

    With the default kernel this is exact and O(n) (`analytics.histories.brownian`). Raises `HistoryError`.
    """
    settings = settings or HistorySettings()
    scale = choose_scale(measurements.values, log_scale=settings.log_scale)
    unit = unit_of(scale, measurements.values, settings.reference_level)
    y = scale.forward(measurements.values)
    noise = noise_of(measurements, scale, unit, settings)
    prior_variance = (settings.expected_change * unit) ** 2 / _length(measurements, settings)
    fitted = fit_brownian(measurements.positions, y, noise, prior_variance)
    variances = noise.variances(fitted.noise_factor)
    levels = posterior(measurements.positions, y, variances, fitted.step_variance)
    return FittedHistory(
        measurements=measurements,
        settings=settings,
        scale=scale,
        unit=unit,
        noise_variances=variances,
        hyperparameters=Hyperparameters(fitted.step_variance, fitted.noise_factor),
        levels=levels,
        freedom=len(y) - 1 + PRIOR_FREEDOM,
        log_evidence=levels.log_evidence,
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
    half, wide = (float(stdtrit(fitted.freedom, quantile)) for quantile in (0.75, 0.975))
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
    """Return mean and variance of the history at the wanted positions, on the fitted scale; shape (m,) each."""
    return predict_levels(
        fitted.measurements.positions, fitted.levels, fitted.hyperparameters.variance, wanted
    )


def _length(measurements: Measurements, settings: HistorySettings) -> float:
    if settings.length is not None:
        return float(settings.length)
    span = int(measurements.positions[-1] - measurements.positions[0])
    return float(span or LENGTH_OF_A_SINGLE_POINT)
