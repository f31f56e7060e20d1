"""Decision trees and their forests by scikit-learn, over options as numbers (`fitted.numbered`)."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.learners.fitted import TreeFit, numbered
from analytics.influence.times import FloatArray


@dataclass(frozen=True, slots=True)
class Cart:
    """One regression tree (Breiman et al. 1984), scikit-learn's defaults; `depth` None grows it to the end.

    The seed decides between splits that are equally good.
    """

    depth: int | None = None

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> TreeFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 -- a second of imports that few need

        tree = DecisionTreeRegressor(max_depth=self.depth, random_state=_seed(rng))
        tree.fit(numbered(space, configurations), values)
        return TreeFit(space, tree, int(tree.get_n_leaves()))


@dataclass(frozen=True, slots=True)
class RandomForest:
    """The mean of `trees` trees over bootstrap samples (Breiman 2001), scikit-learn's defaults."""

    trees: int = 100

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> TreeFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 -- a second of imports that few need

        forest = RandomForestRegressor(n_estimators=self.trees, random_state=_seed(rng))
        forest.fit(numbered(space, configurations), values)
        return TreeFit(space, forest, sum(int(tree.get_n_leaves()) for tree in forest.estimators_))


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**31))
