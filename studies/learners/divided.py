"""Divide and learn (DaL): a tree divides the configurations, each division has a model of its own (Gong & Chen, FSE 2023).

Options that switch much of a program off or on make its configurations fall into groups with rules of their own; one sum
of terms over all of them tells none well.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from studies.learners.linear import Linear
from studies.learners.logarithms import LogarithmFit, Logarithms
from studies.learners.trees import numbered

# Of a division that is not divided further: a pair-wise lasso chooses its penalty by five folds.
_LEAST = 5


@dataclass(frozen=True, slots=True)
class DividedFit:
    """The model of the division to which `forest` assigns a configuration; `models` are in the order of its labels."""

    space: OptionSpace
    forest: Any
    models: tuple[LogarithmFit, ...]

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), shape (n,)."""
        chosen = self.forest.predict(numbered(self.space, configurations))
        every = np.array([model.predict(configurations) for model in self.models])
        return np.asarray(every[chosen, np.arange(len(configurations))])


@dataclass(frozen=True, slots=True)
class DivideAndLearn:
    """A tree of the given `depth` over the logarithms divides; a random forest learns which division a configuration is in.

    The paper has deep networks as local models, which need hundreds of configurations; ours are pair-wise lassos of
    logarithms, with which its study runs as well. A division has at least five configurations.
    """

    depth: int = 1
    interpretable: ClassVar = False

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> DividedFit:
        """The model of `values` (n,), all above 0, of `configurations` (n, n_options)."""
        from sklearn.ensemble import RandomForestClassifier  # noqa: PLC0415 -- a second of imports that few need
        from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 -- likewise

        columns, seed = numbered(space, configurations), int(rng.integers(2**31))
        tree = DecisionTreeRegressor(max_depth=self.depth, min_samples_leaf=_LEAST, random_state=seed)
        leaves = tree.fit(columns, np.log(values)).apply(columns)
        labels, division = np.unique(leaves, return_inverse=True)
        local = Logarithms(Linear(degree=2, penalty=None))
        models = tuple(
            local.fit(configurations[division == label], values[division == label], space, rng)
            for label in range(len(labels))
        )
        return DividedFit(space, RandomForestClassifier(random_state=seed).fit(columns, division), models)
