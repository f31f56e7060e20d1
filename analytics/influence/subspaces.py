"""The value of each subspace of each region, with the noise that repetitions show.

Repetitions are aggregated per configuration, then configurations per subspace, each by median or mean.

The noise follows the same way linearly. A configuration's value has the variance of its repetitions over
their number. A subspace's value weighs its configurations equally: all of them for the mean; for the median
those whose values lie within 1.5 standard errors (of the difference) from it, since configurations that
clearly differ from the median do not move it. Simulations chose the 1.5: intervals of terms then hold the
truth in 91 to 99 % of cases, whether configurations of a subspace agree or not. A median of n values is less
precise than their mean: its variance is larger by `median_inflation(n)`.
"""

import math
from dataclasses import dataclass

import numpy as np

from analytics.configurations.formulas import BoolArray, parse, words
from analytics.configurations.options import IntArray
from analytics.configurations.partitions import Partition
from analytics.influence.terms import Estimate, margins
from analytics.influence.times import Aggregator, FloatArray, RegionTimes

_NEAR = 1.5  # standard errors within which a configuration's value may move the median


@dataclass(frozen=True, slots=True, eq=False)
class SubspaceTimes:
    """The subspace values of all regions with one and the same partition.

    `regions` holds positions, `assigned` the subspace of each measured configuration. `covered` tells which
    subspaces have a value, by a configuration or as zero by convention. `values` (NaN where there is none),
    `variances` and `fourths` have shape (n_regions, n_subspaces);
    `fourths` sums squared variances over degrees of freedom (Welch-Satterthwaite) and both are NaN where a
    configuration ran only once. `residuals`, (n_configurations, n_repetitions), sums over the regions what
    each repetition moves; the squares of a configuration's row add up to its variance.
    """

    partition: Partition
    regions: IntArray
    assigned: IntArray
    covered: BoolArray
    values: FloatArray
    variances: FloatArray
    fourths: FloatArray
    residuals: FloatArray

    def differences(self, before: IntArray, after: IntArray) -> list[Estimate]:
        """What each region takes more in one configuration than in another, (n_options,) each, with Welch's interval."""
        first, second = self.partition.assign(np.stack([before, after]))
        if first == second:
            return [Estimate(0.0, 0.0)] * len(self.regions)
        variance = self.variances[:, first] + self.variances[:, second]
        fourths = self.fourths[:, first] + self.fourths[:, second]
        return _estimates(self.values[:, second] - self.values[:, first], variance, fourths)

    def estimates(self, configuration: IntArray) -> list[Estimate]:
        """What each region takes in a configuration, (n_options,), with its interval."""
        (at,) = self.partition.assign(configuration[np.newaxis])
        return _estimates(self.values[:, at], self.variances[:, at], self.fourths[:, at])


def _estimates(values: FloatArray, variances: FloatArray, fourths: FloatArray) -> list[Estimate]:
    """Values with Welch's intervals; where a configuration ran only once nothing tells the noise."""
    with np.errstate(divide="ignore", invalid="ignore"):
        half = margins(np.sqrt(variances), np.where(fourths > 0, variances**2 / fourths, 1.0))
    half = np.where(np.isnan(variances), np.nan, half)
    return [Estimate.of(*one) for one in zip(values.tolist(), half.tolist(), strict=True)]


def median_inflation(n: FloatArray | IntArray) -> FloatArray:
    """Variance of the median of n normal values over the variance of their mean; tends to pi / 2.

    Within 1.2 % of the exact ratio of order statistics for every n.
    """
    n = np.asarray(n, dtype=float)
    return np.where(n <= 2, 1.0, math.pi * n / (2 * n + np.where(n % 2 == 1, 0.95, 2.65)))


def subspace_times(times: RegionTimes) -> tuple[SubspaceTimes, ...]:
    """The subspace values of all regions, one entry per distinct partition."""
    counts = times.ran.sum(axis=1)
    middle = np.nanmedian if times.aggregate_repetitions == "median" else np.nanmean
    centres = middle(np.where(times.ran, times.values, np.nan), axis=2)
    kept = np.where(times.ran, times.values, 0.0)
    deviations = np.where(times.ran, kept - (kept.sum(axis=2) / counts)[:, :, np.newaxis], 0.0)
    free = np.where(counts > 1, counts - 1.0, np.nan)
    inflation = median_inflation(counts) if times.aggregate_repetitions == "median" else 1.0
    deviations *= np.sqrt(inflation / (counts * np.maximum(counts - 1, 1)))[:, np.newaxis]
    noise = np.where(counts > 1, (deviations**2).sum(axis=2), np.nan)

    groups: dict[object, list[int]] = {}
    for position, partition in enumerate(times.partitions):
        groups.setdefault(partition.key, []).append(position)
    offsets = times.offset * np.array([region == times.program_region for region in times.regions])

    found = []
    for members in groups.values():
        partition = times.partitions[members[0]]
        assigned = partition.assign(times.configurations)
        values, weights = _over_configurations(
            centres[members], noise[members], assigned, partition.n_subspaces, times.aggregate_configurations
        )
        belongs = _membership(assigned, partition.n_subspaces)
        parts = np.where(weights > 0, weights**2 * noise[members], 0.0)
        measured: BoolArray = belongs.sum(axis=0) > 0
        if times.uncovered_is_zero:
            values[:, ~measured] = 0.0
        found.append(
            SubspaceTimes(
                partition=partition,
                regions=np.asarray(members),
                assigned=assigned,
                covered=measured | times.uncovered_is_zero,
                values=values + offsets[members][:, np.newaxis],
                variances=_sum_by(parts, belongs),
                fourths=_sum_by(np.where(weights > 0, parts**2 / free, 0.0), belongs),
                residuals=np.einsum("rc,rck->ck", weights, deviations[members]),
            )
        )
    return tuple(found)


def _membership(assigned: IntArray, n_subspaces: int) -> FloatArray:
    """1 where a configuration belongs to a subspace, else 0; shape (n_configurations, n_subspaces)."""
    belongs: FloatArray = (assigned[:, np.newaxis] == np.arange(n_subspaces)).astype(float)
    return belongs


def _sum_by(parts: FloatArray, belongs: FloatArray) -> FloatArray:
    """Sums of columns of `parts` per subspace; NaN where a part is NaN."""
    if not np.isnan(parts).any():
        sums: FloatArray = parts @ belongs
        return sums
    known = np.nan_to_num(parts) @ belongs
    return np.where(np.isnan(parts) @ belongs > 0, np.nan, known)


def _over_configurations(
    x: FloatArray, noise: FloatArray, assigned: IntArray, n_subspaces: int, how: Aggregator
) -> tuple[FloatArray, FloatArray]:
    """Subspace values (n_regions, n_subspaces) and weights of configurations for the noise, shaped as `x`."""
    sizes = np.bincount(assigned, minlength=n_subspaces)
    covered = sizes > 0
    values = np.full((len(x), n_subspaces), np.nan)
    belongs = _membership(assigned, n_subspaces)
    if how == "mean":
        values[:, covered] = (x @ belongs)[:, covered] / sizes[covered]
        return values, np.broadcast_to(1.0 / sizes[assigned], x.shape)

    order = np.lexsort((x, np.broadcast_to(assigned, x.shape)), axis=-1)
    starts = np.cumsum(sizes) - sizes
    lower = order[:, (starts + (sizes - 1) // 2)[covered]]
    upper = order[:, (starts + sizes // 2)[covered]]

    def middle(of: FloatArray) -> FloatArray:
        picked: FloatArray = (np.take_along_axis(of, lower, 1) + np.take_along_axis(of, upper, 1)) / 2
        return picked

    values[:, covered] = middle(x)
    own = np.full_like(values, np.nan)
    own[:, covered] = middle(noise)
    near = (x - values[:, assigned]) ** 2 <= _NEAR**2 * (noise + own[:, assigned])
    np.put_along_axis(near, lower, values=True, axis=1)
    np.put_along_axis(near, upper, values=True, axis=1)
    count = (near @ belongs)[:, assigned]
    return values, near / count * np.sqrt(median_inflation(count))


@dataclass(frozen=True, slots=True)
class WideSubspace:
    """A subspace of a region whose runs scatter: their mean in the metric's unit, and deviation by mean."""

    region: str
    words: str
    mean: float
    variation: float
    runs: int


def wide_subspaces(times: RegionTimes, limit: float) -> tuple[int, tuple[WideSubspace, ...]]:
    """How many subspaces were checked, and those with a coefficient of variation above `limit`, longest first.

    A subspace is checked if it holds at least two runs and took any time.
    """
    checked, wide = 0, []
    for position, (region, partition) in enumerate(zip(times.regions, times.partitions, strict=True)):
        assigned = partition.assign(times.configurations)
        for index, formula in enumerate(partition.formulas):
            inside = assigned == index
            values = times.values[position, inside][times.ran[inside]]
            if len(values) < 2 or values.mean() <= 0:
                continue
            checked += 1
            mean, variation = float(values.mean()), float(np.std(values, ddof=1) / values.mean())
            if variation > limit:
                in_words = words(parse(formula), times.space)
                wide.append(WideSubspace(region, in_words, mean, variation, len(values)))
    return checked, tuple(sorted(wide, key=lambda one: -one.mean))
