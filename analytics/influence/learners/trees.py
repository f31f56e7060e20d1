"""Decision trees and their forests by scikit-learn, over options as numbers (`fitted.numbered`)."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.learners.fitted import TreeFit, numbered
from analytics.influence.times import FloatArray


@dataclass(frozen=True, slots=True)
class Trees:
    """One regression tree (Breiman et al. 1984), or the mean of `count` trees over bootstrap samples (Breiman 2001).

    Both with scikit-learn's defaults; `depth` None grows them to the end. The seed decides between splits that are
    equally good, and draws the samples.
    """

    count: int = 1
    depth: int | None = None

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> TreeFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 -- a second of imports that few need
        from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 -- likewise

        seed = int(rng.integers(2**31))
        columns = numbered(space, configurations)
        if self.count == 1:
            tree = DecisionTreeRegressor(max_depth=self.depth, random_state=seed).fit(columns, values)
            return TreeFit(space, tree, int(tree.get_n_leaves()))
        forest = RandomForestRegressor(n_estimators=self.count, max_depth=self.depth, random_state=seed)
        forest.fit(columns, values)
        return TreeFit(space, forest, sum(int(tree.get_n_leaves()) for tree in forest.estimators_))
