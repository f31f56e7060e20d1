"""The valid configurations of a feature model as a layered decision diagram over options, and what it answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.errors import TooManyConfigurationsError
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace

# Numbers of configurations and costs: 64 bits where they fit, else exact Python integers.
Exact = NDArray[Any]
_FITS = 1 << 62
_LISTED = 1 << 20  # ranks that may be shuffled at once, 8 MB


@dataclass(frozen=True)
class DecidedConfigurations:
    """`ValidConfigurations` by a decision diagram: one layer per option, one node per set of possible remainders.

    `order[k]` is the position of the option that layer k decides. `layers[k]`, shape (n_nodes, n_levels), gives for
    each node and level a node of the next layer; the number after its last node stands for no valid remainder. The
    first layer has one node, behind the last one node means valid.
    """

    space: OptionSpace
    order: tuple[int, ...]
    layers: tuple[IntArray, ...]

    def allows(self, configurations: IntArray) -> BoolArray:
        """Whether each configuration is valid, shape (n,). Raises `OptionError` for what is no configuration."""
        rows = self.space.checked(configurations)
        nodes = np.zeros(len(rows), dtype=np.int64)
        for position, layer in zip(self.order, self._closed, strict=True):
            nodes = layer[nodes, rows[:, position]]
        return np.equal(nodes, 0)

    def count(self) -> int:
        """The exact number of valid configurations."""
        return int(self._counts[0][0])

    def enumerate(self, limit: int) -> IntArray:
        """All valid configurations, in lexicographic order. Raises `TooManyConfigurationsError` above `limit`."""
        count = self.count()
        if count > limit:
            raise TooManyConfigurationsError(
                f"{count} configurations are valid, more than {limit}: draw a sample of them"
            )
        rows = self._ranked(np.arange(count))
        return rows[np.lexsort(rows.T[::-1])] if rows.shape[1] else rows

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """`n` different valid configurations, uniformly at random; all of them where there are no more than `n`."""
        count = self.count()
        if count <= n:
            return self.enumerate(count)
        if count <= _LISTED:
            return self._ranked(rng.choice(count, n, replace=False))
        ranks: dict[int, None] = {}
        while len(ranks) < n:
            ranks.setdefault(_below(count, rng))
        return self._ranked(np.array(list(ranks), dtype=self._counts[0].dtype))

    def holding(self, levels: Mapping[int, int]) -> "DecidedConfigurations":
        """Those with these levels; see `ValidConfigurations.holding`."""
        layers = list(self.layers)
        never = [*(len(layer) for layer in self.layers[1:]), 1]
        for place, position in enumerate(self.order):
            if position in levels:
                other = np.arange(self.space.sizes[position]) != levels[position]
                layers[place] = np.where(other, never[place], layers[place])
        return DecidedConfigurations(self.space, self.order, tuple(layers))

    def complete(
        self, partial: Mapping[int, int], prefer: Literal["reference", "other"] = "reference"
    ) -> IntArray | None:
        """A valid configuration with the levels of `partial`; see `ValidConfigurations.complete`."""
        costs, free = self._costs[prefer]
        return self._cheapest(costs, free, partial)

    def nearest(self, configuration: IntArray, partial: Mapping[int, int] | None = None) -> IntArray | None:
        """The valid configuration that differs from `configuration` in fewest options; None where there is none.

        It has the levels of `partial`, as in `complete`. Among equals the first in lexicographic order.
        """
        wanted = self.space.checked(np.asarray(configuration)[np.newaxis])[0]
        costs = self._with_ranks([np.arange(size) != wanted[p] for p, size in enumerate(self.space.sizes)])
        return self._cheapest(costs, self._remaining(costs), partial or {})

    @cached_property
    def _closed(self) -> list[IntArray]:
        """The layers, each with a last node that never becomes valid."""
        nodes = [*(len(layer) for layer in self.layers), 1][1:]
        return [
            np.vstack([layer, np.full((1, layer.shape[1]), after)])
            for layer, after in zip(self.layers, nodes, strict=True)
        ]

    @cached_property
    def _counts(self) -> list[Exact]:
        """For each layer, and behind the last, the number of valid remainders of each node."""
        exact: list[Exact] = [np.array([1, 0], dtype=object)]
        for layer in reversed(self._closed):
            exact.insert(0, exact[0][layer].sum(axis=1))
        return [counts.astype(np.int64) for counts in exact] if exact[0][0] < _FITS else exact

    @cached_property
    def _before(self) -> list[Exact]:
        """For each layer and node the number of valid remainders with a smaller level, by level."""
        found = []
        for layer, counts in zip(self._closed, self._counts[1:], strict=True):
            sums = np.cumsum(counts[layer], axis=1)
            found.append(np.hstack([np.zeros_like(sums[:, :1]), sums[:, :-1]]))
        return found

    def _ranked(self, ranks: Exact) -> IntArray:
        """The valid configurations with these numbers, counted from 0 in the order of the layers."""
        rows = np.zeros((len(ranks), len(self.space.options)), dtype=np.int8)
        nodes = np.zeros(len(ranks), dtype=np.int64)
        for position, layer, before, counts in zip(
            self.order, self._closed, self._before, self._counts[1:], strict=True
        ):
            reached = (before[nodes] <= ranks[:, np.newaxis]) & (counts[layer[nodes]] > 0)
            levels = layer.shape[1] - 1 - np.argmax(reached[:, ::-1], axis=1)
            ranks = ranks - before[nodes, levels]
            rows[:, position] = levels
            nodes = layer[nodes, levels]
        return rows

    @cached_property
    def _costs(self) -> Mapping[str, tuple[list[Exact], list[Exact]]]:
        """For both preferences the cost of each level of each option, and that of the cheapest remainders."""
        away = [np.arange(size) > 0 for size in self.space.sizes]
        found = {}
        for prefer, wrong in (("reference", away), ("other", [~levels for levels in away])):
            costs = self._with_ranks(wrong)
            found[prefer] = costs, self._remaining(costs)
        return found

    def _with_ranks(self, wrong: Sequence[BoolArray]) -> list[Exact]:
        """The cost of each level of each option: first how many are `wrong`, then the lexicographic rank."""
        ranks = [1]
        for size in reversed(self.space.sizes[1:] if self.space.sizes else ()):
            ranks.insert(0, ranks[0] * size)
        total = ranks[0] * self.space.sizes[0] if self.space.sizes else 1
        # Twice the dearest configuration still adds up without overflow.
        kind = np.int64 if total * (len(self.space.sizes) + 2) * 2 < _FITS else object
        return [
            flags.astype(kind) * total + np.arange(len(flags), dtype=kind) * rank
            for flags, rank in zip(wrong, ranks, strict=False)
        ]

    def _remaining(self, costs: Sequence[Exact]) -> list[Exact]:
        """For each layer, and behind the last, the cost of each node's cheapest remainder."""
        never = self._never(costs)
        found: list[Exact] = [np.array([0, never], dtype=costs[0].dtype if costs else np.int64)]
        for position, layer in zip(reversed(self.order), reversed(self._closed), strict=True):
            found.insert(0, np.minimum((found[0][layer] + costs[position]).min(axis=1), never))
        return found

    @staticmethod
    def _never(costs: Sequence[Exact]) -> int:
        """More than any configuration costs."""
        return sum(int(levels.max()) for levels in costs) + 1

    def _cheapest(
        self, costs: Sequence[Exact], free: Sequence[Exact], partial: Mapping[int, int]
    ) -> IntArray | None:
        """The cheapest valid configuration with the levels of `partial`; `free` are the costs without any."""
        never = self._never(costs)
        fixed = {place: partial[position] for place, position in enumerate(self.order) if position in partial}
        remaining = list(free)
        for place in range(max(fixed, default=-1), -1, -1):
            following = remaining[place + 1][self._closed[place]]
            if place in fixed:
                remaining[place] = following[:, fixed[place]]
            else:
                sums = following + costs[self.order[place]]
                remaining[place] = np.minimum(sums.min(axis=1), never)
        if remaining[0][0] >= never:
            return None
        row = np.zeros(len(self.order), dtype=np.int8)
        node = 0
        for place, position in enumerate(self.order):
            after = remaining[place + 1][self._closed[place][node]]
            level = fixed.get(place, int(np.argmin(after + costs[position])))
            row[position] = level
            node = int(self._closed[place][node, level])
        return row


def _below(count: int, rng: np.random.Generator) -> int:
    """A whole number from 0 to count - 1, each as likely as the others, of any size."""
    bits = (count - 1).bit_length()
    while True:
        drawn = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
        if drawn < count:
            return drawn
