"""The fit of one pattern of counts: exactly a table over few options, else by the relaxed lasso."""

from dataclasses import replace

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.hybrid.fits import CountFit, FitMethod
from analytics.influence.hybrid.projections import ExactTables, differs_inside, exact_terms
from analytics.influence.hybrid.relaxed import FOLDS, Columns, RelaxedFit, column_scales
from analytics.influence.terms import summed_terms, union
from analytics.influence.times import FloatArray

_HIGHEST = 3
# Scales of columns of interactions that are tried: their penalty is that of single options, or twice that.
INTERACTION_SCALES = (1.0, 0.5)
# How often each cell of an exact table must have been seen: both are tried.
LEAST_SEEN = (1, 2)
_CONSTANT: FitMethod = "constant"
_EXACT: FitMethod = "exact"
_LEARNED: FitMethod = "learned"


class Patterns:
    """Fits of count patterns over one set of configurations, with a cache of design matrices by preferred options.

    `weights` (n,): how much the squared error of each run counts.
    """

    def __init__(self, space: OptionSpace, configurations: IntArray, weights: FloatArray) -> None:
        self.space, self.configurations, self.weights = space, configurations, weights
        self.everything = frozenset(range(len(space.options)))
        self._tables = {least: ExactTables(space, configurations, least) for least in LEAST_SEEN}
        fold = np.arange(len(configurations)) % FOLDS
        inside = [fold == one for one in range(FOLDS if len(configurations) >= FOLDS else 0)]
        self._outside = {
            least: [(rows, ExactTables(space, configurations[~rows], least)) for rows in inside]
            for least in LEAST_SEEN
        }
        self._terms: dict[frozenset[int], IntArray] = {}
        self._columns: dict[tuple[frozenset[int], float], Columns] = {}
        self._first: dict[tuple[bytes, frozenset[int]], tuple[IntArray, FloatArray, RelaxedFit]] = {}

    @property
    def tables(self) -> ExactTables:
        """The tables of which each cell was seen at least once."""
        return self._tables[LEAST_SEEN[0]]

    def fit(
        self, pattern: FloatArray, options: frozenset[int], sites: IntArray, scales: FloatArray, *, least: int
    ) -> CountFit:
        """The fit of one pattern where the options are preferred that taint its region.

        A table is exact only where each of its cells was seen `least` times.
        """
        missed = options != self.everything and differs_inside(self.configurations, pattern, options)
        preferred = self.everything if missed else options
        exact = self._exact(self._tables[least], pattern, preferred)
        if exact:
            # The mean of the tables that fit equally well: nothing shows which is right.
            tables = [exact_terms(self.space, self.configurations, pattern, chosen) for chosen in exact]
            levels, coefficients = summed_terms(
                np.concatenate([terms_up_to(self.space, 0), *(own for own, _ in tables)]),
                np.concatenate([[0.0], *(values for _, values in tables)]) / len(tables),
            )
            held, method = pattern, _EXACT if exact[0] else _CONSTANT
        else:
            levels, coefficients, learned = self._learned_first(pattern, preferred)
            held, method = learned.held, _LEARNED
        return CountFit(sites, scales, pattern, levels, coefficients, method, preferred, held, self.weights)

    def held(self, fit: CountFit, *, least: int) -> FloatArray:
        """What the rule that made `fit` predicts of each run from the folds without it, shape (n,).

        A table that is exact in the other folds is asked, else the lasso.
        """
        held = np.zeros(len(fit.pattern))
        if fit.method == _CONSTANT or not self._outside[least]:
            return fit.pattern
        for rows, tables in self._outside[least]:
            counts = fit.pattern[~rows]
            exact = self._exact(tables, counts, fit.options)
            if exact:
                held[rows] = tables.predict(counts, exact, self.configurations[rows])
            else:
                held[rows] = self._learned_first(fit.pattern, fit.options)[2].held[rows]
        return held

    def again(self, fit: CountFit, interaction_scale: float) -> CountFit:
        """`fit` with another scale of the columns of interactions; unchanged where the lasso did not learn it."""
        if fit.method != _LEARNED:
            return fit
        levels, coefficients, learned = self._learned(fit.pattern, fit.options, interaction_scale)
        return replace(fit, levels=levels, coefficients=coefficients, held=learned.held)

    def _exact(
        self, tables: ExactTables, counts: FloatArray, preferred: frozenset[int]
    ) -> list[tuple[int, ...]]:
        """The smallest sets of options that explain all `counts`, of the preferred ones if there are any."""
        return tables.exact(counts, preferred) or tables.exact(counts, self.everything)

    def _learned_first(
        self, pattern: FloatArray, preferred: frozenset[int]
    ) -> tuple[IntArray, FloatArray, RelaxedFit]:
        """`_learned` at the first scale of interactions, kept."""
        key = pattern.tobytes(), preferred
        if key not in self._first:
            self._first[key] = self._learned(pattern, preferred, INTERACTION_SCALES[0])
        return self._first[key]

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
            self._columns[key] = Columns(design_matrix(terms[1:], self.configurations) * sizes, self.weights)
        learned = self._columns[key].relaxed_lasso(pattern)
        kept = np.concatenate([[True], learned.coefficients != 0])
        return terms[kept], np.concatenate([[learned.intercept], learned.coefficients * sizes])[kept], learned
