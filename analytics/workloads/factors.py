"""How many times as much a configuration takes as another one, in each workload: measured there or not.

The model is that of `analytics.workloads.effects`: logarithms of values, the same terms in each workload. A configuration that was
measured has its own value. Of another one the terms tell it; what they leave unexplained of single values is part of its
interval, as in a prediction by regression (Montgomery et al., Introduction to Linear Regression Analysis, section 3.5).
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from analytics.configurations.options import IntArray
from analytics.influence.design import design_matrix
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import CONFIDENCE
from analytics.influence.times import FloatArray
from analytics.workloads.residuals import Residuals
from analytics.workloads.sample import WorkloadSample


@dataclass(frozen=True, slots=True, eq=False)
class WorkloadFactors:
    """Natural logarithms of a factor in each workload, `values` and `margins` (n_workloads,): half of a 95 % interval of what is measured.

    Where `measured`, both values are known: the margins are 0.
    """

    values: FloatArray
    margins: FloatArray
    measured: bool


@dataclass(frozen=True, slots=True, eq=False)
class WorkloadModel:
    """The same terms `levels` (n_terms, n_options), the intercept first, in each workload of a `sample`."""

    sample: WorkloadSample
    levels: IntArray
    weights: FloatArray
    residuals: Residuals

    @classmethod
    def over(cls, levels: IntArray, sample: WorkloadSample) -> "WorkloadModel":
        """Over terms `levels` (n_terms, n_options) without the intercept, whose columns are independent."""
        none = np.full((1, levels.shape[1]), UNTOUCHED, dtype=levels.dtype)
        levels = np.concatenate([none, levels])
        design = design_matrix(levels, sample.configurations)
        weights = np.linalg.pinv(design)
        return cls(sample, levels, weights, Residuals.of(design, weights, np.log(sample.values)))

    def factors(self, target: IntArray, base: IntArray) -> WorkloadFactors:
        """What the configuration `target` takes by what `base` takes, both (n_options,), in each workload."""
        sums, logs = (
            design_matrix(self.levels, np.stack([target, base])) @ self.weights,
            np.log(self.sample.values),
        )
        ends, told = sums @ logs, np.ones(2, dtype=bool)
        for at, end in enumerate((target, base)):
            measured = np.flatnonzero((self.sample.configurations == end).all(axis=1))
            if len(measured):
                ends[at], told[at] = logs[measured[0]], False
        # Of the coefficients only those that tell an end are in doubt.
        between = np.array([1.0, -1.0]) * told @ sums
        variance = self.residuals.variances(between[np.newaxis])[0] + told.sum() * self.residuals.noise**2
        quantile = special.stdtrit(self.residuals.freedom, (1 + CONFIDENCE) / 2)
        return WorkloadFactors(ends[0] - ends[1], quantile * np.sqrt(variance), measured=not told.any())

    def knows(self, configuration: IntArray) -> bool:
        """Whether each level of a configuration (n_options,) was measured: of others no term tells anything."""
        return bool((self.sample.configurations == configuration).any(axis=0).all())
