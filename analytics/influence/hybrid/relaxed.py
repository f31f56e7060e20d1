"""The relaxed lasso: the lasso chooses terms, and how far their coefficients are shrunk is chosen as well.

Meinshausen, Relaxed Lasso, Computational Statistics & Data Analysis 52 (2007): coefficients lie between those of the
lasso and those of least squares over the terms that it chose. Counts have no noise, so that least squares is often
right. The step of the lasso's path (Efron et al., Least angle regression, 2004) and the share of shrinkage are those
with the least squared error over five folds.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

FOLDS = 5
SHARES = (0.0, 0.5, 1.0)  # of the lasso's own coefficients; the rest is least squares
MOST_STEPS = 40
_TINY = 1e-9  # relative: what is left of a coefficient that is 0


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """`intercept`, `coefficients` (n_columns,), 0 for columns that were not chosen, and the share of the lasso.

    `held` (n,) is what the fit says of each value from the folds without it, at the step and share that were chosen.
    """

    intercept: float
    coefficients: FloatArray
    share: float
    held: FloatArray

    @property
    def chosen(self) -> BoolArray:
        """Which columns have a coefficient."""
        found: BoolArray = self.coefficients != 0
        return found


def relaxed_lasso(columns: FloatArray, values: FloatArray) -> Relaxed:
    """The fit of `values` (n,) by `columns` (n, n_columns); folds are runs of every fifth row.

    From fewer than five values, their mean.
    """
    if len(values) < FOLDS or np.ptp(values) == 0 or not columns.shape[1]:
        mean = float(values.mean())
        return Relaxed(mean, np.zeros(columns.shape[1]), 1.0, np.full(len(values), mean))
    lasso, least = _paths(columns, values)
    guesses = np.zeros((len(values), len(lasso), len(SHARES)))
    for fold in range(FOLDS):
        held = np.arange(len(values)) % FOLDS == fold
        own = _guesses(columns[~held], values[~held], columns[held])
        steps = min(guesses.shape[1], own.shape[1])
        guesses = guesses[:, :steps]
        guesses[held] = own[:, :steps]
    errors = ((guesses - values[:, np.newaxis, np.newaxis]) ** 2).sum(axis=0)
    step, number = np.unravel_index(int(errors.argmin()), errors.shape)
    share = SHARES[int(number)]
    coefficients = share * lasso[step] + (1 - share) * least[step]
    intercept = float(values.mean() - columns.mean(axis=0) @ coefficients)
    return Relaxed(intercept, coefficients, share, guesses[:, step, number])


def readily(levels: IntArray, readiness: float) -> FloatArray:
    """How large the columns of terms (n_terms, n_options) are made for the lasso: 1 for one option, else `readiness`."""
    return np.where((levels != UNTOUCHED).sum(axis=1) > 1, readiness, 1.0)


def learned(
    levels: IntArray, configurations: IntArray, values: FloatArray, readiness: float
) -> tuple[IntArray, FloatArray, Relaxed]:
    """The terms of `levels`, the intercept first, that the relaxed lasso takes, their coefficients, and its fit."""
    sizes = readily(levels[1:], readiness)
    found = relaxed_lasso(design_matrix(levels[1:], configurations) * sizes, values)
    kept = np.concatenate([[True], found.chosen])
    return levels[kept], np.concatenate([[found.intercept], found.coefficients * sizes])[kept], found


def _guesses(columns: FloatArray, values: FloatArray, others: FloatArray) -> FloatArray:
    """What every step and share says of `others` (n_others, n_columns); shape (n_others, n_steps, n_shares)."""
    centred = others - columns.mean(axis=0)
    lasso, least = (centred @ path.T for path in _paths(columns, values))
    found: FloatArray = values.mean() + np.stack(
        [share * lasso + (1 - share) * least for share in SHARES], axis=2
    )
    return found


def _paths(columns: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The lasso's coefficients at each step of its path, none first, and least squares over the columns it chose."""
    centred, rest = columns - columns.mean(axis=0), values - values.mean()
    limit = min(MOST_STEPS, max(len(values) // 2, 1))
    from sklearn.exceptions import ConvergenceWarning  # noqa: PLC0415 -- a second of imports that few need
    from sklearn.linear_model import lars_path, lasso_path  # noqa: PLC0415 -- likewise

    with warnings.catch_warnings():
        # Steps that rounding spoils end the path; what came before them stands.
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            _, _, found = lars_path(centred, rest, method="lasso", max_iter=limit)
        except ValueError:
            # scikit-learn loses count of columns that depend on one another: descend from penalty to penalty instead.
            _, found, _ = lasso_path(centred, rest, alphas=limit)
    path = found.T
    sizes = np.abs(path)
    chosen = sizes > _TINY * np.maximum(sizes.max(axis=1, keepdims=True), np.finfo(float).tiny)
    return np.where(chosen, path, 0.0), np.array([least_squares(columns, values, one) for one in chosen])


def least_squares(
    columns: FloatArray, values: FloatArray, chosen: BoolArray, weights: FloatArray | None = None
) -> FloatArray:
    """Least squares over the `chosen` columns beside an intercept; 0 for the others.

    `weights` (n,) weigh the rows; None: all alike. Columns that depend on one another share what they explain.
    """
    shares = np.full(len(values), 1 / len(values)) if weights is None else weights / weights.sum()
    some = columns[:, chosen]
    centred = some - shares @ some
    weighed = centred * shares[:, np.newaxis]
    square = weighed.T @ centred
    # Next to nothing, against dependent columns.
    square[np.diag_indices_from(square)] += _TINY * (np.trace(square) + np.finfo(float).tiny)
    found = np.zeros(columns.shape[1])
    found[chosen] = np.linalg.solve(square, weighed.T @ (values - shares @ values))
    return found
