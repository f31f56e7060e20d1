"""What a fit gives and what it predicts: both frozen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from analytics.histories.brownian import Levels
    from analytics.histories.measurements import FloatArray, IntArray, Measurements
    from analytics.histories.scale import Scale
    from analytics.histories.settings import HistorySettings


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """The parameters of a kernel on the fitted scale.

    For `brownian`, `variance` is that of a step by one position. For the kernels fitted by GPy, `variance` and
    `noise_factor` refer to the standardised values and `length_scale` to positions scaled to [0, 1].
    """

    variance: float
    noise_factor: float
    length_scale: float | None = None
    power: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FittedHistory:
    """A fitted history: what was measured, how it was fitted, and the posterior at the measured positions.

    `noise_variances` (n,) and `levels` are on `scale`. `unit` is the size of 100 % there. `freedom` is the degrees
    of freedom behind the step variance, which widen the band of a few points (infinite for GPy's kernels).
    `log_evidence` is in nats.
    """

    measurements: Measurements
    settings: HistorySettings
    scale: Scale
    unit: float
    noise_variances: FloatArray
    hyperparameters: Hyperparameters
    levels: Levels
    freedom: float
    log_evidence: float


@dataclass(frozen=True, slots=True, eq=False)
class Band:
    """The history at the asked positions, in the metric's own unit; every array has shape (m,).

    The performance of the revision lies between `lower_95` and `upper_95` with 95 % certainty, between `lower_50`
    and `upper_50` with 50 %. `sd` is the standard deviation on the fitted scale: relative on the log scale.
    """

    positions: IntArray
    median: FloatArray
    lower_50: FloatArray
    upper_50: FloatArray
    lower_95: FloatArray
    upper_95: FloatArray
    sd: FloatArray
