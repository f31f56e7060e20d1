"""Published coefficients held against a least-squares fit over the same terms and measurements."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.errors import LearningError
from analytics.influence.linear import LeastSquares, left_out_predictions, solve
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

# Relative to the largest published coefficient: what printing and another order of sums leave.
_ROUNDING = 1e-6


class Agreement(StrEnum):
    """How a published coefficient stands to ours."""

    AGREES = "agrees"
    UNDETERMINED = "undetermined"
    DIFFERS = "differs"


class DisagreementReason(StrEnum):
    """Why published coefficients are not ours, as far as the measurements tell."""

    # One of the many fits that the measurements do not tell apart: the one whose coefficients are smallest.
    SMALLEST_FIT = "smallest fit"
    # Ours, once configurations without a value count as 0.
    MISSING_AS_ZERO = "missing as zero"
    # Part of our intercept stands in published terms that the options do not tell.
    SPLIT_INTERCEPT = "split intercept"
    # They fit these measurements worse than ours: they were learned from other values.
    OTHER_VALUES = "other values"


@dataclass(frozen=True, slots=True, eq=False)
class PublishedComparison:
    """Ours beside the published coefficients, shape (n_terms,) each; ours is NaN where it is not determined.

    `excess` is how much larger the published model's squared error over the measured configurations is than ours,
    relative to ours; NaN where ours is 0. `unmeasured` counts configurations without a value.
    """

    fitted: LeastSquares
    ours: FloatArray
    published: FloatArray
    agreement: tuple[Agreement, ...]
    reasons: tuple[DisagreementReason, ...]
    excess: float
    unmeasured: int

    @property
    def differences(self) -> FloatArray:
        """Ours less published, relative to the published coefficient; NaN where that is 0 but for rounding."""
        sizes = np.abs(self.published)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(
                sizes > _ROUNDING * sizes.max(initial=0.0), (self.ours - self.published) / sizes, np.nan
            )


def hold_against(
    space: OptionSpace,
    levels: IntArray,
    configurations: IntArray,
    values: FloatArray,
    published: FloatArray,
    *,
    sums: FloatArray | None = None,
    untold: float = 0.0,
) -> PublishedComparison:
    """Compare `published` (n_terms,) with the fit of `values` (n,) over the terms `levels` (n_terms, n_options).

    With `sums` (n_levels, n_terms) a published term stands for several rows of `levels`. `untold` is the sum of
    published coefficients of terms that the options do not tell. Raises `LearningError`.
    """
    known = np.isfinite(values)
    if not known.any():
        raise LearningError("there is no measured value to hold published coefficients against")
    if sums is None:
        sums = np.eye(len(levels))
    design = design_matrix(levels, space.checked(configurations)) @ sums
    fitted = solve(design[known], values[known], (values - left_out_predictions(design, values))[known])
    determined = fitted.determined(np.eye(len(published)))
    ours = np.where(determined, fitted.coefficients, np.nan)
    near = _near(ours, published)
    agreement = tuple(
        Agreement.UNDETERMINED if not known else Agreement.AGREES if same else Agreement.DIFFERS
        for known, same in zip(determined.tolist(), near.tolist(), strict=True)
    )
    rest = values[known, np.newaxis] - design[known] @ np.column_stack([fitted.coefficients, published])
    own, theirs = (rest**2).sum(axis=0).tolist()
    reasons = []
    if not determined.all() and _near(fitted.coefficients, published)[~determined].all():
        reasons.append(DisagreementReason.SMALLEST_FIT)
    differs = determined & ~near
    if differs.any():
        explained = []
        if not known.all():
            filled = solve(design, np.nan_to_num(values))
            explained.append((DisagreementReason.MISSING_AS_ZERO, filled.coefficients))
        if untold:
            intercept = (levels == UNTOUCHED).all(axis=1) @ sums > 0
            explained.append((DisagreementReason.SPLIT_INTERCEPT, np.where(intercept, ours - untold, ours)))
        # The first of the other ways to come to coefficients that gives those that differ.
        explains = (reason for reason, other in explained if _near(other, published)[differs].all())
        reasons.append(next(explains, DisagreementReason.OTHER_VALUES))
    return PublishedComparison(
        fitted=fitted,
        ours=ours,
        published=published,
        agreement=agreement,
        reasons=tuple(reasons),
        excess=theirs / own - 1 if own > 0 else float("nan"),
        unmeasured=int((~known).sum()),
    )


def _near(one: FloatArray, other: FloatArray) -> BoolArray:
    scale = max(float(np.abs(other).max()), np.finfo(float).tiny)
    near: BoolArray = np.abs(one - other) <= _ROUNDING * scale
    return near


def published_base(space: OptionSpace, levels: IntArray) -> IntArray:
    """The configuration that published terms are relative to, shape (n_options,).

    The level of each option that no term selects; -1 where several are left that the terms do not tell apart, or none.
    """
    base = np.full(len(space.options), UNTOUCHED, dtype=np.int8)
    for option, size in enumerate(space.sizes):
        free = sorted(set(range(size)) - set(levels[:, option].tolist()))
        if len(free) == 1:
            base[option] = free[0]
    return base
