"""How far measured times differ within a subspace, whose configurations should take the same path.

Velez et al. (ICSE 2021, Sec. V-D) take a coefficient of variation above 1.0 as a sign that a partition misses options.
"""

from dataclasses import dataclass

import numpy as np

from analytics.influence.times import RegionTimes

LIMIT = 1.0


@dataclass(frozen=True, slots=True)
class Variation:
    """The times of one region across the configurations of each subspace that at least two were measured in.

    `subspaces` counts these, `above` those whose coefficient of variation (sample standard deviation over mean, no
    unit) is above 1.0. `worst` is the largest, that of the subspace `formula` with `configurations` measured ones,
    which took `seconds` on average (or the unit of the metric).
    """

    region: str
    subspaces: int
    above: int
    worst: float
    formula: str
    configurations: int
    seconds: float


def variations(times: RegionTimes) -> tuple[Variation, ...]:
    """Of each region with such a subspace, in the order of `times`; a configuration counts as its repetitions' median.

    A subspace that takes no time in any configuration does not vary.
    """
    found = []
    for region, partition, values in zip(times.regions, times.partitions, times.values, strict=True):
        each = np.array([np.median(row[ran]) for row, ran in zip(values, times.ran, strict=True)])
        subspace = partition.assign(times.configurations)
        rows = []
        for number in np.unique(subspace).tolist():
            inside = each[subspace == number]
            if len(inside) > 1:
                mean = float(inside.mean())
                deviation = float(inside.std(ddof=1))
                rows.append((deviation / mean if mean > 0 else 0.0, number, len(inside), mean))
        if rows:
            worst, number, configurations, mean = max(rows, key=lambda row: (row[0], -row[1]))
            above = sum(row[0] > LIMIT for row in rows)
            formula = partition.formulas[number]
            found.append(Variation(region, len(rows), above, worst, formula, configurations, mean))
    return tuple(found)
