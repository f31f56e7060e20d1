"""The measurements an influence model is built from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import InfluenceError

Aggregator = Literal["median", "mean"]
# Key and name of the region that holds whatever time no other region of a program does.
PROGRAM_REGION = "program"
PROGRAM_REGION_NAME = "everything else"
FloatArray = NDArray[np.floating[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class RegionTimes:
    """What every region took in every run, in seconds (or the unit of another metric).

    `values` has shape (n_regions, n_configurations, n_repetitions) and holds 0 where a region did not show
    up in a run. `ran` has shape (n_configurations, n_repetitions) and tells which runs exist; `values` of
    other runs are ignored. `configurations` has shape (n_configurations, n_options). `offset` is a constant
    that the measurements of `program_region` lack (None: no region stands for the rest of the program).
    With `uncovered_is_zero` a region takes no time in a subspace without a measured configuration, which is
    otherwise unknown: the convention of feature traces, whose regions run only where features are selected.

    Raises `InfluenceError`.
    """

    space: OptionSpace
    regions: Sequence[str]
    partitions: Sequence[Partition]
    configurations: IntArray
    values: FloatArray
    ran: BoolArray
    aggregate_repetitions: Aggregator = "median"
    aggregate_configurations: Aggregator = "median"
    program_region: str | None = None
    offset: float = 0.0
    uncovered_is_zero: bool = False

    def __post_init__(self) -> None:
        n_regions, n_configurations = len(self.regions), len(self.configurations)
        if self.values.ndim != 3 or self.values.shape[:2] != (n_regions, n_configurations):
            raise InfluenceError(
                f"values have shape {self.values.shape}: expected "
                f"({n_regions} regions, {n_configurations} configurations, repetitions)"
            )
        if self.ran.shape != self.values.shape[1:]:
            raise InfluenceError(f"ran has shape {self.ran.shape}: expected {self.values.shape[1:]}")
        if len(self.partitions) != n_regions or len(set(self.regions)) != n_regions:
            raise InfluenceError(
                f"{n_regions} regions ({len(set(self.regions))} names) with {len(self.partitions)} "
                "partitions: give each region one partition and a name of its own"
            )
        for region, partition in zip(self.regions, self.partitions, strict=True):
            if partition.space != self.space:
                raise InfluenceError(f"the partition of region {region} is over other options")
        self._check_runs()

    def _check_runs(self) -> None:
        self.space.checked(self.configurations)
        if not len(self.configurations) or not len(self.regions):
            raise InfluenceError("a model needs at least one region and one measured configuration")
        idle = np.flatnonzero(~self.ran.any(axis=1))
        if len(idle):
            raise InfluenceError(f"configuration {idle[0]} has no run: leave it out")
        bad = np.argwhere(~np.isfinite(self.values) & self.ran)
        if len(bad):
            region, configuration, repetition = bad[0]
            raise InfluenceError(
                f"region {self.regions[region]}, configuration {configuration}, repetition {repetition}: "
                f"{self.values[region, configuration, repetition]} is no number; write 0 for an absent region"
            )
        if self.offset and self.program_region not in self.regions:
            raise InfluenceError(
                f"the offset {self.offset} belongs to region {self.program_region}, which is not measured"
            )
        for name in (self.aggregate_repetitions, self.aggregate_configurations):
            if name not in ("median", "mean"):
                raise InfluenceError(f"unknown aggregator {name!r}: use median or mean")
