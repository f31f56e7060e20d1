"""All configurations of an option space, where no constraint forbids any."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.configurations.errors import TooManyConfigurationsError
from analytics.configurations.feature_models.diagrams import DecidedConfigurations
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace

_LISTED = 1 << 20  # configurations that may be numbered at once, 8 MB


@dataclass(frozen=True, slots=True)
class Unconstrained:
    """`ValidConfigurations` without constraints: every combination of levels is valid."""

    space: OptionSpace

    def allows(self, configurations: IntArray) -> BoolArray:
        """True for each configuration, shape (n,). Raises `OptionError` for what is no configuration."""
        return np.ones(len(self.space.checked(configurations)), dtype=bool)

    def count(self) -> int:
        """The number of configurations: the product of the numbers of levels."""
        return math.prod(self.space.sizes)

    def enumerate(self, limit: int) -> IntArray:
        """All configurations, in lexicographic order. Raises `TooManyConfigurationsError` above `limit`."""
        count = self.count()
        if count > limit:
            raise TooManyConfigurationsError(
                f"{len(self.space.options)} options have {count} configurations, more than {limit}: "
                "draw a sample of them"
            )
        return self._numbered(np.arange(count))

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """`n` different configurations, uniformly at random; all of them where there are no more than `n`."""
        count = self.count()
        if count <= n:
            return self.enumerate(count)
        if count <= _LISTED:
            return self._numbered(rng.choice(count, n, replace=False))
        # Few of very many: one drawn twice is rare, so draw again until all differ.
        seen: dict[bytes, IntArray] = {}
        while len(seen) < n:
            drawn = rng.integers(0, self.space.sizes, size=(n - len(seen), len(self.space.options)))
            for row in drawn.astype(np.int8):
                seen.setdefault(row.tobytes(), row)
        return np.array(list(seen.values()), dtype=np.int8)

    def holding(self, levels: Mapping[int, int]) -> DecidedConfigurations:
        """Those with these levels; see `ValidConfigurations.holding`."""
        layers = tuple(np.zeros((1, size), dtype=np.int64) for size in self.space.sizes)
        order = tuple(range(len(self.space.sizes)))
        return DecidedConfigurations(self.space, order, layers).holding(levels)

    def complete(
        self, partial: Mapping[int, int], prefer: Literal["reference", "other"] = "reference"
    ) -> IntArray | None:
        """The configuration with the levels of `partial`, else each option at, or off, its reference level."""
        other = prefer == "other"
        row = np.array([min(size - 1, 1) if other else 0 for size in self.space.sizes], dtype=np.int8)
        for position, level in partial.items():
            row[position] = level
        completed: IntArray = self.space.checked(row[np.newaxis])[0]
        return completed

    def _numbered(self, numbers: IntArray) -> IntArray:
        """The configurations with these numbers in lexicographic order."""
        if not self.space.options:
            return np.zeros((len(numbers), 0), dtype=np.int8)
        return np.column_stack(np.unravel_index(numbers, self.space.sizes)).astype(np.int8)
