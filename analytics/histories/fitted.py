"""The fitted history and the band that it predicts."""

from dataclasses import dataclass

import numpy as np

from analytics.histories.change_prior import ChangePrior, places_of
from analytics.histories.hyperposterior import Quantiles
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.scale import ValueScale
from analytics.histories.settings import HistorySettings


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """The parameters of a kernel.

    For `brownian`, `variance` is that of a step by one position, on the fitted scale: the mean over what the
    data allow. For the kernels fitted
    by GPy it refers to the standardised values, and `length_scale` to positions scaled to [0, 1]; `power` is
    the rational quadratic's. `noise_factor` is the fitted common noise variance on the fitted scale (the
    floor where the noise is known). `plus` are those of the kernels that are added, in the order of the settings.
    """

    variance: float
    noise_factor: float
    length_scale: float | None = None
    power: float | None = None
    plus: tuple["Hyperparameters", ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class FittedHistory:
    """A fitted history: what was measured, how it was fitted, and the posterior at the measured positions.

    `noise_variances`, `level_means` and `level_variances` have shape (n,) and are on `scale`, as are the
    `level_covariances` of neighbours, shape (n - 1,); those are empty for dense kernels. `unit` is the size
    of 100 % there. The half-widths of the 50 % and the 95 % band, in
    standard deviations, are `level_quantiles` at measured positions and `step_quantiles` far from them: few
    points make them wide. `log_evidence`
    is in nats: restricted for `brownian`, marginal otherwise. Where `change_prior` is given, distances between
    positions are measured in it (`brownian` only).
    """

    measurements: Measurements
    settings: HistorySettings
    scale: ValueScale
    unit: float
    hyperparameters: Hyperparameters
    noise_variances: FloatArray
    level_means: FloatArray
    level_variances: FloatArray
    level_covariances: FloatArray
    level_quantiles: Quantiles
    step_quantiles: Quantiles
    log_evidence: float
    change_prior: ChangePrior | None = None

    @property
    def places(self) -> FloatArray:
        """The measured positions as the regression sees them, (n,): in prior weight where it is given."""
        return places_of(self.measurements.positions, self.change_prior)


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The history at the asked positions, in the metric's own unit; every array has shape (m,).

    The performance of the revision lies between `lower_95` and `upper_95` with 95 % certainty, between
    `lower_50` and `upper_50` with 50 %. `sd` is the standard deviation on the fitted scale: relative on the
    log scale.
    """

    positions: IntArray
    median: FloatArray
    lower_50: FloatArray
    upper_50: FloatArray
    lower_95: FloatArray
    upper_95: FloatArray
    sd: FloatArray

    @classmethod
    def of(
        cls,
        positions: IntArray,
        moments: tuple[FloatArray, FloatArray, FloatArray],
        quantiles: tuple[Quantiles, Quantiles],
        scale: ValueScale,
    ) -> "Band":
        """Return the band at positions with these means, and variances of levels and of steps, on the fitted scale, (m,) each.

        `quantiles` are the half-widths of levels and of steps, see `FittedHistory`.
        """
        means, levels, steps = moments
        half, wide = (
            np.sqrt(levels * of_level**2 + steps * of_step**2)
            for of_level, of_step in zip(*quantiles, strict=True)
        )
        return cls(
            positions=positions.astype(np.int64),
            median=scale.backward(means),
            lower_50=scale.backward(means - half),
            upper_50=scale.backward(means + half),
            lower_95=scale.backward(means - wide),
            upper_95=scale.backward(means + wide),
            sd=np.sqrt(levels + steps),
        )
