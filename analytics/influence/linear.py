"""Linear models over given terms, learned by least squares from end-to-end measurements.

Where the configurations do not cover every combination of levels, no partition tells a region's subspaces, and
terms are learned: y = X b + e, X as `design_matrix` gives it. Every answer (a term relative to any base, a
prediction) is a linear function of b, and is determined exactly if it is the same for all b that fit equally well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.errors import LearningError
from analytics.influence.moebius import all_levels, levels_between
from analytics.influence.reference_terms import rebased
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray

_NOTHING = 1e-8  # what rounding leaves of a zero, for matrices of zeros and ones


@dataclass(frozen=True, slots=True, eq=False)
class LeastSquares:
    """Coefficients (n,) that fit best.

    Adding any combination of the columns of `free` (n, n_free) gives another best fit. `covariance` (n, n) is NaN
    where no degree of freedom is left.
    """

    coefficients: FloatArray
    covariance: FloatArray
    free: FloatArray
    degrees_of_freedom: int
    residual_variance: float

    def determined(self, functions: FloatArray) -> BoolArray:
        """Which linear functions of the coefficients, shape (n_functions, n), all best fits agree on."""
        moved = np.abs(functions @ self.free).max(axis=1, initial=0.0)
        agreed: BoolArray = moved <= _NOTHING * np.maximum(np.abs(functions).sum(axis=1), 1.0)
        return agreed

    def of(self, functions: FloatArray) -> "LeastSquares":
        """The same fit told by linear functions of its coefficients, shape (n_functions, n)."""
        return LeastSquares(
            functions @ self.coefficients,
            functions @ self.covariance @ functions.T,
            functions @ self.free,
            self.degrees_of_freedom,
            self.residual_variance,
        )


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A learned model: the coefficients of `fitted` belong to `levels` (n_terms, n_options), `terms` are relative to a base.

    Standard errors of `terms` hold the noise of measurements and what the terms leave unexplained: see `solve`.
    """

    fitted: LeastSquares
    levels: IntArray
    terms: TermTable

    def relative_to(self, base: IntArray) -> "LinearModel":
        """The same model with influences relative to configuration `base`, shape (n_options,)."""
        space = self.terms.space
        return _model(self.fitted, self.levels, space, all_levels(space, base))

    def between(self, before: IntArray, after: IntArray) -> "LinearModel":
        """The terms that lead from configuration `before`, the base, to `after`: nothing else varies."""
        space = self.terms.space
        return _model(self.fitted, self.levels, space, levels_between(space, before, after))

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration, shape (n,); NaN where the measured ones do not determine it."""
        design = design_matrix(self.levels, self.terms.space.checked(configurations))
        return np.where(self.fitted.determined(design), design @ self.fitted.coefficients, np.nan)


def learn(
    space: OptionSpace,
    levels: IntArray,
    configurations: IntArray,
    values: FloatArray,
    *,
    sums: FloatArray | None = None,
    held_out: FloatArray | None = None,
) -> LinearModel:
    """The model over the terms `levels` that fits `values` (n,) of `configurations` (n, n_options) best.

    Relative to the reference configuration, by ordinary least squares. With `sums` (n_terms, n_columns) the terms of a
    column share one coefficient. `held_out` (n,) are predictions made without each value, from which standard errors
    come; None: from what the model itself leaves. Values that are NaN are left out. Raises `LearningError`.
    """
    known = np.isfinite(values)
    if not known.any() or not len(levels):
        raise LearningError("a model needs at least one term and one measured value")
    design = design_matrix(levels, space.checked(configurations[known]), sums)
    found = solve(design, values[known], None if held_out is None else (values - held_out)[known])
    return relative_to_reference(space, levels, found if sums is None else found.of(sums))


def relative_to_reference(space: OptionSpace, levels: IntArray, fitted: LeastSquares) -> LinearModel:
    """The model of a fit over the terms `levels` (n_terms, n_options), relative to the reference configuration."""
    return _model(fitted, levels, space, all_levels(space, space.reference))


def solve(design: FloatArray, values: FloatArray, differences: FloatArray | None = None) -> LeastSquares:
    """Least squares by QR, and a singular value decomposition of R, which tells the rank (Golub & Van Loan, 5.5).

    The covariance is that of noise alike everywhere, with the residual variance. With the `differences` (n,) from
    predictions made without each value it is the sandwich estimator that weighs each value by its own one (as HC3: MacKinnon
    & White, J. Econometrics 1985), half of it drawn to their mean square: single differences are unsure. NaN is the mean.
    """
    orthogonal, triangle = np.linalg.qr(design)
    left, sizes, right = linalg.svd(triangle)
    rank = int((sizes > max(design.shape) * np.finfo(float).eps * sizes[0]).sum())
    inverse = right[:rank].T / sizes[:rank]
    coefficients = inverse @ (left[:, :rank].T @ (orthogonal.T @ values))
    freedom = len(values) - rank
    rest = values - design @ coefficients
    variance = float(rest @ rest) / freedom if freedom else float("nan")
    covariance = inverse @ inverse.T * variance
    if differences is not None:
        known = np.isfinite(differences)
        mean = float((differences[known] ** 2).mean()) if known.any() and freedom else float("nan")
        squares = (np.where(known, differences**2, mean) + mean) / 2
        weights = inverse @ left[:, :rank].T @ orthogonal.T
        covariance = weights * squares @ weights.T
    return LeastSquares(coefficients, covariance, right[rank:].T, freedom, variance)


def left_out_predictions(design: FloatArray, values: FloatArray) -> FloatArray:
    """What ordinary least squares over `design` (n, n_columns) predicts for each of `values` from all others, shape (n,).

    In closed form, y - e / (1 - h) with residual e and leverage h (Allen 1974, PRESS). NaN where the value is NaN,
    or where the others do not determine the prediction.
    """
    known = np.isfinite(values)
    design = design[known]
    left, sizes, _ = linalg.svd(design, full_matrices=False)
    left = left[:, sizes > max(design.shape) * np.finfo(float).eps * sizes[0]]
    alone = 1.0 - (left**2).sum(axis=1)
    rest = values[known] - left @ (left.T @ values[known])
    predicted = np.full(len(values), np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        predicted[known] = np.where(alone > _NOTHING, values[known] - rest / alone, np.nan)
    return predicted


def _model(
    fitted: LeastSquares, levels: IntArray, space: OptionSpace, reach: Sequence[IntArray]
) -> LinearModel:
    """The model of a fit over `levels` (n_terms, n_options) with the terms that `reach` has, whose first are the base."""
    changes, matrix = rebased(levels, reach)
    determined = fitted.determined(matrix)
    variances = np.einsum("ij,jk,ik->i", matrix, fitted.covariance, matrix, optimize=True)
    errors = np.sqrt(np.maximum(variances, 0.0))
    table = TermTable(
        space=space,
        base=np.array([own[0] for own in reach], dtype=np.int8),
        levels=changes,
        coefficients=np.where(determined, matrix @ fitted.coefficients, np.nan),
        standard_errors=np.where(determined, errors, np.nan),
        degrees_of_freedom=np.full(len(changes), float(fitted.degrees_of_freedom)),
    )
    return LinearModel(fitted, levels, table)
