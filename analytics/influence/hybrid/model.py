"""The hybrid model: terms of regions learned from noise-free counts, and their weights in seconds from times.

The published model (Velez et al., ICSE 2021) takes the mean time of each subspace of each region. This one is an
extension and so labelled: it uses random configurations beside those of the cover, options that taint a region before
others, noise-free counts as evidence for terms, and times for little more than one weight.

`counting` fits patterns of counts (an exact table over at most three options, else a relaxed lasso with terms of at most
two options, three that are preferred where the runs are as many) and `products` some of them anew; `weighing` fits the
weights, their prior variances by leaving configurations out.

Intervals of the terms are those of the Bayesian bootstrap over configurations (Rubin 1981). Each draw gives the
configurations random weights (Dirichlet, all parameters 1) and fits counts and weights anew. Fixed are the terms, their
shrinkage, and exact tables of counts. So an interval shows how far coefficients depend on the configurations that happened
to be measured and on the noise of their times; not how the terms were chosen.
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

DRAWS = 200


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

    Where counting runs were timed too, they count as repetitions of the plain ones if that predicts plain runs that
    were left out better than plain runs alone do.
    """
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


def with_intervals(model: HybridModel, seed: int, count: int = DRAWS) -> LocatedModel:
    """The terms of `model` and of its regions with the standard errors of `count` draws; degrees of freedom: `count` - 1.

    The same for the same `seed`. Terms of regions that are surely zero are left out, and regions without any other.
    """
    counts = model.counts
    runs, fits = counts.runs, counts.fits
    rng = np.random.default_rng(seed)
    task = weighing(runs, paired=model.paired)
    patterns, per_count, program = [], [], []
    for _ in range(count):
        shares = rng.dirichlet(np.ones(len(runs.configurations))) * len(runs.configurations)
        drawn = [one.reweighted(runs.configurations, shares) for one in fits]
        weights = task.with_variances(model.weights.variances, shares)
        patterns.append(drawn)
        per_count.append(weights.regions)
        program.append(counts.in_seconds(counts.by_region(drawn), weights))
    by_fit = [np.array(own) for own in zip(*patterns, strict=True)]
    regions = {}
    for name, shares, rates in zip(runs.names, counts.shares.T, np.array(per_count).T, strict=True):
        drawn_counts = np.zeros((count, len(counts.levels)))
        for share, own, rows in zip(shares, by_fit, counts.rows, strict=True):
            if share:
                drawn_counts[:, rows] += share * own
        terms = model.region_terms(name)
        local = without_zero_terms(_linear(model, terms.coefficients, drawn_counts * rates[:, np.newaxis]))
        if len(local.levels):
            regions[name] = local
    coefficients = counts.in_seconds(counts.coefficients, model.weights)
    return LocatedModel(_linear(model, coefficients, np.array(program)), regions)


def _linear(model: HybridModel, coefficients: FloatArray, drawn: FloatArray) -> LinearModel:
    """A model of terms with the covariance of draws (n_draws, n_terms)."""
    width = len(model.counts.levels)
    return relative_to_reference(
        model.counts.runs.space,
        model.counts.levels,
        LeastSquares(
            coefficients=coefficients,
            covariance=np.cov(drawn, rowvar=False).reshape(width, width),
            free=np.zeros((width, 0)),
            degrees_of_freedom=len(drawn) - 1,
            residual_variance=float("nan"),
        ),
    )
