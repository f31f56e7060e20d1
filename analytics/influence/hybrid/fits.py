"""The fit of one pattern of counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix
from analytics.influence.hybrid.relaxed import least_squares
from analytics.influence.times import FloatArray

# Share of all counts: a fit with a smaller error is not improved further.
LEAST = 2e-4
FitMethod = Literal["constant", "exact", "learned", "product"]


@dataclass(frozen=True, slots=True, eq=False)
class CountFit:
    """How one pattern of counts depends on options.

    `sites` have this pattern, each `scales` times it. `levels` (n_terms, n_options) with `coefficients` (n_terms,), the
    intercept, if any, first. `method`: the same in all runs, exactly a table over few options, learned by the relaxed
    lasso with the `share` of its shrinkage, or learned as a product with another pattern. `options` are preferred: all
    of them where counts differ although all tainted options agree. `held` (n,) is what the same method predicts for each
    run without it.
    """

    sites: IntArray
    scales: FloatArray
    pattern: FloatArray
    levels: IntArray
    coefficients: FloatArray
    method: FitMethod
    options: frozenset[int]
    held: FloatArray
    share: float = 0.0

    @property
    def deviation(self) -> float:
        """The root of the mean squared error of `held`."""
        return float(np.sqrt(np.mean((self.held - self.pattern) ** 2)))

    @property
    def relative_deviation(self) -> float:
        """`deviation` as a share of the mean count."""
        return self.deviation / max(float(self.pattern.mean()), np.finfo(float).tiny)

    def reweighted(self, configurations: IntArray, weights: FloatArray) -> FloatArray:
        """The coefficients where the configurations have other `weights` (n,), the terms and their shrinkage kept.

        Those of exact tables and products do not depend on the weights.
        """
        if self.method != "learned" or self.share == 1.0:
            return self.coefficients
        columns = design_matrix(self.levels[1:], configurations)
        change = least_squares(columns, self.pattern, weights) - least_squares(columns, self.pattern)
        coefficients = self.coefficients[1:] + (1 - self.share) * change
        shares = weights / weights.sum()
        return np.concatenate([[shares @ self.pattern - shares @ columns @ coefficients], coefficients])


def poorly_fitted(fits: Sequence[CountFit]) -> list[int]:
    """The indices of the fits whose error is more than the share `LEAST` of all counts together."""
    total = sum(float(fit.pattern.mean() * fit.scales.sum()) for fit in fits)
    return [at for at, fit in enumerate(fits) if fit.deviation * fit.scales.sum() > LEAST * total]
