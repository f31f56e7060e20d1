"""Intervals of the hybrid model's terms: the Bayesian bootstrap over configurations (Rubin 1981).

Each draw gives the configurations random weights (Dirichlet, all parameters 1) and fits counts and weights anew. What
is kept: which terms there are, their shrinkage, and exact tables of counts. So an interval tells how far coefficients
depend on the configurations that happened to be measured and on the noise of their times; not how the terms were chosen.
"""

import numpy as np

from analytics.influence.design import terms_up_to
from analytics.influence.hybrid.model import HybridModel, paired_seconds, summed, weighing, whole
from analytics.influence.linear import LeastSquares, LinearModel, relative_to_reference
from analytics.influence.located import LocatedModel, without_zero_terms
from analytics.influence.terms import union
from analytics.influence.times import FloatArray

DRAWS = 200


def with_intervals(model: HybridModel, seed: int, count: int = DRAWS) -> LocatedModel:
    """The terms of `model` and of its regions with the standard errors of `count` draws; degrees of freedom: `count` - 1.

    The same for the same `seed`. Terms of regions that are surely zero are left out, and regions without any other.
    """
    runs, fits = model.counts.runs, model.counts.fits
    rng = np.random.default_rng(seed)
    _, places = union([terms_up_to(runs.space, 1), *(one.levels for one in fits)])
    seconds = paired_seconds(runs) if model.paired else runs.plain
    assert seconds is not None  # noqa: S101 - a hybrid model is made of plain times
    task = weighing(runs, seconds)
    patterns, per_count, program = [], [], []
    for _ in range(count):
        shares = rng.dirichlet(np.ones(len(runs.configurations))) * len(runs.configurations)
        drawn = [one.drawn(runs.configurations, shares) for one in fits]
        own = summed(runs, fits, places[1:], drawn, len(model.levels))
        weights = task.with_variances(model.weights.variances, shares)
        patterns.append(drawn)
        per_count.append(weights.regions)
        program.append(whole(model.levels, own, weights, runs))
    by_fit = [np.array(own) for own in zip(*patterns, strict=True)]
    regions = {}
    for name, member, rates in zip(runs.names, runs.membership().T, np.array(per_count).T, strict=True):
        counts = np.zeros((count, len(model.levels)))
        for one, own, at in zip(fits, by_fit, places[1:], strict=True):
            if share := float(one.scales @ member[one.sites]):
                counts[:, at] += share * own
        terms = model.region_terms(name)
        local = without_zero_terms(_linear(model, terms.coefficients, counts * rates[:, np.newaxis]))
        if len(local.levels):
            regions[name] = local
    return LocatedModel(_linear(model, model.coefficients(), np.array(program)), regions)


def _linear(model: HybridModel, coefficients: FloatArray, drawn: FloatArray) -> LinearModel:
    """A model of terms with the covariance of draws (n_draws, n_terms)."""
    width = len(model.levels)
    return relative_to_reference(
        model.counts.runs.space,
        model.levels,
        LeastSquares(
            coefficients=coefficients,
            covariance=np.cov(drawn, rowvar=False).reshape(width, width),
            free=np.zeros((width, 0)),
            degrees_of_freedom=len(drawn) - 1,
            residual_variance=float("nan"),
        ),
    )
