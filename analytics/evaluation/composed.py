"""The composed model as published, for an evaluation: the mean or median of each subspace of each region, summed."""

from collections.abc import Mapping

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.subspaces import subspace_times
from analytics.influence.times import FloatArray, RegionTimes


def region_times(
    space: OptionSpace,
    partitions: Mapping[str, Partition],
    regions: tuple[str, ...],
    configurations: IntArray,
    values: FloatArray,
) -> RegionTimes:
    """What regions took, `values` (n_regions, n, n_repetitions); a region without partition has one subspace, all."""
    whole = Partition.from_formulas(space, ["True"])
    return RegionTimes(
        space=space,
        regions=regions,
        partitions=[partitions.get(region, whole) for region in regions],
        configurations=configurations,
        values=values,
        ran=np.ones(values.shape[1:], dtype=bool),
    )


def composed(times: RegionTimes, configurations: IntArray, *, filled: bool) -> FloatArray:
    """What the composed model predicts (Velez et al., ICSE 2021, Sec. III-C), shape (n,).

    NaN where a configuration falls into a subspace that was never measured; with `filled` such a subspace has the mean of
    its region over the measured subspaces, an extension without which a small cover predicts next to nothing.
    """
    total = np.zeros(len(configurations))
    for group in subspace_times(times):
        values = group.values
        if filled:
            means = np.nanmean(values, axis=1, keepdims=True)
            values = np.where(np.isnan(values), means, values)
        total += values.sum(axis=0)[group.partition.assign(configurations)]
    return total
