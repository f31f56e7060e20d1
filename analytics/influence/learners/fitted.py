"""What a learner gives: a frozen model that predicts; for linear ones it is a `TermTable`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.times import FloatArray


class Fitted(Protocol):
    """A fitted model of a system's values."""

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), in the metric's unit; shape (n,)."""

    def count_terms(self, threshold: float) -> int | None:
        """How many terms have a coefficient of at least `threshold` in size, 0 for all that are not 0.

        None for a model that is no sum of terms.
        """


@dataclass(frozen=True, slots=True, eq=False)
class TreeFit:
    """Decision trees of scikit-learn over the columns of `numbered`; `leaves` counts those of all trees."""

    space: OptionSpace
    estimator: Any
    leaves: int

    def predict(self, configurations: IntArray) -> FloatArray:
        """The mean of the leaves that each configuration falls into, shape (n,)."""
        predicted: FloatArray = self.estimator.predict(numbered(self.space, configurations))
        return predicted

    def count_terms(self, _threshold: float) -> None:
        """A tree is no sum of terms."""


def numbered(space: OptionSpace, configurations: IntArray) -> FloatArray:
    """Configurations as trees split them, shape (n, n_columns).

    An option whose levels are all numbers is one column with these numbers, so that a threshold can split a range.
    Of any other option each level off the reference is one column, 0 or 1: its levels have no order.
    """
    columns: list[FloatArray] = []
    for position, option in enumerate(space.options):
        chosen = configurations[:, position]
        if is_number(option):
            columns.append(np.array(_numbers(option))[chosen])
        else:
            columns.extend((chosen == level).astype(float) for level in range(1, len(option.levels)))
    return np.column_stack(columns) if columns else np.zeros((len(configurations), 0))


def is_number(option: Option) -> bool:
    """Whether all levels of an option are numbers; off and on are not."""
    return all(isinstance(level, int | float) and not isinstance(level, bool) for level in option.levels)


def _numbers(option: Option) -> Sequence[float]:
    return [float(level) for level in option.levels]
