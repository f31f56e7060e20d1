"""The methods that an evaluation compares: which rows each learns from, what it predicts, and what that costs."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.partitions import Partition
from analytics.evaluation import LEARNER_TITLES
from analytics.influence.hybrid.model import hybrid_model
from analytics.influence.subspaces import subspace_times
from analytics.influence.times import FloatArray, RegionTimes
from studies.evaluation.measured import MeasuredProgram, Target
from studies.evaluation.splits import learn

BLACK_BOXES = (
    "linear",
    "pair-wise-lasso-chosen",
    "cart",
    "random-forest",
    "pair-wise-lasso-log",
    "cart-log",
    "boosting-log",
    "divide-and-learn",
)
# Of a hybrid budget this share is spent on the cover, in the order of tracing; the rest is random.
COVER_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Method:
    """One approach: what it is called in tables, and how its configurations are chosen.

    `rows(measured, order, budget)` are the rows to learn from, at most `budget` where the sampling allows that; `order`
    is the random order of the rows that are free to learn from, (n_left,). `predict(measured, target, rows, test, seed)`
    are the values of the rows `test`, from `rows` alone; NaN where it says nothing. `cost(measured, target, rows)` is in
    machine seconds of all runs that it needs: repetitions, counting, profiling and tracing.
    """

    name: str
    sampling: str
    rows: Callable[[MeasuredProgram, IntArray, int], IntArray]
    predict: Callable[[MeasuredProgram, Target, IntArray, IntArray, int], FloatArray]
    cost: Callable[[MeasuredProgram, Target, IntArray], float]


def black_box(learner: str, sampling: str = "random") -> Method:
    """A learner on random configurations, or on those of a design, whatever the budget.

    It costs plain runs for times, counting runs for counts.
    """

    def rows(measured: MeasuredProgram, order: IntArray, budget: int) -> IntArray:
        return order[:budget] if sampling == "random" else measured.designs[sampling]

    def predict(
        measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, seed: int
    ) -> FloatArray:
        values = measured.truth(target)
        fitted = learn(learner, measured.configurations[rows], values[rows], measured.space, seed)
        return fitted.predict(measured.configurations[test])

    def cost(measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        if target == "counts":
            return float(measured.counted_costs[rows].sum())
        return float(measured.plain_costs[rows].sum() * measured.plain.shape[1])

    return Method(LEARNER_TITLES[learner], sampling, rows, predict, cost)


def hybrid(*, tainted: bool, covers: bool) -> Method:
    """The hybrid model. `tainted`: the options that taint a region are preferred; `covers`: partly on the cover.

    It costs one counting run each, plain ones in place of the other repetitions, and all of the analysis where it is used.
    """

    def rows(measured: MeasuredProgram, order: IntArray, budget: int) -> IntArray:
        own = measured.cover[: int(budget * COVER_SHARE)] if covers else measured.cover[:0]
        others = order[~np.isin(order, own)]
        return np.concatenate([own, others[: budget - len(own)]])

    def predict(
        measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, _seed: int
    ) -> FloatArray:
        counts = measured.count_model(rows, tainted=tainted)
        configurations = measured.configurations[test]
        if target == "counts":
            totals: FloatArray = counts.predict(configurations).sum(axis=1)
            return totals
        return hybrid_model(counts).predict(configurations)

    def cost(measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        seconds = float(measured.counted_costs[rows].sum())
        if target == "time":
            seconds += float(measured.plain_costs[rows].sum()) * (measured.plain.shape[1] - 1)
        return seconds + (measured.analysis_cost if tainted or covers else 0.0)

    name = "hybrid" if tainted else "hybrid, all options"
    return Method(name, "random and cover" if covers else "random", rows, predict, cost)


def composed(*, filled: bool) -> Method:
    """The published model (Velez et al., ICSE 2021, Sec. III-C) on the first configurations of the cover.

    NaN where a configuration falls into a subspace that was never measured; with `filled` such a subspace has the mean of
    its region over the measured subspaces, an extension without which a small cover predicts next to nothing. It costs
    the whole analysis, which the partitions are from, and profiled or counting runs of the configurations.
    """

    def rows(measured: MeasuredProgram, _order: IntArray, budget: int) -> IntArray:
        return measured.cover[:budget]

    def predict(
        measured: MeasuredProgram, target: Target, rows: IntArray, test: IntArray, _seed: int
    ) -> FloatArray:
        if target == "counts":
            runs = measured.runs(rows)
            regions, values = runs.names, runs.by_region().T[:, :, np.newaxis]
        else:
            regions, values = measured.profiled_regions, measured.profiled[:, : len(rows)]
        # A region without partition has one subspace, all.
        whole = Partition.from_formulas(measured.space, ["True"])
        times = RegionTimes(
            space=measured.space,
            regions=regions,
            partitions=[measured.partitions.get(region, whole) for region in regions],
            configurations=measured.configurations[rows],
            values=values,
            ran=np.ones(values.shape[1:], dtype=bool),
        )
        total = np.zeros(len(test))
        for group in subspace_times(times):
            taken = group.values
            if filled:
                taken = np.where(np.isnan(taken), np.nanmean(taken, axis=1, keepdims=True), taken)
            total += taken.sum(axis=0)[group.partition.assign(measured.configurations[test])]
        return total

    def cost(measured: MeasuredProgram, target: Target, rows: IntArray) -> float:
        seconds = measured.analysis_cost
        if target == "counts":
            return seconds + float(measured.counted_costs[rows].sum())
        return seconds + float(measured.profiled_costs[: len(rows)].sum() * measured.plain.shape[1])

    return Method("composed, filled" if filled else "composed", "cover", rows, predict, cost)


# In the order of the tables. The second hybrid is the first one without taints, the third one needs no tracing at all.
HYBRIDS = (
    hybrid(tainted=True, covers=True),
    hybrid(tainted=False, covers=True),
    hybrid(tainted=False, covers=False),
)
METHODS = (
    composed(filled=False),
    composed(filled=True),
    *HYBRIDS,
    *(black_box(learner) for learner in BLACK_BOXES),
)
DESIGNED = tuple(
    black_box(learner, sampling) for sampling in ("feature-wise", "pair-wise") for learner in BLACK_BOXES
)
