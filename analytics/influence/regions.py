"""What one region takes in each of its subspaces, and how the program region is called."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.models import InfluenceModel
from analytics.influence.terms import margins

# Key and name of the region that holds whatever time no other region of a program does.
PROGRAM_REGION = "program"
PROGRAM_REGION_NAME = "everything else"


@dataclass(frozen=True, slots=True, eq=False)
class RegionSubspace:
    """A subspace of a region: its formula, the same in words, and what the region takes there.

    `configurations` (n,) holds the rows of the measured configurations that cover it. Without any, `value`
    is NaN; `standard_error` and the ends of the 95 % interval are NaN where the repetitions give none.
    """

    formula: str
    words: str
    configurations: IntArray
    value: float
    standard_error: float
    lower: float
    upper: float


def region_subspaces(model: InfluenceModel, region: str) -> tuple[RegionSubspace, ...]:
    """The subspaces of `region` in the order of its partition. Raises `UnknownRegionError`."""
    local, row = model.place(region)
    group = local.subspaces
    # Regions are grouped by what their formulas mean; the text is the region's own.
    partition = model.times.partitions[group.regions[row]]
    variances = np.where(group.covered, group.variances[row], np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = margins(np.sqrt(variances), variances**2 / group.fourths[row])
    return tuple(
        RegionSubspace(
            formula=formula,
            words=words,
            configurations=np.flatnonzero(group.assigned == index),
            value=float(group.values[row, index]),
            standard_error=float(np.sqrt(variances[index])),
            lower=float(group.values[row, index] - half[index]),
            upper=float(group.values[row, index] + half[index]),
        )
        for index, (formula, words) in enumerate(zip(partition.formulas, partition.words(), strict=True))
    )
