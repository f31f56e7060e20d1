"""The hybrid model: terms of regions learned from noise-free counts, and their weights in seconds from times.

The published model (Velez et al., ICSE 2021) takes the mean time of each subspace of each region. This one is an
extension and so labelled: it uses random configurations beside those of the cover, options that taint a region before
others, noise-free counts as evidence for terms, and times for little more than one weight, and for what no counter sees.

`counting` fits patterns of counts (an exact table over at most three options, else a relaxed lasso with terms of at most
two options, three that are preferred where the runs are as many) and `products` some of them anew; `weighing` fits the
weights, their prior variances by leaving configurations out.

Intervals of the terms are those of the jackknife over groups (Shao & Tu, The Jackknife and Bootstrap, 1995, section 2.3):
the model is made anew without each part of the configurations, with its own terms, weights and shrinkage. So an interval
shows how far all of this depends on the configurations that happened to be measured and on the noise of their times. A
term that needs all of them is in none of these models: by how much their mean differs from the model counts as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.errors import InfluenceError
from analytics.influence.hybrid.counting import fit_counts
from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.relaxed import FOLDS
from analytics.influence.hybrid.times_beside_counts import weighing, weights_beside_options
from analytics.influence.hybrid.weighing import RegionWeights
from analytics.influence.linear import LeastSquares, LinearModel, relative_to_reference
from analytics.influence.located import LocatedModel, without_zero_terms
from analytics.influence.terms import TermTable, union
from analytics.influence.times import FloatArray


class CountModel:
    """Counts by region: `levels` (n_terms, n_options) relative to the reference, `coefficients` (n_regions, n_terms).

    `candidates` are the options preferred in each region, those that taint it; None: all alike.
    `shares` (n_fits, n_regions) tells how often the pattern of each fit counts in each region, `rows` which of the terms
    those of each fit are.
    """

    def __init__(self, runs: CountedSample, candidates: Candidates | None) -> None:
        self.runs, self.fits = runs, fit_counts(runs, candidates)
        # Constant and options have a term each, whether a count needs it or not: seconds may.
        self.levels, rows = union([terms_up_to(runs.space, 1), *(one.levels for one in self.fits)])
        self.rows = rows[1:]
        membership = runs.membership()
        self.shares = np.array([one.scales @ membership[one.sites] for one in self.fits])
        self.coefficients = self.by_region([one.coefficients for one in self.fits])

    def by_region(self, coefficients: Sequence[FloatArray]) -> FloatArray:
        """Coefficients of the fits, shape (n_terms of the fit,) each, summed by region; shape (n_regions, n_terms)."""
        sums = np.zeros((self.shares.shape[1], len(self.levels)))
        for shares, rows, own in zip(self.shares, self.rows, coefficients, strict=True):
            touched = np.flatnonzero(shares)
            sums[np.ix_(touched, rows)] += np.outer(shares[touched], own)
        return sums

    def predict(self, configurations: IntArray) -> FloatArray:
        """The counts of each region, none below 0; shape (n, n_regions)."""
        design = design_matrix(self.levels, self.runs.space.checked(configurations))
        return np.maximum(design @ self.coefficients.T, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class HybridModel:
    """Seconds: counts of regions by weights, plus terms of options for what no counter sees.

    `paired` says whether the counting runs, corrected for what counting costs, are used as times beside the plain ones.
    """

    counts: CountModel
    weights: RegionWeights
    paired: bool

    def predict(self, configurations: IntArray) -> FloatArray:
        """The seconds of each configuration, shape (n,)."""
        counts = self.counts.predict(configurations)
        columns = design_matrix(self.weights.levels, configurations)
        return self.weights.constant + counts @ self.weights.regions + columns @ self.weights.options

    @property
    def levels(self) -> IntArray:
        """The terms of the program, shape (n_terms, n_options): those of its counts, and those of options alone."""
        return union([self.counts.levels, self.weights.levels])[0]

    def in_seconds(self, levels: IntArray) -> FloatArray:
        """The coefficients of the program and of each of its regions over the terms `levels`, shape (1 + n_regions, n_terms).

        0 for terms that the model does not have.
        """
        counts, weights = self.counts, self.weights
        distinct, (wanted, places, constant, own) = union(
            [levels, counts.levels, terms_up_to(counts.runs.space, 0), weights.levels]
        )
        seconds = np.zeros((1 + len(weights.regions), len(distinct)))
        seconds[1:, places] = counts.coefficients * weights.regions[:, np.newaxis]
        seconds[0] = seconds[1:].sum(axis=0)
        seconds[0, constant] += weights.constant
        seconds[0, own] += weights.options
        return np.asarray(seconds[:, wanted])

    def region_terms(self, region: str) -> TermTable:
        """The local model of a region in seconds. Raises `InfluenceError` for one that was not counted."""
        names = self.counts.runs.names
        if region not in names:
            raise InfluenceError(f"the model has no region {region!r}")
        at = names.index(region)
        return TermTable.without_errors(
            self.counts.runs.space,
            self.counts.levels,
            self.counts.coefficients[at] * self.weights.regions[at],
        )


def hybrid_model(counts: CountModel) -> HybridModel:
    """The hybrid model with these counts, whose runs must have plain times. Raises `InfluenceError`.

    Where it is known what counts cost, that is their weight. Where counting runs were timed too, they count as repetitions of the plain ones if that predicts plain runs that
    were left out better than plain runs alone do. What counts do not explain goes to terms of up to two options if that does.
    """
    runs = counts.runs
    if (costs := runs.costs) is not None:
        nothing = RegionWeights(0.0, costs, terms_up_to(runs.space, 0)[:0], np.zeros(0), (0.0, 0.0, 0.0), 0.0)
        return HybridModel(counts, nothing, paired=False)
    ways = (False, True) if runs.counted is not None else (False,)
    made = [(weighing(runs, paired=paired).best(), paired) for paired in ways]
    if len(runs.configurations) >= FOLDS:
        made += [(weights_beside_options(runs, paired=paired), paired) for paired in ways]
    weights, paired = min(made, key=lambda one: one[0].error)
    return HybridModel(counts, weights, paired=paired)


def with_intervals(model: HybridModel, others: Sequence[HybridModel]) -> LocatedModel:
    """The terms of `model` and of its regions with standard errors, from how far models made without a part each lie apart.

    Degrees of freedom: one fewer than there are `others`. Without any there are no intervals. Terms of regions that are
    surely zero are left out, and regions without any other.
    """
    levels, names = model.levels, model.counts.runs.names
    own = model.in_seconds(levels)
    made = np.array([one.in_seconds(levels) for one in others]).reshape(-1, *own.shape)
    space = model.counts.runs.space
    whole, *local = (_linear(space, levels, own[row], made[:, row]) for row in range(len(own)))
    kept = ((name, without_zero_terms(one)) for name, one in zip(names, local, strict=True))
    return LocatedModel(whole, {name: one for name, one in kept if len(one.levels)})


def _linear(space: OptionSpace, levels: IntArray, coefficients: FloatArray, made: FloatArray) -> LinearModel:
    """A model of the terms `levels` with the covariance of those that were `made` (n_made, n_terms) without a part each.

    What all of these lack, or shrink alike, has no variance among them: their mean off the model's own is added.
    """
    apart = made - made.mean(axis=0) if len(made) else np.diag((coefficients != 0).astype(float))
    off = made.mean(axis=0) - coefficients if len(made) else np.zeros(len(coefficients))
    return relative_to_reference(
        space,
        levels,
        LeastSquares(
            coefficients=coefficients,
            # Without degrees of freedom nothing is told by it.
            covariance=apart.T @ apart * max(len(made) - 1, 1) / max(len(made), 1) + np.outer(off, off),
            free=np.zeros((len(coefficients), 0)),
            degrees_of_freedom=max(len(made) - 1, 0),
            residual_variance=float("nan"),
        ),
    )
