"""The variance of each measured value: from repetitions, from neighbours, or given; never below a floor."""

from dataclasses import dataclass
from functools import lru_cache

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
        return np.repeat(self.common_variances(factors), 1 if self.fixed is None else len(factors), axis=0)

    def common_variances(self, factors: FloatArray) -> FloatArray:
        """Return the same as `variances`, but one row (1, n) where the factors play no part."""
        if self.fixed is not None:
            return self.fixed[None, :]
        return np.maximum(factors[:, None] * self.shares, self.floor)


@dataclass(frozen=True, slots=True)
class RepetitionNoise:
    """What the repetitions of a history tell of the noise of any of its values, on the fitted scale.

    The last answers are kept: a history is fitted, then searched for changes, then for a drift.

    `pooled` is the variance of a single run where enough runs were repeated, `given` the median squared standard error of
    values that have one of their own; None where nothing tells it.
    """

    pooled: float | None
    given: float | None

    @classmethod
    @lru_cache(maxsize=2)
    def of(cls, measurements: Measurements, scale: ValueScale) -> "RepetitionNoise | None":
        """Return what these measurements tell; None where all together tell too little."""
        given = None
        # Most histories have none, and none needs two passes.
        if not np.isnan(measurements.errors).all():
            given = float(np.nanmedian(_own_errors(measurements, scale)))
        freedom = _freedom(measurements)
        if freedom.sum() >= ENOUGH_FREEDOM:
            return cls(pooled_variance(_own_spreads(measurements, scale), freedom), given)
        return None if given is None else cls(None, given)

    @lru_cache(maxsize=2)  # noqa: B019 -- two numbers each
    def variances(self, measurements: Measurements, scale: ValueScale) -> FloatArray:
        """Return the variance of each value (n,), of the same history or of revisions measured later.

        A spread of three runs is itself uncertain, so each is drawn towards the pooled one (moderated variances,
        Smyth 2004). Values that tell nothing of their own get what the others tell.
        """
        errors = _own_errors(measurements, scale)
        unknown = np.isnan(errors)
        if self.pooled is None:
            return np.where(unknown, np.nan if self.given is None else self.given, errors)
        single = moderated_variances(_own_spreads(measurements, scale), _freedom(measurements), self.pooled)
        single *= _shares(measurements)
        return single if unknown.all() else np.where(unknown, single, errors)


@dataclass(frozen=True, slots=True)
class NoiseRule:
    """How noisy each value of a history is, on the fitted scale: what was learned of it, without the values.

    `single` is the known variance of one run, `repeated` what repetitions tell, `beyond` what neighbours scatter beyond
    that; where neither tells anything, a common factor between `low` and `high` is to be fitted.
    """

    single: float | None
    repeated: RepetitionNoise | None
    beyond: float
    floor: float
    low: float
    high: float

    @classmethod
    def of(
        cls, measurements: Measurements, scale: ValueScale, unit: float, settings: HistorySettings
    ) -> "NoiseRule":
        """Return what these measurements tell of the noise, after the settings' policy."""
        floor = (settings.noise_floor * unit) ** 2
        if settings.known_noise is not None:
            return cls((settings.known_noise * unit) ** 2, None, 0.0, floor, floor, floor)
        repeated = None
        if settings.noise in {NoisePolicy.REPETITIONS, NoisePolicy.BEYOND_REPETITIONS}:
            repeated = RepetitionNoise.of(measurements, scale)
        between = neighbour_variance(scale.forward(measurements.values)) or 0.0
        if repeated is None:
            return cls(None, None, 0.0, floor, floor, max(between, 4 * floor))
        beyond = 0.0
        if settings.noise is NoisePolicy.BEYOND_REPETITIONS:
            beyond = max(between - median(repeated.variances(measurements, scale)), 0.0)
        return cls(None, repeated, beyond, floor, floor, floor)

    def noise(self, measurements: Measurements, scale: ValueScale) -> Noise:
        """Return the noise of these values: of those it was learned from, or of revisions measured later."""
        shares = _shares(measurements)
        fixed: FloatArray | None = None
        if self.single is not None:
            fixed = self.single * shares
        elif self.repeated is not None:
            fixed = self.repeated.variances(measurements, scale) + self.beyond
        if fixed is not None:
            fixed = np.maximum(fixed, self.floor)
        return Noise(fixed, shares, self.floor, self.low, self.high)


def noise_of(measurements: Measurements, scale: ValueScale, unit: float, settings: HistorySettings) -> Noise:
    """Return the noise of the measured values on the fitted scale, after the settings' policy."""
    return NoiseRule.of(measurements, scale, unit, settings).noise(measurements, scale)


def repetition_variances(measurements: Measurements, scale: ValueScale) -> FloatArray | None:
    """Return the variance of each value on `scale`, shape (n,), from its standard error or its repetitions.

    None where all together tell too little; see `RepetitionNoise`.
    """
    repeated = RepetitionNoise.of(measurements, scale)
    return None if repeated is None else repeated.variances(measurements, scale)


def moderated_variances(own: FloatArray, freedom: IntArray, pooled: float | None = None) -> FloatArray:
    """Return each variance of `own` (n,) drawn towards the pooled one; one without degrees of `freedom` (n,) gets that.

    Where nothing `pooled` is given, at least one has some freedom. Smyth, "Linear models and empirical Bayes methods", 2004,
    with a fixed weight of the pooled one.
    """
    pooled = pooled_variance(own, freedom) if pooled is None else pooled
    return np.asarray((POOLED_FREEDOM * pooled + freedom * own) / (POOLED_FREEDOM + freedom))


def pooled_variance(own: FloatArray, freedom: IntArray) -> float:
    """Return the typical one of the variances of `own` (n,) with their degrees of `freedom` (n,), at least one positive."""
    known = freedom > 0
    half = freedom[known] / 2
    # The median over revisions, each freed of the skew of its chi-square: one wild revision must not blur
    # all.
    if half[0] == half.min() == half.max():
        return median(own[known] * half / gammaincinv(half[0], 0.5))
    sizes, place = np.unique(half, return_inverse=True)
    return median(own[known] * half / gammaincinv(sizes, 0.5)[place])


def median(values: FloatArray) -> float:
    """Return the median of values (n,), n >= 1, all finite: numpy's takes four times as long for few."""
    half = len(values) // 2
    if len(values) % 2:
        return float(np.partition(values, half)[half])
    low, high = np.partition(values, (half - 1, half))[half - 1 : half + 1].tolist()
    return float((low + high) / 2.0)


def neighbour_variance(levels: FloatArray, apart: int = 1) -> float | None:
    """Return a robust variance of one value from the differences of those so many places `apart`; None for too few.

    The median of the absolute differences ignores the few that are steps.
    """
    differences = np.abs(levels[apart:] - levels[:-apart])
    if len(differences) < ENOUGH_DIFFERENCES:
        return None
    return (median(differences) / MEDIAN_OF_ABSOLUTE_NORMAL) ** 2 / 2


def _shares(measurements: Measurements) -> FloatArray:
    repetitions = measurements.repetitions
    return np.where(repetitions > 2, MEDIAN_FACTOR, 1.0) / repetitions


def _freedom(measurements: Measurements) -> IntArray:
    return np.where(np.isnan(measurements.spreads), 0, measurements.repetitions - 1)


def _own_spreads(measurements: Measurements, scale: ValueScale) -> FloatArray:
    """The variance of a run that each value's own repetitions tell, (n,); 0 where they tell none."""
    known = _freedom(measurements) > 0
    if known.all():
        return scale.sizes(measurements.spreads, measurements.values) ** 2
    own = np.zeros(len(measurements))
    own[known] = scale.sizes(measurements.spreads[known], measurements.values[known]) ** 2
    return own


def _own_errors(measurements: Measurements, scale: ValueScale) -> FloatArray:
    """The squares of the standard errors that values have of their own, (n,); NaN where unknown."""
    return scale.sizes(measurements.errors, measurements.values) ** 2
