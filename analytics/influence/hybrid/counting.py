"""Models of noise-free counts: for each counter few terms over the options that may matter to its region."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.fits import CountFit, FitMethod, poorly_fitted
from analytics.influence.hybrid.products import with_products
from analytics.influence.hybrid.projections import ExactTables, differs_inside, exact_terms
from analytics.influence.hybrid.relaxed import Columns, RelaxedFit, column_scales
from analytics.influence.terms import summed_terms, union
from analytics.influence.times import FloatArray

_HIGHEST = 3
# Scales of columns of interactions that are tried: their penalty is that of single options, or twice that.
INTERACTION_SCALES = (1.0, 0.5)


class _Patterns:
    """Fits of count patterns over one set of configurations, with a cache of design matrices by preferred options."""

    def __init__(self, space: OptionSpace, configurations: IntArray) -> None:
        self.space, self.configurations = space, configurations
        self.everything = frozenset(range(len(space.options)))
        self._tables = ExactTables(space, configurations)
        self._terms: dict[frozenset[int], IntArray] = {}
        self._columns: dict[tuple[frozenset[int], float], Columns] = {}

    def fit(
        self, pattern: FloatArray, options: frozenset[int], sites: IntArray, scales: FloatArray
    ) -> CountFit:
        """The fit of one pattern where the options are preferred that taint its region."""
        missed = options != self.everything and differs_inside(self.configurations, pattern, options)
        preferred = self.everything if missed else options
        exact = self._tables.exact(pattern, preferred) or self._tables.exact(pattern, self.everything)
        if not exact:
            levels, coefficients, learned = self._learned(pattern, preferred, INTERACTION_SCALES[0])
            return CountFit(sites, scales, pattern, levels, coefficients, "learned", preferred, learned.held)
        # The mean of the tables that fit equally well: nothing shows which is right.
        tables = [exact_terms(self.space, self.configurations, pattern, chosen) for chosen in exact]
        levels, coefficients = summed_terms(
            np.concatenate([terms_up_to(self.space, 0), *(own for own, _ in tables)]),
            np.concatenate([[0.0], *(values for _, values in tables)]) / len(tables),
        )
        method: FitMethod = "exact" if exact[0] else "constant"
        return CountFit(sites, scales, pattern, levels, coefficients, method, preferred, pattern)

    def again(self, fit: CountFit, interaction_scale: float) -> CountFit:
        """`fit` with another scale of the columns of interactions; unchanged where the lasso did not learn it."""
        if fit.method != "learned":
            return fit
        levels, coefficients, learned = self._learned(fit.pattern, fit.options, interaction_scale)
        return replace(fit, levels=levels, coefficients=coefficients, held=learned.held)

    def _learned(
        self, pattern: FloatArray, preferred: frozenset[int], interaction_scale: float
    ) -> tuple[IntArray, FloatArray, RelaxedFit]:
        """The terms that the relaxed lasso takes, the intercept first, their coefficients, and its fit."""
        if preferred not in self._terms:
            # Terms of up to two options; of three that are preferred where these terms are no more than the runs.
            terms = terms_up_to(self.space, _HIGHEST - 1)
            higher = terms_up_to(self.space, _HIGHEST, preferred)
            if len(higher) <= len(self.configurations):
                terms, _ = union([terms, higher])
            self._terms[preferred] = terms
        terms = self._terms[preferred]
        sizes = column_scales(terms[1:], interaction_scale, preferred)
        key = preferred, interaction_scale
        if key not in self._columns:
            self._columns[key] = Columns(design_matrix(terms[1:], self.configurations) * sizes)
        learned = self._columns[key].relaxed_lasso(pattern)
        kept = np.concatenate([[True], learned.coefficients != 0])
        return terms[kept], np.concatenate([[learned.intercept], learned.coefficients * sizes])[kept], learned


def fit_counts(runs: CountedSample, candidates: Candidates | None) -> tuple[CountFit, ...]:
    """The fits of all counters of `runs`, one for each pattern. `candidates` are preferred; None: all options alike."""
    patterns = _Patterns(runs.space, runs.configurations)
    groups: dict[tuple[bytes, frozenset[int]], list[tuple[int, float]]] = {}
    kept: dict[bytes, FloatArray] = {}
    for site, region in enumerate(runs.regions):
        column = runs.counts[:, site].astype(np.int64)
        scale = int(np.gcd.reduce(column)) or 1
        pattern = (column // scale).tobytes()
        kept.setdefault(pattern, (column // scale).astype(float))
        options = patterns.everything if candidates is None else candidates.get(region, frozenset())
        groups.setdefault((pattern, options), []).append((site, float(scale)))
    first = [
        patterns.fit(
            kept[pattern],
            options,
            np.array([site for site, _ in members]),
            np.array([scale for _, scale in members]),
        )
        for (pattern, options), members in groups.items()
    ]
    poor = set(poorly_fitted(first))
    tried = {INTERACTION_SCALES[0]: first} | {
        one: [patterns.again(fit, one) if at in poor else fit for at, fit in enumerate(first)]
        for one in INTERACTION_SCALES[1:]
    }
    interaction_scale = min(INTERACTION_SCALES, key=lambda one: _error(tried[one]))
    return with_products(runs.space, runs.configurations, tried[interaction_scale], interaction_scale)


def _error(fits: Sequence[CountFit]) -> float:
    """The mean absolute error of all counts together in each held-out run, as a share of them."""
    totals, held = (
        sum(values * fit.scales.sum() for values, fit in zip(parts, fits, strict=True))
        for parts in ([fit.pattern for fit in fits], [fit.held for fit in fits])
    )
    some = totals > 0
    return float(np.mean(np.abs(held[some] / totals[some] - 1))) if some.any() else 0.0
