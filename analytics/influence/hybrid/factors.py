"""Counters as products of factors, one for each level off the reference.

A loop over the rows of a table around one over its columns counts rows times columns: where both are options, the count is
a product over options. As a sum of terms it needs every combination of their levels; in logarithms each level once. A
counter that something switched off is 0 and has no logarithm: whether it is must be exactly a table over few options.

An extension of ours to the study that the hybrid model comes from.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import prod

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.hybrid.fits import CountFit, poorly_fitted
from analytics.influence.hybrid.projections import ExactTables
from analytics.influence.hybrid.relaxed import Columns
from analytics.influence.moebius import UNTOUCHED, differences, term_levels
from analytics.influence.times import FloatArray

# A product has a term for each combination of levels of its options: nobody reads more of them.
MOST_TERMS = 256
# Of the squared error that the counter has as a sum: chance alone improves it a little.
ENOUGH = 0.8
# Runs that count at each level of an option whose factors are told.
_LEAST_SEEN = 2
# No prediction without a run is more than so many times the largest count: sums of logarithms have no bound.
_BEYOND = 10.0


def with_factors(
    space: OptionSpace, configurations: IntArray, fits: Sequence[CountFit], tables: ExactTables
) -> tuple[CountFit, ...]:
    """`fits` of `configurations` (n, n_options), poorly fitted ones as factors where these predict held-out runs better."""
    factors = _Factors(space, configurations, tables)
    improved = list(fits)
    for at in poorly_fitted(fits):
        improved[at] = factors.better(improved[at])
    return tuple(improved)


class _Factors:
    """Fits in logarithms over one set of configurations, with a cache of columns by the runs that count."""

    def __init__(self, space: OptionSpace, configurations: IntArray, tables: ExactTables) -> None:
        self._space, self._configurations, self._tables = space, configurations, tables
        self._levels = terms_up_to(space, 1)[1:]
        self._columns: dict[bytes, Columns] = {}

    def better(self, fit: CountFit) -> CountFit:
        """`fit`, or the same counter as a product of factors if that is clearly better."""
        counts = fit.pattern > 0
        switches = self._tables.exact(counts.astype(float), range(len(self._space.options)))
        if not switches:
            return fit
        columns = self._columns.setdefault(
            counts.tobytes(), Columns(design_matrix(self._levels, self._configurations[counts]))
        )
        learned = columns.relaxed_lasso(np.log(fit.pattern[counts]))
        held = np.zeros(len(counts))
        held[counts] = np.exp(np.minimum(learned.held, np.log(fit.pattern.max() * _BEYOND)))
        used = (self._levels[learned.coefficients != 0] != UNTOUCHED).any(axis=0)
        options = sorted({*switches[0], *np.flatnonzero(used).tolist()})
        too_many = prod(self._space.sizes[one] for one in options) > MOST_TERMS
        if too_many or not self._seen(counts, used) or not fit.is_beaten_by(held, ENOUGH):
            return fit
        cells = self._cells(options)
        values = np.exp(learned.intercept + design_matrix(self._levels, cells) @ learned.coefficients)
        values = values * self._tables.predict(counts.astype(float), switches[:1], cells)
        levels, coefficients = self._terms(options, values)
        return replace(fit, levels=levels, coefficients=coefficients, method="factors", held=held)

    def _seen(self, counts: BoolArray, used: BoolArray) -> bool:
        """Whether each level of the options `used` (n_options,) is that of two runs that count: of others no fold knows."""
        rows = self._configurations[counts]
        return all(
            np.bincount(rows[:, one], minlength=self._space.sizes[one]).min() >= _LEAST_SEEN
            for one in np.flatnonzero(used)
        )

    def _cells(self, options: Sequence[int]) -> IntArray:
        """All combinations of the levels of `options`, the others at their reference, shape (n_cells, n_options)."""
        sizes = [self._space.sizes[one] for one in options]
        cells = np.zeros((prod(sizes), len(self._space.options)), dtype=np.int8)
        if options:
            cells[:, options] = np.indices(sizes).reshape(len(sizes), -1).T
        return cells

    def _terms(self, options: Sequence[int], values: FloatArray) -> tuple[IntArray, FloatArray]:
        """The terms and coefficients of the `values` (n_cells,) of the cells of `options`."""
        sizes = [self._space.sizes[one] for one in options]
        coefficients = differences(values.reshape(sizes)[..., np.newaxis]).ravel()
        levels = term_levels(
            np.arange(len(coefficients)), options, [range(size) for size in sizes], len(self._space.options)
        )
        return levels, coefficients
