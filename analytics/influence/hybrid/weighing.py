"""Seconds per count: one weight for all regions, from which modules, regions and options depart as far as times say.

Time = constant + sum over regions of weight x count + small terms of single options, for what no counter sees (code
in C). Each weight is the common weight plus that of its module plus its own; the common weight and the constant are
free, everything else is drawn to 0 by a normal prior (ridge regression; Hoerl & Kennard 1970). How strongly, for each
of the three kinds, is chosen by leaving each configuration out once, in closed form (Dubrule, Cross validation of
kriging in a unique neighborhood, 1983): the smallest mean absolute error in percent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from analytics.influence.times import FloatArray

# Variances of a departure, in units of that of the noise: none, then by factors of 10.
VARIANCES = (0.0, 0.1, 1.0, 10.0, 100.0, 1000.0)


@dataclass(frozen=True, slots=True, eq=False)
class RegionWeights:
    """`regions` (n_regions,) are seconds per count, `options` (n_levels,) seconds per level off the reference.

    `variances` (3,) are the prior variances of what modules, regions and options add to the common weight, in units of
    that of the noise; 0: nothing. `error` is the mean absolute error in percent of each configuration predicted from all
    others.
    """

    constant: float
    regions: FloatArray
    options: FloatArray
    variances: Sequence[float]
    error: float


@dataclass(frozen=True, slots=True, eq=False)
class WeightFit:
    """The data of a fit of weights.

    `counts` (n, n_regions), `modules` (n_regions,) names, `levels` (n, n_levels) 0 or 1, `seconds` (n,); errors are told
    against `truth` (n,), which may be `seconds` itself.
    """

    counts: FloatArray
    modules: Sequence[str]
    levels: FloatArray
    seconds: FloatArray
    truth: FloatArray

    def best(self) -> RegionWeights:
        """The weights with the variances of the least leave-one-out error; the smallest variances among equals."""
        kernels = self._kernels()
        errors = {variances: self._error(kernels, variances) for variances in product(VARIANCES, repeat=3)}
        least = min(errors, key=lambda variances: (round(errors[variances], 9), variances))
        return self.with_variances(least)

    def with_variances(self, variances: Sequence[float], weights: FloatArray | None = None) -> RegionWeights:
        """The weights at given prior variances; `weights` (n,) say how often each configuration counts, None: once."""
        features = self._features()
        scale = self._scale(weights)
        kernel = sum(size * one @ one.T for size, one in zip(variances, features, strict=True))
        inverse = _inverse(kernel, scale)
        fixed = self._fixed() * scale[:, np.newaxis]
        values = self._relative(self.seconds) * scale
        base = np.linalg.lstsq(fixed.T @ inverse @ fixed, fixed.T @ inverse @ values, rcond=None)[0]
        dual = scale * (inverse @ (values - fixed @ base))
        modules, regions, options = (
            size * (one.T @ dual) for size, one in zip(variances, features, strict=True)
        )
        member = self._members()
        unit, size = self._unit(), self._size()
        return RegionWeights(
            constant=float(base[1] * unit),
            regions=(base[0] + member @ modules + regions) * unit / size,
            options=options * unit,
            variances=variances,
            error=self._error(self._kernels(), variances),
        )

    def _error(self, kernels: Sequence[FloatArray], sizes: Sequence[float]) -> float:
        """The error of leaving each configuration out, in percent of its truth."""
        scale = self._scale(None)
        inverse = _inverse(sum(size * one for size, one in zip(sizes, kernels, strict=True)), scale)
        fixed = self._fixed() * scale[:, np.newaxis]
        reduced = inverse @ fixed
        projection = inverse - reduced @ np.linalg.pinv(fixed.T @ reduced) @ reduced.T
        values = self._relative(self.seconds) * scale
        alone = np.maximum(np.diag(projection), np.finfo(float).eps)
        predicted = (values - projection @ values / alone) / scale
        truth = self._relative(self.truth)
        return float(np.mean(np.abs(predicted - truth) / truth) * 100)

    def _features(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        counts = self.counts / self._size()
        return counts @ self._members(), counts, self.levels

    def _kernels(self) -> list[FloatArray]:
        return [one @ one.T for one in self._features()]

    def _members(self) -> FloatArray:
        names = sorted(set(self.modules))
        member = np.zeros((len(self.modules), len(names)))
        member[np.arange(len(self.modules)), [names.index(one) for one in self.modules]] = 1.0
        return member

    def _fixed(self) -> FloatArray:
        """The columns whose coefficients go free: the sum of all counts, and 1."""
        total = self.counts.sum(axis=1) / self._size()
        return np.column_stack([total, np.ones(len(total))])

    def _size(self) -> float:
        return max(float(self.counts.sum(axis=1).mean()), 1.0)

    def _unit(self) -> float:
        return float(self.seconds.mean())

    def _relative(self, seconds: FloatArray) -> FloatArray:
        return seconds / self._unit()

    def _scale(self, weights: FloatArray | None) -> FloatArray:
        """Errors count in percent; a configuration that counts twice weighs twice."""
        scale = 1 / self._relative(self.seconds)
        return scale if weights is None else scale * np.sqrt(weights / weights.mean())


def _inverse(kernel: FloatArray | float, scale: FloatArray) -> FloatArray:
    """The inverse of what counts and noise explain together, in rows scaled by `scale`."""
    covariance = scale[:, np.newaxis] * np.asarray(kernel) * scale + np.eye(len(scale))
    inverse: FloatArray = np.linalg.inv(covariance)
    return inverse
