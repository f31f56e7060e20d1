"""The methods that an evaluation compares: which rows each learns from, what it predicts, and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.evaluation.splits import learn
from analytics.influence.hybrid import weighed
from analytics.influence.learners import LEARNERS
from analytics.influence.subspaces import subspace_times
from analytics.influence.times import FloatArray, RegionTimes
from studies.evaluation.measured import MeasuredProgram, Target


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


BLACK_BOXES = ("linear", "pair-wise-lasso-chosen", "cart", "random-forest")
# Of a hybrid budget this share is spent on the cover, in the order of tracing; the rest is random.
COVER_SHARE = 0.2


class Method(Protocol):
    """One approach. `order` is the random order of the rows that are free to learn from, (n_left,)."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    @property
    def sampling(self) -> str:
        """How its configurations are chosen."""

    def rows(self, measured: MeasuredProgram, order: IntArray, budget: int) -> IntArray:
        """The rows to learn from, at most `budget` where the sampling allows that."""

    def predict(
        self, measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, seed: int
    ) -> FloatArray:
        """The values of the rows `test`, from `rows` alone; NaN where it says nothing."""

    def cost(self, measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        """Machine seconds of all runs that it needs: repetitions, counting, profiling and tracing."""


@dataclass(frozen=True, slots=True)
class BlackBox:
    """A learner on random configurations, or on those of a design, whatever the budget."""

    learner: str
    sampling: str = "random"

    @property
    def name(self) -> str:
        """The learner's title."""
        return LEARNERS[self.learner].title

    def rows(self, measured: MeasuredProgram, order: IntArray, budget: int) -> IntArray:
        """The design, or as many random rows as the budget says."""
        return order[:budget] if self.sampling == "random" else measured.designs[self.sampling]

    def predict(
        self, measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, seed: int
    ) -> FloatArray:
        """What the learner predicts."""
        values = measured.truth(target)
        fitted = learn(self.learner, measured.configurations[rows], values[rows], measured.space, seed)
        return fitted.predict(measured.configurations[test])

    def cost(self, measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        """Plain runs for times, counting runs for counts."""
        if target == "counts":
            return float(measured.counted_costs[rows].sum())
        return float(measured.plain_costs[rows].sum() * measured.plain.shape[1])


@dataclass(frozen=True, slots=True)
class Hybrid:
    """The hybrid model. `tainted`: the options that taint a region are preferred; `covers`: partly on the cover."""

    tainted: bool
    covers: bool

    @property
    def name(self) -> str:
        """What tells it from the other hybrids."""
        return "hybrid" if self.tainted else "hybrid, all options"

    @property
    def sampling(self) -> str:
        """Random alone, or with a part of the cover."""
        return "random and cover" if self.covers else "random"

    def rows(self, measured: MeasuredProgram, order: IntArray, budget: int) -> IntArray:
        """A fifth of the budget from the cover, in the order of tracing, the rest at random."""
        own = measured.cover[: int(budget * COVER_SHARE)] if self.covers else measured.cover[:0]
        others = order[~np.isin(order, own)]
        return np.concatenate([own, others[: budget - len(own)]])

    def predict(
        self, measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, _seed: int
    ) -> FloatArray:
        """The sum over regions; nothing in it is random."""
        counts = measured.count_model(rows, tainted=self.tainted)
        configurations = measured.configurations[test]
        if target == "counts":
            totals: FloatArray = counts.predict(configurations).sum(axis=1)
            return totals
        return weighed(counts).predict(configurations)

    def cost(self, measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        """One counting run each, plain ones in place of the other repetitions; all of the analysis where it is used."""
        seconds = float(measured.counted_costs[rows].sum())
        if target == "time":
            seconds += float(measured.plain_costs[rows].sum()) * (measured.plain.shape[1] - 1)
        return seconds + (measured.analysis_cost if self.tainted or self.covers else 0.0)


@dataclass(frozen=True, slots=True)
class Composed:
    """The published model on the first configurations of the cover; `filled` as `composed` says."""

    filled: bool
    sampling: str = "cover"

    @property
    def name(self) -> str:
        """As published, or filled."""
        return "composed, filled" if self.filled else "composed"

    def rows(self, measured: MeasuredProgram, order: IntArray, budget: int) -> IntArray:  # noqa: ARG002 - the cover has its order
        """The first ones that were traced."""
        return measured.cover[:budget]

    def predict(
        self, measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, _seed: int
    ) -> FloatArray:
        """The sum of subspaces."""
        if target == "counts":
            runs = measured.runs(rows)
            regions, values = runs.names, runs.by_region().T[:, :, np.newaxis]
        else:
            regions = measured.profiled_regions
            values = measured.profiled[:, : len(rows)]
        times = region_times(
            measured.space, measured.partitions, regions, measured.configurations[rows], values
        )
        return composed(times, measured.configurations[test], filled=self.filled)

    def cost(self, measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        """The whole analysis, which the partitions are from, and profiled or counting runs of the configurations."""
        seconds = measured.analysis_cost
        if target == "counts":
            return seconds + float(measured.counted_costs[rows].sum())
        return seconds + float(measured.profiled_costs[: len(rows)].sum() * measured.plain.shape[1])


# In the order of the tables. The second hybrid is the first one without taints, the third one needs no tracing at all.
HYBRIDS = (
    Hybrid(tainted=True, covers=True),
    Hybrid(tainted=False, covers=True),
    Hybrid(tainted=False, covers=False),
)
METHODS: tuple[Method, ...] = (
    Composed(filled=False),
    Composed(filled=True),
    *HYBRIDS,
    *(BlackBox(learner) for learner in BLACK_BOXES),
)
DESIGNED: tuple[Method, ...] = tuple(
    BlackBox(learner, sampling) for sampling in ("feature-wise", "pair-wise") for learner in BLACK_BOXES
)
