"""Models of noise-free counts: for each counter few terms over the options that may matter to its region."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_over
from analytics.influence.hybrid.data import Candidates, CountedSample
from analytics.influence.hybrid.fits import CountFit, FitKind, poorly_fitted
from analytics.influence.hybrid.products import with_products
from analytics.influence.hybrid.projections import ExactTables, differs_inside, exact_terms
from analytics.influence.hybrid.relaxed import Columns, RelaxedFit, column_scales
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import union
from analytics.influence.times import FloatArray

_HIGHEST = 3
# Scales of columns of interactions that are tried: their penalty is that of single options, or twice that.
INTERACTION_SCALES = (1.0, 0.5)


@dataclass(slots=True, eq=False)
class _Patterns:
    """Fits of count patterns over one set of configurations, with a cache of design matrices by preferred options."""

    space: OptionSpace
    configurations: IntArray
    tables: ExactTables = field(init=False)
    terms: dict[frozenset[int], IntArray] = field(default_factory=dict)
    columns: dict[tuple[frozenset[int], float], Columns] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tables = ExactTables(self.space, self.configurations)

    def fit(
        self, pattern: FloatArray, options: frozenset[int], sites: IntArray, scales: FloatArray
    ) -> CountFit:
        """The fit of one pattern where the options are preferred that taint its region."""
        missed = options != self.everything and differs_inside(self.configurations, pattern, options)
        preferred = self.everything if missed else options
        exact = self.tables.exact(pattern, preferred) or self.tables.exact(pattern, self.everything)
        if exact:
            levels, coefficients = self._mean(exact, pattern)
            way: FitKind = "exact" if exact[0] else "constant"
            return CountFit(sites, scales, pattern, levels, coefficients, way, preferred, missed, pattern)
        levels, coefficients, found = self._learned(pattern, preferred, INTERACTION_SCALES[0])
        return CountFit(
            sites,
            scales,
            pattern,
            levels,
            coefficients,
            "learned",
            preferred,
            missed,
            found.held,
            found.share,
        )

    def again(self, fit: CountFit, interaction_scale: float) -> CountFit:
        """`fit` with another scale of the columns of interactions; unchanged where the lasso did not learn it."""
        if fit.way != "learned":
            return fit
        levels, coefficients, found = self._learned(fit.pattern, fit.options, interaction_scale)
        return replace(fit, levels=levels, coefficients=coefficients, held=found.held, share=found.share)

    @property
    def everything(self) -> frozenset[int]:
        """All options."""
        return frozenset(range(len(self.space.options)))

    def _learned(
        self, pattern: FloatArray, preferred: frozenset[int], interaction_scale: float
    ) -> tuple[IntArray, FloatArray, RelaxedFit]:
        """The terms that the relaxed lasso takes, the intercept first, their coefficients, and its fit."""
        terms = self._terms(preferred)
        sizes = column_scales(terms[1:], interaction_scale, preferred)
        key = preferred, interaction_scale
        if key not in self.columns:
            self.columns[key] = Columns(design_matrix(terms[1:], self.configurations) * sizes)
        found = self.columns[key].relaxed_lasso(pattern)
        kept = np.concatenate([[True], found.chosen])
        return terms[kept], np.concatenate([[found.intercept], found.coefficients * sizes])[kept], found

    def _mean(self, exact: list[tuple[int, ...]], pattern: FloatArray) -> tuple[IntArray, FloatArray]:
        """The mean of the tables that fit equally well: nothing tells which is right."""
        joined: dict[bytes, float] = {}
        for chosen in exact:
            rows, values = exact_terms(self.space, self.configurations, pattern, chosen)
            for row, value in zip(rows, values, strict=True):
                joined[row.tobytes()] = joined.get(row.tobytes(), 0.0) + float(value) / len(exact)
        width = len(self.space.options)
        if not joined:
            return np.full((1, width), UNTOUCHED, dtype=np.int8), np.zeros(1)
        levels = np.frombuffer(b"".join(joined), dtype=np.int8).reshape(-1, width)
        return levels, np.array(list(joined.values()))

    def _terms(self, preferred: frozenset[int]) -> IntArray:
        """Terms of up to two options; of three that are preferred where these terms are no more than the runs."""
        if preferred not in self.terms:
            levels = terms_over(self.space, self.everything, _HIGHEST - 1)
            higher = terms_over(self.space, preferred, _HIGHEST)
            if len(higher) <= len(self.configurations):
                levels, _ = union([levels, higher])
            self.terms[preferred] = levels
        return self.terms[preferred]


def fit_counts(runs: CountedSample, candidates: Candidates | None) -> tuple[CountFit, ...]:
    """The fits of all counters of `runs`, one for each pattern. `candidates` are preferred; None: all options alike."""
    patterns = _Patterns(runs.space, runs.configurations)
    everything = frozenset(range(len(runs.space.options)))
    groups: dict[tuple[bytes, frozenset[int]], list[tuple[int, float]]] = {}
    kept: dict[bytes, FloatArray] = {}
    for site, region in enumerate(runs.regions):
        column = runs.counts[:, site].astype(np.int64)
        scale = int(np.gcd.reduce(column)) or 1
        pattern = (column // scale).tobytes()
        kept.setdefault(pattern, (column // scale).astype(float))
        options = everything if candidates is None else candidates.get(region, frozenset())
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
    """The mean absolute error of all counts together in each run held back, as a share of them."""
    totals, held = (
        sum(values * fit.scales.sum() for values, fit in zip(parts, fits, strict=True))
        for parts in ([fit.pattern for fit in fits], [fit.held for fit in fits])
    )
    some = totals > 0
    return float(np.mean(np.abs(held[some] / totals[some] - 1))) if some.any() else 0.0
