"""Learners of logarithms: an option that decides how often others' work is done multiplies what they cost.

The error of a logarithm is nearly the error in percent; the error of the value itself is that of the largest values alone.
"""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray
from studies.learners.linear import Linear
from studies.learners.trees import Boosting, TreeFit, Trees

# How far beyond what was seen a prediction may lie, as a factor: sums of terms never seen together have no bound.
_BEYOND = 10.0


@dataclass(frozen=True, slots=True)
class LogarithmFit:
    """The exponential of what a model says of logarithms, within `least` and `most`."""

    model: TreeFit | TermTable
    least: float
    most: float

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), shape (n,)."""
        logarithms = np.clip(self.model.predict(configurations), np.log(self.least), np.log(self.most))
        values: FloatArray = np.exp(logarithms)
        return values


@dataclass(frozen=True, slots=True)
class Logarithms:
    """`learner` of the logarithms of values above 0; predictions lie within ten times the range of these values."""

    learner: Linear | Trees | Boosting

    @property
    def interpretable(self) -> bool:
        """Whether people can read the model itself: each of its terms is a factor."""
        return self.learner.interpretable

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> LogarithmFit:
        """The model of `values` (n,), all above 0, of `configurations` (n, n_options)."""
        model = self.learner.fit(configurations, np.log(values), space, rng)
        return LogarithmFit(model, float(values.min()) / _BEYOND, float(values.max()) * _BEYOND)
