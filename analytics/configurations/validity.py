"""Which configurations are valid, as samplings and covers ask for it."""

from collections.abc import Mapping
from typing import Literal, Protocol

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace


class Completes(Protocol):
    """Gives valid configurations with chosen levels, as `ValidConfigurations` does."""

    def complete(
        self, partial: Mapping[int, int], prefer: Literal["reference", "other"] = "reference"
    ) -> IntArray | None:
        """A valid configuration with the levels of `partial` ({position of the option: index of its level}).

        As many further options as possible stand at their reference level, or with `other` away from it; among
        equals the first in lexicographic order. None where no valid configuration has these levels.
        """


class ValidConfigurations(Completes, Protocol):
    """The valid configurations of an option space: of all of them, those that satisfy the constraints.

    Configurations are arrays of level indices, shape (n, n_options), as in `OptionSpace`.
    """

    @property
    def space(self) -> OptionSpace:
        """The options, with every level that some configuration may have."""

    def allows(self, configurations: IntArray) -> BoolArray:
        """Whether each configuration is valid, shape (n,)."""

    def count(self) -> int:
        """The exact number of valid configurations."""

    def enumerate(self, limit: int) -> IntArray:
        """All valid configurations, in lexicographic order. Raises `TooManyConfigurationsError` above `limit`."""

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """`n` different valid configurations, uniformly at random; all of them where there are no more than `n`."""

    def holding(self, levels: Mapping[int, int]) -> "ValidConfigurations":
        """Those with the levels of `levels` ({position of the option: index of its level}), over the same space."""
