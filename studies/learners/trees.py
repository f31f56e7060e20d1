"""Decision trees, their forests and their sums by scikit-learn, over options as numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.times import FloatArray


class TreeFit:
    """Decision trees of scikit-learn over the columns of `numbered`."""

    def __init__(self, space: OptionSpace, estimator: Any) -> None:
        self._space, self._estimator = space, estimator

    def predict(self, configurations: IntArray) -> FloatArray:
        """The mean of the leaves that each configuration falls into, shape (n,)."""
        predicted: FloatArray = self._estimator.predict(numbered(self._space, configurations))
        return predicted


def numbered(space: OptionSpace, configurations: IntArray) -> FloatArray:
    """Configurations as trees split them, shape (n, n_columns).

    An option whose levels are all numbers is one column with these numbers, so that a threshold can split a range.
    Of any other option each level off the reference is one column, 0 or 1: its levels have no order.
    """
    columns: list[FloatArray] = []
    for position, option in enumerate(space.options):
        chosen = configurations[:, position]
        if is_number(option):
            columns.append(np.array(option.levels, dtype=float)[chosen])
        else:
            columns.extend((chosen == level).astype(float) for level in range(1, len(option.levels)))
    return np.column_stack(columns) if columns else np.zeros((len(configurations), 0))


def is_number(option: Option) -> bool:
    """Whether all levels of an option are numbers; off and on are not."""
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in option.levels)


@dataclass(frozen=True, slots=True)
class Trees:
    """One regression tree (Breiman et al. 1984), or the mean of `count` trees over bootstrap samples (Breiman 2001).

    Both with scikit-learn's defaults; `depth` None grows them to the end. The seed decides between splits that are
    equally good, and draws the samples.
    """

    count: int = 1
    depth: int | None = None

    @property
    def interpretable(self) -> bool:
        """Whether people can read it: a tree of at most 64 leaves; grown to the end it has one for each measurement."""
        return self.count == 1 and self.depth is not None and self.depth <= 6

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> TreeFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.ensemble import RandomForestRegressor  # noqa: PLC0415 -- a second of imports that few need
        from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415 -- likewise

        seed = int(rng.integers(2**31))
        columns = numbered(space, configurations)
        if self.count == 1:
            estimator: Any = DecisionTreeRegressor(max_depth=self.depth, random_state=seed)
        else:
            estimator = RandomForestRegressor(
                n_estimators=self.count, max_depth=self.depth, random_state=seed
            )
        return TreeFit(space, estimator.fit(columns, values))


@dataclass(frozen=True, slots=True)
class Boosting:
    """Small trees, each fitted to what those before it leave (Friedman 2001), with scikit-learn's defaults."""

    @property
    def interpretable(self) -> bool:
        """Nobody reads a hundred trees."""
        return False

    def fit(
        self, configurations: IntArray, values: FloatArray, space: OptionSpace, rng: np.random.Generator
    ) -> TreeFit:
        """The model of `values` (n,) of `configurations` (n, n_options)."""
        from sklearn.ensemble import GradientBoostingRegressor  # noqa: PLC0415 -- a second of imports that few need

        estimator = GradientBoostingRegressor(random_state=int(rng.integers(2**31)))
        return TreeFit(space, estimator.fit(numbered(space, configurations), values))
