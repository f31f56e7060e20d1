"""Multiplicative models: the logarithm of a value is a sum of terms, so that effects multiply and no prediction is below 0.

They are learned as `linear` learns, from logarithms of values, and told in the metric's unit. With y(c) what the model
predicts of configuration c:

* The influence of a term relative to a base is what the term adds where its levels are set and all else is as in the base:
  y there, less what y would be there without the term. Of a single option that is the difference that its change makes. Such
  influences do not add up: what two options do together follows from what each does, and a term of both is what goes beyond.
* Between two configurations the difference of their predictions is split in proportion to the terms of its logarithm: the
  logarithmic mean Divisia index (B. W. Ang, Energy Policy 2004), whose parts add up without a rest.

Standard errors are those of the logarithms, carried over to first order (delta method).
"""

from dataclasses import dataclass, replace

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix
from analytics.influence.linear import LeastSquares, LinearModel
from analytics.influence.moebius import UNTOUCHED, all_levels, levels_between
from analytics.influence.reference_terms import rebased
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray

_ALIKE = 1e-6  # logarithms this close have their mean for their logarithmic mean, to more digits than their quotient gives


@dataclass(frozen=True, slots=True, eq=False)
class MultiplicativeModel:
    """A learned model: coefficients of `fitted` are of logarithms and belong to `levels` (n_terms, n_options).

    `terms` are relative to a base, in the metric's unit.
    """

    fitted: LeastSquares
    levels: IntArray
    terms: TermTable

    @classmethod
    def of(cls, logarithms: LinearModel) -> "MultiplicativeModel":
        """The model of values whose logarithms the given one predicts, relative to the same base."""
        return cls(logarithms.fitted, logarithms.levels, logarithms.terms).relative_to(logarithms.terms.base)

    def relative_to(self, base: IntArray) -> "MultiplicativeModel":
        """The same model with influences relative to configuration `base`, shape (n_options,)."""
        changes, matrix = rebased(self.levels, all_levels(self.terms.space, base))
        ends = design_matrix(self.levels, np.where(changes == UNTOUCHED, base, changes))
        # What the term itself adds to the logarithm: of the intercept all of it.
        own = np.vstack([np.zeros_like(matrix[:1]), matrix[1:]])
        with_it, without = (np.exp(design @ self.fitted.coefficients) for design in (ends, ends - own))
        without[0] = 0.0
        slopes = with_it[:, np.newaxis] * ends - without[:, np.newaxis] * (ends - own)
        determined = self.fitted.determined(matrix) & self.fitted.determined(ends)
        return self._told(base, (changes, matrix), with_it - without, slopes, determined)

    def between(self, before: IntArray, after: IntArray) -> "MultiplicativeModel":
        """The parts that lead from configuration `before`, the base, to `after`: they add up to the difference."""
        changes, matrix = rebased(self.levels, levels_between(self.terms.space, before, after))
        ends = design_matrix(self.levels, np.array([before, after], dtype=np.int8))
        mean, slope = _logarithmic_mean(ends, self.fitted.coefficients)
        parts = matrix @ self.fitted.coefficients
        values, slopes = mean * parts, mean * matrix + np.outer(parts, slope)
        values[0] = np.exp(parts[0])
        slopes[0] = values[0] * ends[0]
        determined = self.fitted.determined(matrix) & self.fitted.determined(ends).all()
        return self._told(before, (changes, matrix), values, slopes, determined)

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration, shape (n,); NaN where the measured ones do not determine it."""
        design = design_matrix(self.levels, self.terms.space.checked(configurations))
        return np.where(self.fitted.determined(design), np.exp(design @ self.fitted.coefficients), np.nan)

    def _told(
        self,
        base: IntArray,
        rebased_terms: tuple[IntArray, FloatArray],
        values: FloatArray,
        slopes: FloatArray,
        determined: BoolArray,
    ) -> "MultiplicativeModel":
        """The same model told by terms as `rebased` gives them, whose `values` (n,) have these slopes (n, n_terms)."""
        changes, matrix = rebased_terms
        factors = np.exp(matrix @ self.fitted.coefficients)
        variances = np.einsum("ij,jk,ik->i", slopes, self.fitted.covariance, slopes, optimize=True)
        errors = np.sqrt(np.maximum(variances, 0.0))
        table = TermTable(
            space=self.terms.space,
            base=np.asarray(base, dtype=np.int8),
            levels=changes,
            coefficients=np.where(determined, values, np.nan),
            standard_errors=np.where(determined, errors, np.nan),
            degrees_of_freedom=np.full(len(changes), float(self.fitted.degrees_of_freedom)),
            factors=np.where(determined, factors, np.nan),
        )
        return replace(self, terms=table)


def logarithms(values: FloatArray) -> FloatArray:
    """The logarithms of `values`; NaN, as of what was not measured, where one is not above 0."""
    return np.log(np.where(values > 0, values, np.nan))


def _logarithmic_mean(ends: FloatArray, coefficients: FloatArray) -> tuple[float, FloatArray]:
    """The logarithmic mean of the two values whose logarithms are `ends` (2, n_terms) @ `coefficients`, and its slope (n_terms,)."""
    logarithms = ends @ coefficients
    values = np.exp(logarithms)
    apart = float(logarithms[1] - logarithms[0])
    if abs(apart) < _ALIKE:
        return float(values.mean()), values @ ends / 2
    mean = float(values[1] - values[0]) / apart
    return mean, (values[1] * ends[1] - values[0] * ends[0] - mean * (ends[1] - ends[0])) / apart


# A learned model of the program as a whole.
LearnedWhole = LinearModel | MultiplicativeModel
