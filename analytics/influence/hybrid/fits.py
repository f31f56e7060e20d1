"""The fit of one pattern of counts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray

# Share of all counts: a fit with a smaller error is not improved further.
LEAST = 2e-4
FitMethod = Literal["constant", "exact", "learned", "factors", "product"]


@dataclass(frozen=True, slots=True, eq=False)
class CountFit:
    """How one pattern of counts depends on options.

    `sites` have this pattern, each `scales` times it. `levels` (n_terms, n_options) with `coefficients` (n_terms,), the
    intercept, if any, first. `method`: the same in all runs, exactly a table over few options, learned by the relaxed
    lasso, in logarithms as a product of factors, or as a product with another pattern. `options` are preferred: all
    of them where counts differ although all tainted options agree. `held` (n,) is what the same method predicts for each
    run without it. The squared error of each run counts by `weights` (n,).
    """

    sites: IntArray
    scales: FloatArray
    pattern: FloatArray
    levels: IntArray
    coefficients: FloatArray
    method: FitMethod
    options: frozenset[int]
    held: FloatArray
    weights: FloatArray

    @property
    def deviation(self) -> float:
        """The root of the mean squared error of `held`, each run by its weight."""
        return float(np.sqrt(np.mean(self.weights * (self.held - self.pattern) ** 2)))

    def is_beaten_by(self, held: FloatArray, share: float) -> bool:
        """Whether predictions `held` (n,) have less than this share of its squared error."""
        own, other = (float(self.weights @ (one - self.pattern) ** 2) for one in (self.held, held))
        return other < share * own

    @property
    def relative_deviation(self) -> float:
        """`deviation` as a share of the mean count."""
        return self.deviation / max(float(self.pattern.mean()), np.finfo(float).tiny)


def poorly_fitted(fits: Sequence[CountFit]) -> list[int]:
    """The indices of the fits whose error is more than the share `LEAST` of all counts together."""
    total = sum(float(fit.pattern.mean() * fit.scales.sum()) for fit in fits)
    return [at for at, fit in enumerate(fits) if fit.deviation * fit.scales.sum() > LEAST * total]
