"""The relaxed lasso: the lasso chooses terms, and how far their coefficients are shrunk is chosen as well.

Meinshausen, Relaxed Lasso, Computational Statistics & Data Analysis 52 (2007): coefficients lie between those of the
lasso and those of least squares over the terms that it chose. Counts have no noise, so that least squares is often
right. The step of the lasso's path (Efron et al., Least angle regression, 2004) and the share of shrinkage are those
with the least squared error over five folds.
"""

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from analytics.configurations.formulas import BoolArray
from analytics.influence.times import FloatArray

FOLDS = 5
SHARES = (0.0, 0.5, 1.0)  # of the lasso's own coefficients; the rest is least squares
MOST_STEPS = 40
_TINY = 1e-9  # relative: what is left of a coefficient that is 0


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """`intercept`, `coefficients` (n_columns,), 0 for columns that were not chosen, and the share of the lasso."""

    intercept: float
    coefficients: FloatArray
    share: float

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
        return Relaxed(float(values.mean()), np.zeros(columns.shape[1]), 1.0)
    at = np.arange(len(values))
    errors: FloatArray | None = None
    for fold in range(FOLDS):
        held = at % FOLDS == fold
        predictions = _predictions(columns[~held], values[~held], columns[held])
        squared = ((predictions - values[held]) ** 2).sum(axis=2)
        if errors is None:
            errors = squared
        else:
            steps = min(len(errors), len(squared))
            errors = errors[:steps] + squared[:steps]
    if errors is None:  # pragma: no cover - there are five folds
        raise AssertionError
    path = _path(columns, values)
    errors = errors[: len(path)]
    step, number = np.unravel_index(int(errors.argmin()), errors.shape)
    return _at(columns, values, path[step], SHARES[int(number)])


def _path(columns: FloatArray, values: FloatArray) -> FloatArray:
    """The lasso's coefficients at each step of its path, none first; shape (n_steps, n_columns)."""
    centred = columns - columns.mean(axis=0)
    with warnings.catch_warnings():
        # Steps that rounding spoils end the path; what came before them stands.
        warnings.simplefilter("ignore", ConvergenceWarning)
        limit = min(MOST_STEPS, max(len(values) // 2, 1))
        _, _, path = lars_path(centred, values - values.mean(), method="lasso", max_iter=limit)
    found: FloatArray = path.T
    return found


def _predictions(columns: FloatArray, values: FloatArray, others: FloatArray) -> FloatArray:
    """What every step and share predicts for `others`; shape (n_steps, n_shares, n_others)."""
    made = [
        [fit.intercept + others @ fit.coefficients for fit in _fits(columns, values, lasso)]
        for lasso in _path(columns, values)
    ]
    return np.array(made)


def _fits(columns: FloatArray, values: FloatArray, lasso: FloatArray) -> list[Relaxed]:
    least = least_squares(columns, values, _support(lasso))
    return [_mixed(columns, values, lasso, least, share) for share in SHARES]


def _at(columns: FloatArray, values: FloatArray, lasso: FloatArray, share: float) -> Relaxed:
    return _mixed(columns, values, lasso, least_squares(columns, values, _support(lasso)), share)


def _mixed(
    columns: FloatArray, values: FloatArray, lasso: FloatArray, least: FloatArray, share: float
) -> Relaxed:
    coefficients = share * np.where(_support(lasso), lasso, 0.0) + (1 - share) * least
    return Relaxed(float(values.mean() - columns.mean(axis=0) @ coefficients), coefficients, share)


def _support(lasso: FloatArray) -> BoolArray:
    sizes = np.abs(lasso)
    found: BoolArray = sizes > _TINY * max(float(sizes.max(initial=0.0)), np.finfo(float).tiny)
    return found


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
