"""Models of noise-free counts: for each counter few terms over the options that may matter to its region."""

from collections.abc import Sequence

import numpy as np

from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.factors import with_factors
from analytics.influence.hybrid.fits import CountFit, poorly_fitted
from analytics.influence.hybrid.patterns import INTERACTION_SCALES, LEAST_SEEN, Patterns
from analytics.influence.hybrid.products import with_products
from analytics.influence.times import FloatArray


def fit_counts(runs: CountedSample, candidates: Candidates | None) -> tuple[CountFit, ...]:
    """The fits of all counters of `runs`, one for each pattern. `candidates` are preferred; None: all options alike."""
    totals = runs.counts.sum(axis=1).astype(float)
    # An error counts by its share of the run's counts: a run of few is to be told as well as one of many.
    patterns = Patterns(runs.space, runs.configurations, (totals.mean() / np.maximum(totals, 1.0)) ** 2)
    groups: dict[tuple[bytes, frozenset[int]], list[tuple[int, float]]] = {}
    kept: dict[bytes, FloatArray] = {}
    for site, region in enumerate(runs.regions):
        column = runs.counts[:, site].astype(np.int64)
        scale = int(np.gcd.reduce(column)) or 1
        pattern = (column // scale).tobytes()
        kept.setdefault(pattern, (column // scale).astype(float))
        options = patterns.everything if candidates is None else candidates.get(region, frozenset())
        groups.setdefault((pattern, options), []).append((site, float(scale)))
    by_rule = {
        least: [
            patterns.fit(
                kept[pattern],
                options,
                np.array([site for site, _ in members]),
                np.array([scale for _, scale in members]),
                least=least,
            )
            for (pattern, options), members in groups.items()
        ]
        for least in LEAST_SEEN
    }
    # Whether a level that was seen once tells anything depends on the program: the folds tell.
    least = min(
        LEAST_SEEN,
        key=lambda one: _error(by_rule[one], [patterns.held(fit, least=one) for fit in by_rule[one]]),
    )
    poor = set(poorly_fitted(by_rule[least]))
    tried = {INTERACTION_SCALES[0]: by_rule[least]} | {
        one: [patterns.again(fit, one) if at in poor else fit for at, fit in enumerate(by_rule[least])]
        for one in INTERACTION_SCALES[1:]
    }
    interaction_scale = min(
        INTERACTION_SCALES, key=lambda one: _error(tried[one], [fit.held for fit in tried[one]])
    )
    factored = with_factors(runs.space, runs.configurations, tried[interaction_scale], patterns.tables)
    return with_products(runs.space, runs.configurations, factored, interaction_scale)


def _error(fits: Sequence[CountFit], held: Sequence[FloatArray]) -> float:
    """The mean absolute error of all counts together in each held-out run, as a share of them."""
    totals, guessed = (
        sum(values * fit.scales.sum() for values, fit in zip(parts, fits, strict=True))
        for parts in ([fit.pattern for fit in fits], held)
    )
    some = totals > 0
    return float(np.mean(np.abs(guessed[some] / totals[some] - 1))) if some.any() else 0.0
