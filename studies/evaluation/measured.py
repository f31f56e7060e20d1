"""Everything that was measured of one program for an evaluation, and what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import InfluenceError
from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.model import CountModel
from analytics.influence.times import FloatArray

Target = Literal["counts", "time"]


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredProgram:
    """Different configurations (n, n_options) with noise-free counts and times.

    `counts` (n, n_sites) with the region of each site; `plain` (n, n_repetitions) and `counted` (n,) seconds of one call.
    Rows were chosen at `random`, by `designs`, or in the order of the `cover`, the configurations that were traced; a row
    may be of several kinds. `profiled` (n_profiled_regions, n_cover, n_repetitions) are self times of `profiled_regions` in
    the configurations of the cover, in seconds. Costs are machine seconds of processes, start and warm-up included:
    `plain_costs` and `counted_costs` (n,) of one run of each configuration, `profiled_costs` (n_cover,) of one run of each
    of the cover, `analysis_cost` of all that the analysis ran, failed and counting runs too. `candidates` and `partitions` are what the analysis found, by region, the former with what
    counts have added. Raises `InfluenceError`.
    """

    space: OptionSpace
    configurations: IntArray
    counts: IntArray
    regions: tuple[str, ...]
    plain: FloatArray
    counted: FloatArray
    random: IntArray
    designs: Mapping[str, IntArray]
    cover: IntArray
    profiled_regions: tuple[str, ...]
    profiled: FloatArray
    plain_costs: FloatArray
    counted_costs: FloatArray
    profiled_costs: FloatArray
    analysis_cost: float
    candidates: Candidates
    partitions: Mapping[str, Partition]
    _learned: dict[tuple[bytes, bool], CountModel] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.plain.ndim != 2 or self.plain.shape[1] == 1:
            raise InfluenceError("one plain run of each configuration: a hybrid needs two, counts none")
        if not (self.plain > 0).all() or (self.is_timed and not (self.counted > 0).all()):
            raise InfluenceError(
                "some runs take no time that the clock can tell: take a larger workload, or compare counts alone"
            )
        if not (self.totals > 0).all():
            raise InfluenceError("a configuration counts nothing: an error in percent divides by it")

    @property
    def is_timed(self) -> bool:
        """Whether there are times to predict; without plain runs there are counts alone."""
        return bool(self.plain.shape[1])

    @property
    def totals(self) -> FloatArray:
        """All counts of each configuration together, shape (n,)."""
        totals: FloatArray = self.counts.sum(axis=1).astype(float)
        return totals

    def truth(self, target: Target) -> FloatArray:
        """What is to be predicted, shape (n,): all counts together, or the mean seconds of the plain runs."""
        if target == "counts":
            return self.totals
        mean: FloatArray = self.plain.mean(axis=1)
        return mean

    @property
    def testable(self) -> IntArray:
        """The random rows that no design and no cover asks for."""
        asked = np.concatenate([*self.designs.values(), self.cover]) if self.designs else self.cover
        found: IntArray = np.setdiff1d(self.random, asked)
        return found

    def runs(self, rows: IntArray) -> CountedSample:
        """Counts and times of some rows: as many runs of each as a black box gets, one of them the counting run."""
        return CountedSample(
            self.space,
            self.configurations[rows],
            self.counts[rows],
            self.regions,
            self.plain[rows, :-1].mean(axis=1) if self.is_timed else None,
            self.counted[rows] if self.is_timed else None,
        )

    def count_model(self, rows: IntArray, *, tainted: bool) -> CountModel:
        """The model of the counts of some rows, learned once for both targets; `tainted` options are preferred."""
        key = rows.tobytes(), tainted
        if key not in self._learned:
            self._learned[key] = CountModel(self.runs(rows), self.candidates if tainted else None)
        return self._learned[key]
