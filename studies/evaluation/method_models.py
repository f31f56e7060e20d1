"""A model of each method, learned from what a coarse profile says of it, and their sum.

Weber, Apel and Siegmund, ICSE 2021: profile a sample of configurations, learn from the times of each method a model of its
own (a regression tree, CART), and filter methods whose profile says too little. The paper measures those with a
finer profiler; what is stored has no finer measurement, so here they are held at their mean.
"""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray, RegionTimes
from studies.learners.trees import TreeFit, Trees

# Methods that together take no more than this share of the time are not worth a model.
TRIVIAL_SHARE = 0.01
# So many methods without any difference between configurations show one by chance.
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class MethodModels:
    """The sum of `models`, one for each method that was kept, and of the means of the `held` methods, `constant`."""

    models: tuple[TreeFit, ...]
    constant: float
    held: int

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), in the metric's unit; shape (n,)."""
        total = np.full(len(configurations), self.constant)
        for model in self.models:
            total += model.predict(configurations)
        return total


def learn_methods(times: RegionTimes, *, filtered: bool) -> MethodModels:
    """A tree of depth 6 at most for each method; the same for the same times.

    `filtered`: methods at their mean, without a tree, are those that together take 1 % of the time at most, the smallest
    first, and those whose times differ no more between configurations than between repetitions of one (F test).
    """
    values = np.where(times.ran, times.values, np.nan)
    if times.program_region is not None:
        values[list(times.regions).index(times.program_region)] += times.offset
    aggregate = np.nanmedian if times.aggregate_repetitions == "median" else np.nanmean
    own: FloatArray = aggregate(values, axis=2)
    kept = np.ones(len(own), dtype=bool)
    if filtered:
        means = own.mean(axis=1)
        order = np.argsort(means, kind="stable")
        kept[order[np.cumsum(means[order]) <= TRIVIAL_SHARE * means.sum()]] = False
        kept &= _differs(values, times.ran)
    # In the order of the methods, so that a seed is used alike whatever is kept.
    trees = [
        Trees(depth=6).fit(times.configurations, row, times.space, np.random.default_rng(0))
        for row in own[kept]
    ]
    return MethodModels(tuple(trees), float(own[~kept].mean(axis=1).sum()), int((~kept).sum()))


def _differs(values: FloatArray, ran: BoolArray) -> BoolArray:
    """Whether each method's times (n_methods, n_configurations, n_repetitions) differ between configurations.

    One-way analysis of variance; everything does where no configuration was repeated.
    """
    from scipy.stats import f  # noqa: PLC0415 -- a second of imports that few need

    runs = ran.sum(axis=1)
    within, between = int(runs.sum() - len(runs)), len(runs) - 1
    if within < 1 or between < 1:
        return np.ones(len(values), dtype=bool)
    centres = np.nanmean(values, axis=2)
    spread = np.nansum((values - centres[:, :, np.newaxis]) ** 2, axis=(1, 2)) / within
    whole = np.average(centres, axis=1, weights=runs)
    shift = ((centres - whole[:, np.newaxis]) ** 2 @ runs) / between
    # Without any variation between repetitions any difference is one.
    found: BoolArray = shift > spread * f.isf(SIGNIFICANT, between, within)
    return found
