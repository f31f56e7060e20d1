"""The relaxed lasso: the lasso chooses terms, and how far their coefficients are shrunk is chosen as well.

Meinshausen, Relaxed Lasso, Computational Statistics & Data Analysis 52 (2007): coefficients lie between those of the
lasso and those of least squares over the terms that it chose. Counts have no noise, so that least squares is often
right. The step of the lasso's path (Efron et al., Least angle regression, 2004) and the share of shrinkage are those
with the least squared error over five folds.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.hybrid.lasso_path import LassoPath
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

FOLDS = 5
SHARES = (0.0, 0.5, 1.0)  # of the lasso's own coefficients; the rest is least squares
MOST_STEPS = 40
# Scale of columns of terms over options that no taint reaches: their penalty is twice that of others.
UNTAINTED_SCALE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class RelaxedFit:
    """`intercept` and `coefficients` (n_columns,), 0 for columns that were not chosen.

    `held` (n,) is the prediction of each value from the folds without it, at the step and share that were chosen.
    """

    intercept: float
    coefficients: FloatArray
    held: FloatArray


class Columns:
    """Columns (n, n_columns) that many values may be fitted by; folds are runs of every fifth row.

    The squared error of each row counts by its weight in `weights` (n,), all above 0; None: all alike.
    """

    def __init__(self, columns: FloatArray, weights: FloatArray | None = None) -> None:
        self.columns = columns
        self._weights = np.ones(len(columns)) if weights is None else weights
        self._means = self._mean(columns)
        # Least squares over rows times the roots of their weights is weighted least squares.
        self._roots = np.sqrt(self._weights)
        self._centred = (columns - self._means) * self._roots[:, np.newaxis]
        self._gram = self._centred.T @ self._centred

    @cached_property
    def _folds(self) -> list[tuple[BoolArray, "Columns"]]:
        """For each fold which rows are outside of it, and the columns of these rows."""
        count = len(self.columns)
        outside = [np.arange(count) % FOLDS != fold for fold in range(FOLDS if count >= FOLDS else 0)]
        return [(rows, Columns(self.columns[rows], self._weights[rows])) for rows in outside]

    def relaxed_lasso(self, values: FloatArray) -> RelaxedFit:
        """The fit of `values` (n,); from fewer than five of them, their mean."""
        if not self._folds or np.ptp(values) == 0 or not self.columns.shape[1]:
            mean = float(self._mean(values))
            return RelaxedFit(mean, np.zeros(self.columns.shape[1]), np.full(len(values), mean))
        lasso, least = self._paths(values)
        guesses = np.zeros((len(values), len(lasso), len(SHARES)))
        for rows, fold in self._folds:
            own = fold.predictions(values[rows], self.columns[~rows])
            # A path that ends earlier has explained all that it can: it stays where it is.
            reached = np.minimum(np.arange(len(lasso)), own.shape[1] - 1)
            guesses[~rows] = own[:, reached]
        errors = np.tensordot(self._weights, (guesses - values[:, np.newaxis, np.newaxis]) ** 2, 1)
        step, number = np.unravel_index(int(errors.argmin()), errors.shape)
        share = SHARES[int(number)]
        coefficients = share * lasso[step] + (1 - share) * least[step]
        intercept = float(self._mean(values) - self._means @ coefficients)
        return RelaxedFit(intercept, coefficients, guesses[:, step, number])

    def _paths(self, values: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The lasso's coefficients at each step of its path, none first, and least squares over the columns it chose."""
        limit = min(MOST_STEPS, max(len(self._centred) // 2, 1))
        centred = (values - self._mean(values)) * self._roots
        return LassoPath(self._gram, self._centred.T @ centred).steps(limit)

    def _mean(self, values: FloatArray) -> FloatArray:
        """The weighted mean of rows."""
        return np.asarray(np.average(values, axis=0, weights=self._weights))

    def predictions(self, values: FloatArray, others: FloatArray) -> FloatArray:
        """What every step and share predicts for `others` (n_others, n_columns); shape (n_others, n_steps, n_shares)."""
        centred = others - self._means
        lasso, least = (centred @ path.T for path in self._paths(values))
        guesses: FloatArray = self._mean(values) + np.stack(
            [share * lasso + (1 - share) * least for share in SHARES], axis=2
        )
        return guesses


def column_scales(levels: IntArray, interaction_scale: float, preferred: frozenset[int]) -> FloatArray:
    """The scale of the column of each term (n_terms, n_options), shape (n_terms,): scaled by s it is penalised by 1 / s.

    1 for a term of one option, `interaction_scale` for several; half of that with an option that is not `preferred`.
    (The inverse of the penalty factors of the adaptive lasso, Zou, JASA 2006.)
    """
    touched = levels != UNTOUCHED
    untainted = touched[:, [position for position in range(levels.shape[1]) if position not in preferred]]
    sizes = np.where(touched.sum(axis=1) > 1, interaction_scale, 1.0)
    return np.where(untainted.any(axis=1), UNTAINTED_SCALE * sizes, sizes)
