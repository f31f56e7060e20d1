"""The hybrid model: terms of regions learned from noise-free counts, and their weights in seconds from times.

The published model (Velez et al., ICSE 2021) takes the mean time of each subspace of each region. This one is an
extension and so labelled: it uses random configurations beside those of the cover, options that taint a region before
others, noise-free counts as evidence for terms, and times for little more than one weight.

Patterns of counts are fitted as `counting` says (an exact table over at most three options, else a relaxed lasso with
terms of at most two options, three that are preferred where the runs are as many) and some of them anew as `products`
says; weights as `weighing` says, their strengths by leaving configurations out; intervals as `intervals` says.
"""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.errors import HybridError
from analytics.influence.hybrid.counting import fit_counts
from analytics.influence.hybrid.data import Candidates, CountedSample, module_of, uncounted
from analytics.influence.hybrid.fits import CountFit
from analytics.influence.hybrid.weighing import RegionWeights, WeightFit
from analytics.influence.terms import TermTable, union
from analytics.influence.times import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class CountModel:
    """Counts by region: `levels` (n_terms, n_options) relative to the reference, `coefficients` (n_regions, n_terms)."""

    runs: CountedSample
    fits: tuple[CountFit, ...]
    levels: IntArray
    coefficients: FloatArray

    def predict(self, configurations: IntArray) -> FloatArray:
        """The counts of each region, none below 0; shape (n, n_regions)."""
        found = design_matrix(self.levels, self.runs.space.checked(configurations)) @ self.coefficients.T
        return np.maximum(found, 0.0)

    def total(self) -> TermTable:
        """The sum over all regions, as a sum of terms."""
        return TermTable.without_errors(self.runs.space, self.levels, self.coefficients.sum(axis=0))

    def missed(self) -> tuple[str, ...]:
        """The regions whose counts prove that the taints missed an option."""
        found = {self.runs.regions[site] for one in self.fits if one.missed for site in one.sites}
        return tuple(sorted(found))


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
        """The local model of a region in seconds. Raises `HybridError` for one that was not counted."""
        names = self.counts.runs.names
        if region not in names:
            raise HybridError(f"the model has no region {region!r}")
        place = names.index(region)
        return TermTable.without_errors(
            self.counts.runs.space,
            self.counts.levels,
            self.counts.coefficients[place] * self.weights.regions[place],
        )

    @property
    def levels(self) -> IntArray:
        """The terms of the whole, relative to the reference configuration, shape (n_terms, n_options)."""
        return self.counts.levels

    def coefficients(self) -> FloatArray:
        """The coefficients of `levels` in seconds, shape (n_terms,)."""
        return whole(self.counts.levels, self.counts.coefficients, self.weights, self.counts.runs)


def count_model(runs: CountedSample, candidates: Candidates | None) -> CountModel:
    """The model of counts; `candidates` are the options preferred in each region, those that taint it; None: all alike."""
    fits = fit_counts(runs, candidates)
    # Constant and options have a term each, whether a count needs it or not: seconds may.
    levels, places = union([terms_up_to(runs.space, 1), *(one.levels for one in fits)])
    return CountModel(
        runs, fits, levels, summed(runs, fits, places[1:], [one.coefficients for one in fits], len(levels))
    )


def summed(
    runs: CountedSample,
    fits: tuple[CountFit, ...],
    places: list[IntArray],
    coefficients: list[FloatArray],
    n_terms: int,
) -> FloatArray:
    """Coefficients of patterns, shape (n_terms of the pattern,) each, summed by region; shape (n_regions, n_terms)."""
    member = runs.membership()
    found = np.zeros((member.shape[1], n_terms))
    for one, place, own in zip(fits, places, coefficients, strict=True):
        shares = one.scales @ member[one.sites]
        touched = np.flatnonzero(shares)
        found[np.ix_(touched, place)] += np.outer(shares[touched], own)
    return found


def hybrid_model(runs: CountedSample, candidates: Candidates | None) -> HybridModel:
    """The hybrid model of `runs`, which must have plain times. Raises `HybridError`."""
    return weighed(count_model(runs, candidates))


def weighed(counts: CountModel) -> HybridModel:
    """The hybrid model with these counts, whose runs must have plain times. Raises `HybridError`.

    Where counting runs were timed too, they count as repetitions of the plain ones if that predicts plain runs that
    were left out better than plain runs alone do.
    """
    runs = counts.runs
    if runs.plain is None:
        raise HybridError("these runs have no plain times: measure them without counters too")
    alone = weighing(runs, runs.plain).best()
    if runs.counted is None:
        return HybridModel(counts, alone, paired=False)
    both = weighing(runs, paired_seconds(runs)).best()
    return (
        HybridModel(counts, both, paired=True)
        if both.error < alone.error
        else HybridModel(counts, alone, paired=False)
    )


def paired_seconds(runs: CountedSample) -> FloatArray:
    """The mean of plain and corrected counting runs, shape (n,)."""
    if runs.plain is None or runs.counted is None:
        raise HybridError("these runs have no pairs of plain and counting times")
    return (runs.plain + uncounted(runs.plain, runs.counted, runs.counts.sum(axis=1).astype(float))) / 2


def weighing(runs: CountedSample, seconds: FloatArray) -> WeightFit:
    """What weights are fitted to: measured counts, never predicted ones; held against plain times."""
    if runs.plain is None:
        raise HybridError("these runs have no plain times: measure them without counters too")
    return WeightFit(
        counts=runs.by_region(),
        modules=[module_of(name) for name in runs.names],
        levels=design_matrix(terms_up_to(runs.space, 1)[1:], runs.configurations),
        seconds=seconds,
        truth=runs.plain,
    )


def whole(
    levels: IntArray, coefficients: FloatArray, weights: RegionWeights, runs: CountedSample
) -> FloatArray:
    """The terms of the program in seconds, shape (n_terms,), from those of its regions in counts."""
    found = weights.regions @ coefficients
    singles = terms_up_to(runs.space, 1)
    rows = {row.tobytes(): place for place, row in enumerate(levels.astype(np.int8))}
    found[[rows[row.tobytes()] for row in singles]] += np.concatenate([[weights.constant], weights.options])
    return found
