"""Which of the chosen terms are needed: the others go one after the other, the one that matters least first."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix
from analytics.influence.term_evidence import TIED, StepwiseFit
from analytics.influence.times import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FittedTerms:
    """The inverse Gram matrix, coefficients and residual sums of squares of one group of revisions, of `n` configurations.

    `is_whole`: all columns are told apart, and so are those that are left without some.
    """

    inverse: FloatArray
    coefficients: FloatArray
    sums: FloatArray
    n: int
    is_whole: bool

    @classmethod
    def of(cls, levels: IntArray, one: StepwiseFit) -> Self:
        """Of all terms anew."""
        design = design_matrix(levels, one.configurations)
        gram = design.T @ design
        inverse = np.linalg.pinv(gram, hermitian=True)
        coefficients = inverse @ (design.T @ one.values)
        sums = ((one.values - design @ coefficients) ** 2).sum(axis=0)
        is_whole = bool(np.linalg.matrix_rank(gram, hermitian=True) == len(gram))
        return cls(inverse, coefficients, np.maximum(sums, one.floor), len(design), is_whole)

    def losses(self) -> FloatArray:
        """How much twice the log likelihood falls without each term, (n_terms,)."""
        # Nothing is lost by a term that these observations do not tell: its coefficient and weight are zero.
        return np.asarray(self.n * np.log1p(self._raised() / self.sums).sum(axis=1))

    def without(self, term: int) -> Self:
        """Of all terms but one, all told apart: by the inverse of a part of a matrix."""
        own = self.inverse[:, term] / self.inverse[term, term]
        left = np.arange(len(own)) != term
        inverse = (self.inverse - np.outer(own, self.inverse[term]))[np.ix_(left, left)]
        coefficients = (self.coefficients - np.outer(own, self.coefficients[term]))[left]
        return replace(
            self, inverse=inverse, coefficients=coefficients, sums=self.sums + self._raised()[term]
        )

    def _raised(self) -> FloatArray:
        """By how much the sums rise without each term, (n_terms, n_revisions)."""
        weight = np.diag(self.inverse)[:, np.newaxis]
        return np.divide(
            self.coefficients**2,
            weight,
            out=np.zeros_like(self.coefficients),
            where=weight > np.finfo(float).eps,
        )


def pruned(chosen: Sequence[IntArray], sides: Sequence[StepwiseFit], penalty: float) -> IntArray:
    """The chosen terms without those whose loss costs less than the penalty; the intercept stays."""
    kept = np.array(chosen)
    parts = [FittedTerms.of(kept, one) for one in sides]
    while len(kept) > 1:
        losses = sum((part.losses() for part in parts), np.zeros(len(kept)))
        losses[0] = np.inf
        least = int(np.argmax(losses <= losses.min() * (1 + TIED)))
        if losses[least] >= penalty:
            break
        kept = np.delete(kept, least, axis=0)
        parts = [
            part.without(least) if part.is_whole else FittedTerms.of(kept, one)
            for part, one in zip(parts, sides, strict=True)
        ]
    return kept
