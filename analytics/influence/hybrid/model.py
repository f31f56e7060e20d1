"""The hybrid model: terms of regions learned from noise-free counts, and their weights in seconds from times.

The published model (Velez et al., ICSE 2021) takes the mean time of each subspace of each region. This one is an
extension and so labelled: it uses random configurations beside those of the cover, options that taint a region before
others, noise-free counts as evidence for terms, and times for little more than one weight.

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

from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.errors import InfluenceError
from analytics.influence.hybrid.counting import fit_counts
from analytics.influence.hybrid.data import Candidates, CountedSample, uncounted
from analytics.influence.hybrid.weighing import RegionWeights, WeightFit
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
        self._single, self.rows = rows[0], rows[1:]
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

    def in_seconds(self, coefficients: FloatArray, weights: RegionWeights) -> FloatArray:
        """The terms of the program in seconds, shape (n_terms,), from those of its regions in counts."""
        seconds = weights.regions @ coefficients
        seconds[self._single] += np.concatenate([[weights.constant], weights.options])
        return seconds

    def predict(self, configurations: IntArray) -> FloatArray:
        """The counts of each region, none below 0; shape (n, n_regions)."""
        design = design_matrix(self.levels, self.runs.space.checked(configurations))
        return np.maximum(design @ self.coefficients.T, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class HybridModel:
    """Seconds: counts of regions by weights, plus terms of single options.

    `paired` says whether the counting runs, corrected for what counting costs, are used as times beside the plain ones.
    """

    counts: CountModel
    weights: RegionWeights
    paired: bool

    def predict(self, configurations: IntArray) -> FloatArray:
        """The seconds of each configuration, shape (n,)."""
        space = self.counts.runs.space
        counts = self.counts.predict(configurations)
        levels = design_matrix(terms_up_to(space, 1)[1:], configurations)
        return self.weights.constant + counts @ self.weights.regions + levels @ self.weights.options

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
    were left out better than plain runs alone do.
    """
    if (costs := counts.runs.costs) is not None:
        nothing = np.zeros(len(terms_up_to(counts.runs.space, 1)) - 1)
        return HybridModel(counts, RegionWeights(0.0, costs, nothing, (0.0, 0.0, 0.0), 0.0), paired=False)
    alone = weighing(counts.runs, paired=False).best()
    if counts.runs.counted is not None:
        both = weighing(counts.runs, paired=True).best()
        if both.error < alone.error:
            return HybridModel(counts, both, paired=True)
    return HybridModel(counts, alone, paired=False)


def weighing(runs: CountedSample, *, paired: bool) -> WeightFit:
    """What weights are fitted to: measured counts, never predicted ones; errors are relative to plain times.

    With `paired` the times are means of plain and corrected counting runs.
    """
    if runs.plain is None:
        raise InfluenceError("these runs have no plain times: measure them without counters too")
    seconds = runs.plain
    if paired and runs.counted is not None:
        total = runs.counts.sum(axis=1).astype(float)
        seconds = (runs.plain + uncounted(runs.plain, runs.counted, total)) / 2
    return WeightFit(
        counts=runs.by_region(),
        modules=[name.partition(":")[0] for name in runs.names],
        levels=design_matrix(terms_up_to(runs.space, 1)[1:], runs.configurations),
        seconds=seconds,
        truth=runs.plain,
    )


def with_intervals(model: HybridModel, others: Sequence[HybridModel]) -> LocatedModel:
    """The terms of `model` and of its regions with standard errors, from how far models made without a part each lie apart.

    Degrees of freedom: one fewer than there are `others`. Without any there are no intervals. Terms of regions that are
    surely zero are left out, and regions without any other.
    """
    levels, names = model.counts.levels, model.counts.runs.names
    own = _in_seconds(model, levels)
    made = np.array([_in_seconds(one, levels) for one in others]).reshape(-1, *own.shape)
    whole, *local = (_linear(model, own[row], made[:, row]) for row in range(len(own)))
    kept = ((name, without_zero_terms(one)) for name, one in zip(names, local, strict=True))
    return LocatedModel(whole, {name: one for name, one in kept if len(one.levels)})


def _in_seconds(model: HybridModel, levels: IntArray) -> FloatArray:
    """The coefficients of the program and of each of its regions over the terms `levels`, shape (1 + n_regions, n_terms).

    0 for terms that the model does not have.
    """
    counts = model.counts
    regions = counts.coefficients * model.weights.regions[:, np.newaxis]
    own = np.vstack([counts.in_seconds(counts.coefficients, model.weights), regions])
    distinct, (wanted, places) = union([levels, counts.levels])
    seconds = np.zeros((len(own), len(distinct)))
    seconds[:, places] = own
    return np.asarray(seconds[:, wanted])


def _linear(model: HybridModel, coefficients: FloatArray, made: FloatArray) -> LinearModel:
    """A model of terms with the covariance of those that were `made` (n_made, n_terms) without a part each.

    What all of these lack, or shrink alike, has no variance among them: their mean off the model's own is added.
    """
    apart = made - made.mean(axis=0) if len(made) else np.diag((coefficients != 0).astype(float))
    off = made.mean(axis=0) - coefficients if len(made) else np.zeros(len(coefficients))
    return relative_to_reference(
        model.counts.runs.space,
        model.counts.levels,
        LeastSquares(
            coefficients=coefficients,
            # Without degrees of freedom nothing is told by it.
            covariance=apart.T @ apart * max(len(made) - 1, 1) / max(len(made), 1) + np.outer(off, off),
            free=np.zeros((len(coefficients), 0)),
            degrees_of_freedom=max(len(made) - 1, 0),
            residual_variance=float("nan"),
        ),
    )
