"""Stepwise regression: starts from all options, adds and removes terms by F tests."""

import numpy as np
from scipy import special

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray

_ENTER, _REMOVE = 0.05, 0.10
_ALIASED = 1e-9  # relative: what is left of a column that others already tell
_EXACT = 1e-14  # relative to the sum of squares: a rest this small is rounding


class Stepwise:
    """The procedure that MATLAB's documentation gives for `stepwiselm`, as Velez et al. (ICSE 2021) used it.

    It starts from the intercept and one term per level off the reference; the upper bound is all terms of two options.
    It adds the term with the smallest p while one is below `_ENTER`; else it removes the term with the largest p above
    `_REMOVE` and tries to add again; it ends where neither is possible. A term is added only if all terms that it
    contains are in, and removed only if no term that contains it is in. p belongs to the partial F test.

    What differs: a column that the earlier ones already tell is left out, its coefficient is 0; where no degree of
    freedom is left, nothing is tested and the start is the model; levels of one option come and go one by one.
    """

    interpretable = True

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, _rng: np.random.Generator
    ) -> TermTable:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        levels = terms_up_to(space, 2)
        search = _Search(levels, design_matrix(levels, configurations), values)
        seen: set[bytes] = set()
        # A set of terms that comes again would come for ever.
        while (state := search.model.tobytes()) not in seen:
            seen.add(state)
            if not search.add():
                search.remove()
        return TermTable.without_errors(space, levels[search.model], search.coefficients())


class _Search:
    """The terms in the model, an orthonormal basis of their columns, and what is left of all else beside it."""

    def __init__(self, levels: IntArray, columns: FloatArray, values: FloatArray) -> None:
        self.model: BoolArray = (levels != UNTOUCHED).sum(axis=1) <= 1
        self._columns = columns
        self._values = values
        self._sizes = (columns**2).sum(axis=0)
        self._rounding = max(_EXACT * float(values @ values), np.finfo(float).tiny)
        self._parts = _parts(levels)
        self._start()

    def add(self) -> bool:
        """Add the term with the smallest p below `_ENTER`; whether there was one."""
        freedom = len(self._values) - self._rank - 1
        left = (self._rest_of_columns**2).sum(axis=0)
        may = ~self.model & ~(self._parts & ~self.model).any(axis=1) & (left > _ALIASED * self._sizes)
        if freedom < 1 or self._is_exact() or not may.any():
            return False
        explained = np.zeros(len(left))
        explained[may] = (self._rest_of_columns[:, may].T @ self._rest) ** 2 / left[may]
        best = int(np.argmax(explained))
        remaining = max(float(self._rest @ self._rest) - explained[best], self._rounding)
        if special.fdtrc(1, freedom, explained[best] / remaining * freedom) >= _ENTER:
            return False
        self.model[best] = True
        self._append(best)
        return True

    def remove(self) -> None:
        """Remove the term with the largest p above `_REMOVE`, if there is one."""
        freedom = len(self._values) - self._rank
        may = self.model & ~self._parts[self.model].any(axis=0)
        # The intercept stays.
        may[0] = False
        if freedom < 1 or self._is_exact() or not may.any():
            return
        inside = np.flatnonzero(self.model)
        coefficients, variances = _solve(self._columns[:, inside], self._values)
        variance = float(self._rest @ self._rest) / freedom
        # An aliased term, without variance, explains nothing.
        tested = variances > 0
        f = np.zeros(len(inside))
        f[tested] = coefficients[tested] ** 2 / (variances[tested] * variance)
        f[~may[inside]] = np.inf
        worst = int(np.argmin(f))
        if special.fdtrc(1, freedom, f[worst]) > _REMOVE:
            self.model[inside[worst]] = False
            self._start()

    def coefficients(self) -> FloatArray:
        """The least-squares coefficients of the terms in the model, 0 for aliased ones; shape (n_in_model,)."""
        coefficients, _ = _solve(self._columns[:, self.model], self._values)
        return coefficients

    def _start(self) -> None:
        """Build the basis anew from the columns of the model."""
        self._rank = 0
        self._rest = self._values.astype(float)
        self._rest_of_columns = self._columns.copy()
        for term in np.flatnonzero(self.model).tolist():
            self._append(term)

    def _append(self, term: int) -> None:
        """Put the column of a term into the basis, unless the earlier ones already tell it."""
        column = self._rest_of_columns[:, term]
        size = float(column @ column)
        if size <= _ALIASED * self._sizes[term]:
            return
        own = column / np.sqrt(size)
        self._rank += 1
        self._rest = self._rest - own * (own @ self._rest)
        self._rest_of_columns = self._rest_of_columns - np.outer(own, own @ self._rest_of_columns)

    def _is_exact(self) -> bool:
        """Whether the model leaves rounding errors only."""
        return float(self._rest @ self._rest) <= self._rounding


def _parts(levels: IntArray) -> BoolArray:
    """Which terms are contained in which: row contains column, itself excepted; shape (n_terms, n_terms)."""
    inside = np.ones((len(levels), len(levels)), dtype=bool)
    for own in levels.T:
        inside &= (own == UNTOUCHED) | (own[:, np.newaxis] == own)
    np.fill_diagonal(inside, val=False)
    return inside


def _solve(columns: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Coefficients, and the diagonal of the inverse Gram matrix; both 0 for columns that earlier ones tell."""
    orthogonal, triangle = np.linalg.qr(columns)
    kept = np.flatnonzero(
        np.abs(np.diag(triangle)) ** 2 > _ALIASED * (columns**2).sum(axis=0)[: len(triangle)]
    )
    if len(kept) < columns.shape[1]:
        orthogonal, triangle = np.linalg.qr(columns[:, kept])
    inverse = np.linalg.inv(triangle)
    coefficients, variances = np.zeros((2, columns.shape[1]))
    coefficients[kept] = inverse @ (orthogonal.T @ values)
    variances[kept] = (inverse**2).sum(axis=1)
    return coefficients, variances
