"""Intervals of the hybrid model's terms: the Bayesian bootstrap over configurations (Rubin 1981).

Each draw gives the configurations random weights (Dirichlet, all parameters 1) and fits counts and weights anew. What
is kept: which terms there are, their shrinkage, and exact tables of counts. So an interval tells how far coefficients
depend on the configurations that happened to be measured and on the noise of their times; not how the terms were chosen.
"""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.design import terms_up_to
from analytics.influence.hybrid.model import HybridModel, paired_seconds, summed, weighing, whole
from analytics.influence.linear import LeastSquares, LinearModel, relative_to_reference
from analytics.influence.terms import union
from analytics.influence.times import FloatArray

DRAWS = 200


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapDraws:
    """What the draws gave: `regions` (n_draws, n_regions) weights in seconds per count, `program` (n_draws, n_terms).

    `patterns` has (n_draws, n_terms of the pattern) for each fit of the model, `places` where its terms are among all.
    """

    model: HybridModel
    patterns: tuple[FloatArray, ...]
    places: tuple[IntArray, ...]
    regions: FloatArray
    program: FloatArray

    def program_model(self) -> LinearModel:
        """The whole model, relative to any base, with the standard error of every term; degrees of freedom: draws - 1."""
        return _linear(self.model, self.model.coefficients(), self.program)

    def region_model(self, region: str) -> LinearModel:
        """The local model of one region in seconds, relative to any base. Raises `HybridError`."""
        fit = self.model.region_terms(region)
        place = self.model.counts.runs.names.index(region)
        member = self.model.counts.runs.membership()[:, place]
        counts = np.zeros((len(self.regions), len(self.model.levels)))
        for one, own, at in zip(self.model.counts.fits, self.patterns, self.places, strict=True):
            share = float(one.scales @ member[one.sites])
            if share:
                counts[:, at] += share * own
        return _linear(self.model, fit.terms.coefficients, counts * self.regions[:, place, np.newaxis])


def draws(model: HybridModel, seed: int, count: int = DRAWS) -> BootstrapDraws:
    """Fit `model` anew with `count` random weights of its configurations, the same for the same `seed`."""
    runs = model.counts.runs
    fits = model.counts.fits
    rng = np.random.default_rng(seed)
    _, places = union([terms_up_to(runs.space, 1), *(one.levels for one in fits)])
    seconds = paired_seconds(runs) if model.paired else runs.plain
    assert seconds is not None  # noqa: S101 - a hybrid model is made of plain times
    task = weighing(runs, seconds)
    patterns, regions, program = [], [], []
    for _ in range(count):
        shares = rng.dirichlet(np.ones(len(runs.configurations))) * len(runs.configurations)
        drawn = [one.drawn(runs.configurations, shares) for one in fits]
        own = summed(runs, fits, places[1:], drawn, len(model.levels))
        weights = task.with_variances(model.weights.variances, shares)
        patterns.append(drawn)
        regions.append(weights.regions)
        program.append(whole(model.levels, own, weights, runs))
    by_fit = tuple(np.array(own) for own in zip(*patterns, strict=True))
    return BootstrapDraws(model, by_fit, tuple(places[1:]), np.array(regions), np.array(program))


def _linear(model: HybridModel, coefficients: FloatArray, drawn: FloatArray) -> LinearModel:
    """A model of terms with the covariance of draws (n_draws, n_terms)."""
    levels = model.levels
    return relative_to_reference(
        LeastSquares(
            coefficients=coefficients,
            covariance=np.cov(drawn, rowvar=False).reshape(len(levels), len(levels)),
            free=np.zeros((len(levels), 0)),
            degrees_of_freedom=len(drawn) - 1,
            residual_variance=float("nan"),
            space=model.counts.runs.space,
            levels=levels,
        )
    )
