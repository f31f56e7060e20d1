"""The variance of each measured value: from repetitions, from neighbours, or given; never below a floor."""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincinv

from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.scale import ValueScale
from analytics.histories.settings import HistorySettings, NoisePolicy

# What all revisions together say about a single run weighs as much as this many further runs of each
# revision.
POOLED_FREEDOM = 4.0
# The pooled spread is taken as known from this many degrees of freedom on.
ENOUGH_FREEDOM = 4
# Neighbours tell the scatter between revisions from this many differences on.
ENOUGH_DIFFERENCES = 3
# The median of n normal values varies by up to pi/2 more than their mean.
MEDIAN_FACTOR = np.pi / 2
# The median of |d|, d ~ N(0, 1).
MEDIAN_OF_ABSOLUTE_NORMAL = 0.6744897501960817


@dataclass(frozen=True, slots=True, eq=False)
class Noise:
    """Variances of the values on the fitted scale: `fixed` (n,), or a common factor to be fitted.

    Where `shares` is given, value i varies by max(factor * shares[i], floor), with `low` <= factor <= `high`.
    """

    fixed: FloatArray | None
    shares: FloatArray
    floor: float
    low: float
    high: float

    def variances(self, factors: FloatArray) -> FloatArray:
        """Return the variance of every value for k common factors (k,), shape (k, n)."""
        if self.fixed is not None:
            return np.repeat(self.fixed[None, :], len(factors), axis=0)
        return np.maximum(factors[:, None] * self.shares, self.floor)


def noise_of(measurements: Measurements, scale: ValueScale, unit: float, settings: HistorySettings) -> Noise:
    """Return the noise of the measured values on the fitted scale, after the settings' policy."""
    floor = (settings.noise_floor * unit) ** 2
    shares = _shares(measurements)
    fixed: FloatArray | None = None
    if settings.known_noise is not None:
        fixed = (settings.known_noise * unit) ** 2 * shares
    elif settings.noise in {NoisePolicy.REPETITIONS, NoisePolicy.BEYOND_REPETITIONS}:
        fixed = repetition_variances(measurements, scale)
    if fixed is not None and settings.noise is NoisePolicy.BEYOND_REPETITIONS:
        between = neighbour_variance(scale.forward(measurements.values)) or 0.0
        fixed = fixed + max(between - float(np.median(fixed)), 0.0)
    if fixed is not None:
        return Noise(np.maximum(fixed, floor), shares, floor, floor, floor)
    high = neighbour_variance(scale.forward(measurements.values))
    return Noise(None, shares, floor, floor, max(high or 0.0, 4 * floor))


def repetition_variances(measurements: Measurements, scale: ValueScale) -> FloatArray | None:
    """Return the variance of each value on `scale`, shape (n,), from its standard error or its repetitions.

    A spread of three runs is itself uncertain, so each is drawn towards the pooled one (moderated variances,
    Smyth 2004). Values that tell nothing of their own get what the others tell. None where all together tell
    too little.
    """
    given = scale.sizes(measurements.errors, measurements.values) ** 2
    freedom = np.where(np.isnan(measurements.spreads), 0, measurements.repetitions - 1)
    if freedom.sum() < ENOUGH_FREEDOM:
        return None if np.isnan(given).all() else np.where(np.isnan(given), np.nanmedian(given), given)
    known = freedom > 0
    own = np.zeros(len(measurements))
    own[known] = scale.sizes(measurements.spreads[known], measurements.values[known]) ** 2
    single = moderated_variances(own, freedom)
    return np.where(np.isnan(given), single * _shares(measurements), given)


def moderated_variances(own: FloatArray, freedom: IntArray) -> FloatArray:
    """Return each variance of `own` (n,) drawn towards the pooled one; one without degrees of `freedom` (n,) gets that.

    At least one has some. Smyth, "Linear models and empirical Bayes methods", 2004, with a fixed weight of the pooled one.
    """
    known = freedom > 0
    half = freedom[known] / 2
    # The median over revisions, each freed of the skew of its chi-square: one wild revision must not blur
    # all.
    sizes, place = np.unique(half, return_inverse=True)
    pooled = float(np.median(own[known] * half / gammaincinv(sizes, 0.5)[place]))
    return np.asarray((POOLED_FREEDOM * pooled + freedom * own) / (POOLED_FREEDOM + freedom))


def neighbour_variance(levels: FloatArray) -> float | None:
    """Return a robust variance of one value from the differences of successive ones; None for too few.

    The median of the absolute differences ignores the few that are steps.
    """
    differences = np.abs(np.diff(levels))
    if len(differences) < ENOUGH_DIFFERENCES:
        return None
    return float(np.median(differences) / MEDIAN_OF_ABSOLUTE_NORMAL) ** 2 / 2


def _shares(measurements: Measurements) -> FloatArray:
    repetitions = measurements.repetitions
    return np.where(repetitions > 2, MEDIAN_FACTOR, 1.0) / repetitions
