"""The valid configurations of an option space as a layered decision diagram over options, and what it answers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.diagrams import close_order, layered
from analytics.configurations.errors import TooManyConfigurationsError, how_many
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace

# Numbers of configurations and costs: 64 bits where they fit, else exact Python integers.
Exact = NDArray[Any]
_FITS = 1 << 62
_LISTED = 1 << 20  # ranks that may be shuffled at once, 8 MB


@dataclass(frozen=True)
class ValidConfigurations:
    """All configurations of an option space, or those that satisfy constraints: arrays (n, n_options) of level indices.

    They are held as a decision diagram: one layer per option, one node per set of possible remainders.
    `order[k]` is the position of the option that layer k decides. `layers[k]`, shape (n_nodes, n_levels), gives for
    each node and level a node of the next layer; the number after its last node stands for no valid remainder. The
    first layer has one node, behind the last one node means valid.
    """

    space: OptionSpace
    order: tuple[int, ...]
    layers: tuple[IntArray, ...]

    @classmethod
    def unconstrained(cls, space: OptionSpace) -> "ValidConfigurations":
        """Every combination of levels."""
        layers = (np.zeros((1, size), dtype=np.int64) for size in space.sizes)
        return cls(space, tuple(range(len(space.sizes))), tuple(layers))

    def allows(self, configurations: IntArray) -> BoolArray:
        """Whether each configuration is valid, shape (n,). Raises `ConfigurationError` for what is no configuration."""
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
            number = f"{how_many(count)} configurations are valid"
            if self._is_everything:
                number = f"{len(self.order)} options have {how_many(count)} configurations"
            raise TooManyConfigurationsError(f"{number}, more than {limit}: draw a sample of them")
        rows = self._ranked(np.arange(count))
        return rows if list(self.order) == sorted(self.order) else rows[np.lexsort(rows.T[::-1])]

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """`n` different valid configurations, uniformly at random; all of them where there are no more than `n`."""
        count = self.count()
        if count <= n:
            return self.enumerate(count)
        if count <= _LISTED:
            return self._ranked(rng.choice(count, n, replace=False))
        # numpy draws no whole numbers of more than 64 bits.
        ranks: dict[int, None] = {}
        bits = (count - 1).bit_length()
        while len(ranks) < n:
            drawn = int.from_bytes(rng.bytes((bits + 7) // 8), "little") >> (-bits % 8)
            if drawn < count:
                ranks.setdefault(drawn)
        return self._ranked(np.array(list(ranks), dtype=self._counts[0].dtype))

    def holding(self, levels: Mapping[int, int]) -> "ValidConfigurations":
        """Those with the levels of `levels` ({position of the option: index of its level}), over the same space."""
        layers = list(self.layers)
        never = [*(len(layer) for layer in self.layers[1:]), 1]
        for place, position in enumerate(self.order):
            if position in levels:
                other = np.arange(self.space.sizes[position]) != levels[position]
                layers[place] = np.where(other, never[place], layers[place])
        return replace(self, layers=tuple(layers))

    def without(self, forbidden: Sequence[Mapping[int, int]]) -> "ValidConfigurations":
        """Those that hold no combination of `forbidden`, {position: index of the level} each.

        Raises `FeatureModelError` where the diagram becomes too large.
        """
        order, layers = self.order, self.layers
        if all(
            len(layer) == 1 for layer in layers
        ):  # options do not depend on one another: any order will do
            order = tuple(close_order(len(order), [list(one) for one in forbidden]))
            layers = tuple(self.layers[position] for position in order)
        ends = [max((order.index(position) for position in one), default=-1) for one in forbidden]
        never = [*(len(layer) for layer in layers[1:]), 1]

        def decide(
            place: int, level: int, state: tuple[int, frozenset[int]]
        ) -> tuple[int, frozenset[int]] | None:
            """The node after this level, and the combinations of which no level is missing so far."""
            node, held = state
            after = int(layers[place][node, level])
            position = order[place]
            held = frozenset(one for one in held if forbidden[one].get(position, level) == level)
            return None if after == never[place] or any(ends[one] <= place for one in held) else (after, held)

        start = 0, frozenset(range(len(forbidden)))
        sizes = [self.space.sizes[position] for position in order]
        return ValidConfigurations(self.space, order, layered(sizes, start, decide))

    def apart(self, configuration: IntArray, distance: int) -> "ValidConfigurations":
        """Those that differ from `configuration` (n_options,) in exactly so many options.

        Raises `FeatureModelError` where the diagram becomes too large.
        """
        start = self.space.checked(np.asarray(configuration)[np.newaxis])[0]
        never = [*(len(layer) for layer in self.layers[1:]), 1]

        def decide(place: int, level: int, state: tuple[int, int]) -> tuple[int, int] | None:
            """The node after this level, and in how many of the later options it still has to differ."""
            node, wanted = state
            after = int(self.layers[place][node, level])
            wanted -= level != start[self.order[place]]
            reachable = 0 <= wanted <= len(self.order) - 1 - place
            return (after, wanted) if after != never[place] and reachable else None

        sizes = [self.space.sizes[position] for position in self.order]
        return replace(self, layers=layered(sizes, (0, distance), decide))

    def complete(
        self, partial: Mapping[int, int], prefer: Literal["reference", "other"] = "reference"
    ) -> IntArray | None:
        """A valid configuration with the levels of `partial` ({position of the option: index of its level}).

        As many further options as possible stand at their reference level, or with `other` away from it; among
        equals the first in lexicographic order. None where no valid configuration has these levels.
        """
        if self._is_everything:
            row = np.array([min(size - 1, prefer == "other") for size in self.space.sizes], dtype=np.int8)
            row[list(partial)] = list(partial.values())
            completed: IntArray = self.space.checked(row[np.newaxis])[0]
            return completed
        costs, free = self._costs[prefer]
        return self._cheapest(costs, partial, free)

    def nearest(self, configuration: IntArray, partial: Mapping[int, int] | None = None) -> IntArray | None:
        """The valid configuration that differs from `configuration` in fewest options; None where there is none.

        It has the levels of `partial`, as in `complete`. Among equals the first in lexicographic order.
        """
        wanted = self.space.checked(np.asarray(configuration)[np.newaxis])[0]
        costs = self._with_ranks([np.arange(size) != wanted[p] for p, size in enumerate(self.space.sizes)])
        return self._cheapest(costs, partial or {})

    @cached_property
    def _is_everything(self) -> bool:
        """Whether every combination of levels is valid."""
        return self.count() == math.prod(self.space.sizes)

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

    def _ranked(self, ranks: Exact) -> IntArray:
        """The valid configurations with these numbers, counted from 0 in the order of the layers."""
        rows = np.zeros((len(ranks), len(self.space.options)), dtype=np.int8)
        nodes = np.zeros(len(ranks), dtype=np.int64)
        for position, layer, counts in zip(self.order, self._closed, self._counts[1:], strict=True):
            remainders = counts[layer[nodes]]
            before = np.cumsum(remainders, axis=1) - remainders
            reached = (before <= ranks[:, np.newaxis]) & (remainders > 0)
            levels = layer.shape[1] - 1 - np.argmax(reached[:, ::-1], axis=1)
            ranks = ranks - before[np.arange(len(ranks)), levels]
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
            found[prefer] = costs, self._remaining(costs, {})
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

    def _remaining(
        self, costs: Sequence[Exact], partial: Mapping[int, int], free: Sequence[Exact] = ()
    ) -> list[Exact]:
        """For each layer, and behind the last, the cost of each node's cheapest remainder with the levels of `partial`.

        `free` are these costs without any such level, where they are known: they hold behind the last of its options.
        A cost that is more than any configuration's stands for no valid remainder.
        """
        never = sum(int(levels.max()) for levels in costs) + 1
        remaining = [np.array([0, never], dtype=costs[0].dtype if costs else np.int64)]
        places = range(len(self.order))
        if free:
            places = range(max((self.order.index(position) for position in partial), default=-1) + 1)
            remaining = list(free[len(places) :])
        for place in reversed(places):
            position = self.order[place]
            sums = remaining[0][self._closed[place]] + costs[position]
            if position in partial:
                sums = sums[:, [partial[position]]]
            remaining.insert(0, np.minimum(sums.min(axis=1), never))
        return remaining

    def _cheapest(
        self, costs: Sequence[Exact], partial: Mapping[int, int], free: Sequence[Exact] = ()
    ) -> IntArray | None:
        """The cheapest valid configuration with the levels of `partial`; `free` as in `_remaining`."""
        remaining = self._remaining(costs, partial, free)
        if remaining[0][0] >= remaining[-1][1]:
            return None
        row = np.zeros(len(self.order), dtype=np.int8)
        node = 0
        for following, closed, position in zip(remaining[1:], self._closed, self.order, strict=True):
            after = following[closed[node]]
            level = partial.get(position, int(np.argmin(after + costs[position])))
            row[position] = level
            node = int(closed[node, level])
        return row
