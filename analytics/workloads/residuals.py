"""What terms leave unexplained of values in several workloads, and how sure that makes whatever they tell.

The covariance of coefficients is a sandwich estimate, which asks for no equal noise in configurations (White, Econometrica
1980); leverage and degrees of freedom are those of Bell & McCaffrey (Survey Methodology 2002).
"""

from dataclasses import dataclass, replace

import numpy as np

from analytics.influence.times import FloatArray

# What is left of a configuration that a term belongs to alone is rounding: it tells no noise.
_ALONE = 1e-3


@dataclass(frozen=True, slots=True, eq=False)
class Residuals:
    """What a fit leaves, `rest` (n, n_workloads), with each configuration's `leverage` (n,) and the degrees of freedom.

    `weights` (..., n) below are those by which coefficients are sums of values. What a configuration takes with it into
    the fit, its leverage, is made up for by the mean of all.
    """

    rest: FloatArray
    leverage: FloatArray
    freedom: int

    @classmethod
    def of(cls, design: FloatArray, weights: FloatArray, values: FloatArray) -> "Residuals":
        """Of the fit of `values` (n, n_workloads) by `design` (n, n_terms), whose pseudo-inverse is `weights`."""
        rest = values - design @ (weights @ values)
        leverage = np.einsum("cj,jc->c", design, weights)
        return cls(rest, leverage, max(len(values) - design.shape[1], 1))

    @property
    def contrasts(self) -> "Residuals":
        """What is left of the differences between workloads: what all of them have in common cancels."""
        return replace(self, rest=self.rest - self.rest.mean(axis=1, keepdims=True))

    @property
    def noise(self) -> FloatArray:
        """The standard deviation of one value that no term tells, shape (n_workloads,)."""
        found: FloatArray = np.sqrt((self.rest**2).sum(axis=0) / self.freedom)
        return found

    def degrees(self, weights: FloatArray) -> FloatArray:
        """The degrees of freedom that the variance of each coefficient has, shape (n_coefficients,)."""
        squares = weights**2
        together = (squares @ self.leverage) ** 2 / self.freedom
        found: FloatArray = squares.sum(axis=1) ** 2 / (squares**2 @ (1 - self.leverage) ** 2 + together)
        return found

    def variances(self, weights: FloatArray) -> FloatArray:
        """The variance of each coefficient in each workload, shape (n_coefficients, n_workloads)."""
        squares, mean = weights**2, (self.rest**2).sum(axis=0) / self.freedom
        found: FloatArray = (squares / self._apart) @ self.rest**2 + np.outer(squares @ self.leverage, mean)
        return found

    def covariance(self, weights: FloatArray) -> FloatArray:
        """The covariance of one coefficient between workloads; `weights` (n,)."""
        squares = weights**2
        own = (self.rest * (squares / self._apart)[:, np.newaxis]).T @ self.rest
        found: FloatArray = own + float(squares @ self.leverage) * (self.rest.T @ self.rest) / self.freedom
        return found

    @property
    def _apart(self) -> FloatArray:
        return np.maximum(1 - self.leverage, _ALONE)
