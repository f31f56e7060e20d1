"""Fit a history to measurements; predict a band over any positions."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from analytics.histories.brownian import fit_brownian
from analytics.histories.change_prior import ChangePrior
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Band, FittedHistory, Hyperparameters
from analytics.histories.growing import grow
from analytics.histories.hyperposterior import NORMAL_QUANTILES
from analytics.histories.matern import PROCESSES, fit_matern
from analytics.histories.measurements import IntArray, Measurements
from analytics.histories.milestones import LONGEST_EXACT
from analytics.histories.noise import Noise, noise_of
from analytics.histories.posteriors import KernelPosterior, Standard, moments_at
from analytics.histories.scale import ValueScale, scale_and_unit
from analytics.histories.settings import HistorySettings, Kernel

# How many measured positions every kernel but the default needs.
MINIMUM_POINTS_UNLESS_BROWNIAN = 3


def fit(
    measurements: Measurements,
    settings: HistorySettings | None = None,
    *,
    change_prior: ChangePrior | None = None,
    parameters: Hyperparameters | None = None,
) -> FittedHistory:
    """Fit a history to the measured points of one series.

    With the default kernel and with the Matern ones this is exact and O(n) (`analytics.histories.brownian`,
    `analytics.histories.matern`); the other kernels are fitted by GPy in O(n^3). All but the default
    need at least three points. Of more than 1,000 points the default learns its variances at milestones (`analytics.histories.growing`). `change_prior` says where the history is thought to move, for the default kernel.
    Kernels of which `parameters` are known already are only conditioned on the points, without GPy. Raises
    `HistoryError`.
    """
    settings = settings or HistorySettings()
    if settings.is_brownian and len(measurements) > LONGEST_EXACT:
        grown, milestone = grow(measurements, settings, change_prior)
        return grown.fitted(milestone)
    scale, unit = scale_and_unit(
        measurements.values, log_scale=settings.log_scale, reference_level=settings.reference_level
    )
    noise = noise_of(measurements, scale, unit, settings)
    if settings.is_brownian:
        return fit_brownian(measurements, settings, (scale, unit, noise), change_prior)[0]
    if change_prior is not None:
        raise HistoryError(
            f"a change prior goes with the kernel '{Kernel.BROWNIAN}', not with '{' + '.join(settings.kernels)}'"
        )
    return _fit_standardised(measurements, settings, (scale, unit, noise), parameters)


def _fit_standardised(
    measurements: Measurements,
    settings: HistorySettings,
    on_scale: tuple[ValueScale, float, Noise],
    parameters: Hyperparameters | None,
) -> FittedHistory:
    scale, unit, noise = on_scale
    if len(measurements) < MINIMUM_POINTS_UNLESS_BROWNIAN:
        raise HistoryError(
            f"the kernel '{' + '.join(settings.kernels)}' needs at least {MINIMUM_POINTS_UNLESS_BROWNIAN} "
            f"measured positions, got {len(measurements)}: use the kernel '{Kernel.BROWNIAN}'"
        )
    positions, y = measurements.positions, scale.forward(measurements.values)
    standard = Standard(positions, y, noise.floor**0.5)
    points = standard.places(positions), standard.values(y)
    if (best := parameters) is None and settings.kernel in PROCESSES and not settings.plus:
        best = fit_matern(settings.kernel, *points, noise, standard.sd)
    elif best is None:
        from analytics.histories.gpy_fit import fit_with_gpy  # noqa: PLC0415 -- takes seconds, rarely needed

        best = fit_with_gpy(settings.kernels, *points, noise, standard.sd)
    variances = noise.fixed if noise.fixed is not None else np.full(len(y), best.noise_factor)
    posterior = KernelPosterior(settings.kernels, best, (positions, y, variances), standard)
    means, level_variances, _ = posterior.at(positions.astype(np.float64))
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
        level_quantiles=NORMAL_QUANTILES,
        step_quantiles=NORMAL_QUANTILES,
        log_evidence=posterior.log_evidence,
    )


def predict(fitted: FittedHistory, positions: Sequence[int] | npt.NDArray[np.integer]) -> Band:
    """Return the band of certainty at the given positions, measured or not, in the metric's own unit.

    Only the positions asked for are answered: gaps stay gaps.
    """
    wanted = np.asarray(positions)
    if wanted.ndim != 1 or np.any(wanted != np.round(wanted)):
        raise HistoryError(f"positions must be a flat list of whole numbers, got {wanted[:5].tolist()}")
    moments = moments_at(fitted, wanted.astype(np.float64))
    return Band.of(wanted, moments, (fitted.level_quantiles, fitted.step_quantiles), fitted.scale)


def widest_relative(fitted: FittedHistory, positions: IntArray, level: float | None = None) -> float:
    """Return half of the widest 95 % band at the given positions, relative to a level or, without one, to the history there.

    What is infinite, as beside a history of zero, is returned so, or as NaN.
    """
    means, levels, steps = moments_at(fitted, positions.astype(np.float64))
    wide = np.sqrt(levels * fitted.level_quantiles[1] ** 2 + steps * fitted.step_quantiles[1] ** 2)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        if level is None and fitted.scale is ValueScale.LOG:
            return float(np.sinh(wide.max()))
        upper, lower = (fitted.scale.backward(means + way * wide) for way in (1.0, -1.0))
        return float(np.max((upper - lower) / (2 * (level or np.abs(fitted.scale.backward(means))))))
