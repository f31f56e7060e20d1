"""Terms and what is known about each of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace, packed
from analytics.influence.design import design_matrix
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

CONFIDENCE = 0.95


def margins(standard_errors: FloatArray, degrees_of_freedom: FloatArray) -> FloatArray:
    """Half the widths of 95 % intervals by Student's t."""
    quantiles = special.stdtrit(degrees_of_freedom, (1 + CONFIDENCE) / 2)
    # Repetitions that never differ leave no degrees of freedom and no doubt.
    return np.where(standard_errors == 0, 0.0, quantiles * standard_errors)


def exceeds(coefficients: FloatArray, half: FloatArray) -> BoolArray:
    """Which coefficients are larger in size than half the width of their interval; NaN counts as 0, as value or width."""
    larger: BoolArray = np.abs(np.nan_to_num(coefficients)) > np.nan_to_num(half)
    return larger


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval.

    It has a `margin` to either side, which stands behind ±, or `ends` where it reaches further to one side; neither where
    nothing tells it.
    """

    value: float
    margin: float | None = None
    ends: tuple[float, float] | None = None

    @classmethod
    def of(cls, value: float, margin: float) -> "Estimate":
        """The estimate of a value and half the width of its interval; NaN is none."""
        return cls(value, margin if math.isfinite(value - margin) else None)

    @property
    def low(self) -> float | None:
        """Where the interval begins."""
        if self.ends is not None:
            return self.ends[0]
        return None if self.margin is None else self.value - self.margin

    @property
    def high(self) -> float | None:
        """Where the interval ends."""
        if self.ends is not None:
            return self.ends[1]
        return None if self.margin is None else self.value + self.margin

    def never_negative(self) -> "Estimate":
        """The estimate of what cannot be below zero, with no interval below it; where the value is, nothing helps."""
        if self.low is None or self.high is None or self.low >= 0.0 or self.value < 0.0:
            return self
        return Estimate(self.value, ends=(0.0, self.high))

    @property
    def may_be_zero(self) -> bool:
        """Whether the interval holds zero."""
        return self.low is not None and self.high is not None and self.low <= 0.0 <= self.high

    @property
    def is_significant(self) -> bool:
        """Whether there is an interval, and zero lies outside of it."""
        return self.low is not None and not self.may_be_zero


def by_size(regions: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Regions by the size of their values, the largest first, equal ones by name."""
    return dict(sorted(regions.items(), key=lambda item: (-abs(item[1].value), item[0])))


@dataclass(frozen=True, slots=True, eq=False)
class TermTable:
    """Terms relative to `base` with their coefficients; the intercept comes first, then by degree.

    `levels` (n_terms, n_options) holds the level each option changes to, or -1. The other arrays have shape
    (n_terms,). `coefficients` is NaN where a term needs a subspace that was never measured.
    `standard_errors` and `degrees_of_freedom` come from the repetitions; they are NaN where a configuration
    that matters ran only once: one repetition gives no interval.

    Where effects multiply, `factors` tells by what each term multiplies; None where they add up.
    """

    space: OptionSpace
    base: IntArray
    levels: IntArray
    coefficients: FloatArray
    standard_errors: FloatArray
    degrees_of_freedom: FloatArray
    factors: FloatArray | None = None

    @classmethod
    def without_errors(cls, space: OptionSpace, levels: IntArray, coefficients: FloatArray) -> "TermTable":
        """Terms relative to the reference configuration; no intervals: after a choice or a penalty they are too narrow."""
        unknown = np.full(len(levels), np.nan)
        return cls(space, space.reference, levels, coefficients, unknown, unknown)

    def __len__(self) -> int:
        return len(self.levels)

    def predict(self, configurations: IntArray) -> FloatArray:
        """The sum of the coefficients of all terms that are on in each of `configurations` (n, n_options); shape (n,)."""
        predicted: FloatArray = design_matrix(self.levels, configurations) @ self.coefficients
        return predicted

    @property
    def degrees(self) -> IntArray:
        """The number of options in each term."""
        degrees: IntArray = (self.levels != UNTOUCHED).sum(axis=1)
        return degrees

    @property
    def determined(self) -> BoolArray:
        """Whether the measured configurations determine the coefficient."""
        return ~np.isnan(self.coefficients)

    @property
    def margins(self) -> FloatArray:
        """Half the width of the 95 % interval (Student's t); NaN where there is none."""
        return margins(self.standard_errors, self.degrees_of_freedom)

    @property
    def significant(self) -> BoolArray:
        """Whether the 95 % interval excludes 0; without an interval, whether the coefficient is not 0."""
        return exceeds(self.coefficients, self.margins)

    def estimates(self) -> list[Estimate]:
        """The coefficient of every term with its interval."""
        pairs = zip(self.coefficients.tolist(), self.margins.tolist(), strict=True)
        return [Estimate.of(value, margin) for value, margin in pairs]

    def where(self, kept: BoolArray) -> "TermTable":
        """The terms that `kept`, shape (n_terms,), selects."""
        names = ["levels", "coefficients", "standard_errors", "degrees_of_freedom"]
        names += [] if self.factors is None else ["factors"]
        return replace(self, **{name: getattr(self, name)[kept] for name in names})


def union(levels: Sequence[IntArray]) -> tuple[IntArray, list[IntArray]]:
    """All distinct rows of `levels`, by degree and then option, and where each array's rows went."""
    stacked = np.concatenate(levels)
    degrees = (stacked != UNTOUCHED).sum(axis=1, dtype=np.int8)
    rows = packed(np.column_stack([stacked, degrees]).astype(np.int8))
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    distinct = stacked[first]
    keys = np.where(distinct == UNTOUCHED, np.int8(127), distinct)
    order = np.lexsort((*keys.T[::-1], degrees[first]))
    position = np.empty(len(order), dtype=np.intp)
    position[order] = np.arange(len(order))
    ends = np.cumsum([len(some) for some in levels])[:-1]
    return distinct[order], np.split(position[inverse], ends)


def summed_terms(levels: IntArray, coefficients: FloatArray) -> tuple[IntArray, FloatArray]:
    """Each of the terms `levels` (n, n_options) once, with the sum of its coefficients (n,), in the order of `union`.

    Without terms whose sum is 0, but with the intercept where it is among them.
    """
    distinct, (rows,) = union([levels])
    sums = np.bincount(rows, weights=coefficients, minlength=len(distinct))
    kept = (sums != 0) | (distinct == UNTOUCHED).all(axis=1)
    return distinct[kept], sums[kept]
