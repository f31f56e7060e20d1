"""Seconds per count: one weight for all regions, from which modules, regions and options depart as far as times show.

Time = constant + sum over regions of weight x count + terms of options, for what no counter sees (libraries, code in C). Each weight is the common weight plus that of its module plus its own; the common weight and the constant are
not penalised, everything else is drawn to 0 by a normal prior (ridge regression; Hoerl & Kennard 1970). The three prior
variances are chosen by leaving each configuration out once, in closed form (Dubrule, Cross validation of kriging in a
unique neighborhood, 1983): the smallest mean absolute error in percent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray

# Variances of a departure, in units of that of the noise: none, then by factors of 10.
VARIANCES = (0.0, 0.1, 1.0, 10.0, 100.0, 1000.0)
# 160 kB for each of the arrays that the choice of variances needs: they stay in the cache of the processor.
_NUMBERS_AT_ONCE = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class RegionWeights:
    """`regions` (n_regions,) are seconds per count, `options` (n_terms,) seconds of the terms `levels` (n_terms, n_options).

    `variances` (3,) are the prior variances of what modules, regions and options add to the common weight, in units of
    that of the noise; 0: nothing. `error` is the mean absolute error in percent of each configuration predicted from all
    others.
    """

    constant: float
    regions: FloatArray
    levels: IntArray
    options: FloatArray
    variances: Sequence[float]
    error: float


class WeightFit:
    """Weights fitted to measured counts and times.

    `counts` (n, n_regions), `modules` (n_regions,) names, `columns` (n, n_terms) of the terms `levels`, `seconds` (n,); errors are
    relative to `truth` (n,), which may be `seconds` itself. Times are fitted as shares of the mean time, counts as
    shares of the mean count, and errors count in percent.
    """

    def __init__(
        self,
        counts: FloatArray,
        modules: Sequence[str],
        columns: FloatArray,
        seconds: FloatArray,
        truth: FloatArray,
        *,
        levels: IntArray,
    ) -> None:
        self._mean_count = max(float(counts.sum(axis=1).mean()), 1.0)
        self._mean_seconds = float(seconds.mean())
        names, module = np.unique(modules, return_inverse=True)
        self._membership = np.eye(len(names))[module]
        shares = counts / self._mean_count
        self._features = shares @ self._membership, shares, columns
        self._levels = levels
        self._kernels = np.stack([one @ one.T for one in self._features])
        # The columns whose coefficients are not penalised: the sum of all counts, and 1.
        self._fixed = np.column_stack([shares.sum(axis=1), np.ones(len(shares))])
        self._values, self._truth = seconds / self._mean_seconds, truth / self._mean_seconds

    def best(self, of_options: Sequence[float] = VARIANCES) -> RegionWeights:
        """The weights with the variances of the least leave-one-out error; the smallest variances among equals.

        `of_options` are those that are tried for what options add.
        """
        tried = list(product(VARIANCES, VARIANCES, of_options))
        together = max(1, _NUMBERS_AT_ONCE // len(self._values) ** 2)
        parts = (self._errors(tried[at : at + together]) for at in range(0, len(tried), together))
        errors = dict(zip(tried, np.concatenate(list(parts)), strict=True))
        least = min(errors, key=lambda variances: (round(errors[variances], 9), variances))
        return self.with_variances(least)

    def with_variances(self, variances: Sequence[float]) -> RegionWeights:
        """The weights at given prior variances."""
        scale = 1 / self._values
        (inverse,) = self._inverses([variances], scale)
        fixed, values = self._fixed * scale[:, np.newaxis], self._values * scale
        base = np.linalg.lstsq(fixed.T @ inverse @ fixed, fixed.T @ inverse @ values, rcond=None)[0]
        dual = scale * (inverse @ (values - fixed @ base))
        modules, regions, options = (
            variance * (one.T @ dual) for variance, one in zip(variances, self._features, strict=True)
        )
        return RegionWeights(
            constant=float(base[1] * self._mean_seconds),
            regions=(base[0] + self._membership @ modules + regions) * self._mean_seconds / self._mean_count,
            levels=self._levels,
            options=options * self._mean_seconds,
            variances=variances,
            error=float(self._errors([variances])[0]),
        )

    def _errors(self, tried: Sequence[Sequence[float]]) -> FloatArray:
        """The mean errors (n_tried,) of predicting each configuration from all others, in percent of its truth.

        One for each of the variances (n_tried, 3): to call numpy for each alone takes longer than what it computes.
        """
        scale = 1 / self._values
        inverse = self._inverses(tried, scale)
        fixed = self._fixed * scale[:, np.newaxis]
        reduced = inverse @ fixed
        projection = inverse - reduced @ np.linalg.pinv(fixed.T @ reduced) @ reduced.transpose(0, 2, 1)
        values = self._values * scale
        alone = np.maximum(np.diagonal(projection, axis1=1, axis2=2), np.finfo(float).eps)
        predicted = (values - projection @ values / alone) / scale
        errors: FloatArray = np.mean(np.abs(predicted - self._truth) / self._truth, axis=1) * 100
        return errors

    def _inverses(self, tried: Sequence[Sequence[float]], scale: FloatArray) -> FloatArray:
        """The inverse covariances (n_tried, n, n) of what counts and noise explain together, in rows scaled by `scale`."""
        kernels = np.tensordot(np.asarray(tried, dtype=float), self._kernels, axes=1)
        inverses: FloatArray = np.linalg.inv(scale[:, np.newaxis] * kernels * scale + np.eye(len(scale)))
        return inverses
