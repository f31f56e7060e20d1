"""Which configurations are valid, as samplings and covers ask for it; and such of which more are forbidden."""

from collections.abc import Container, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal, Protocol

import numpy as np

from analytics.configurations.errors import TooManyConfigurationsError
from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace


class Completes(Protocol):
    """Gives valid configurations with chosen levels, as `ValidConfigurations` does."""

    @property
    def space(self) -> OptionSpace:
        """The options, with every level that some configuration may have."""

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


_DRAWN_AT_ONCE = 256
# Times the limit: so many configurations of the first options may be listed before others forbid some of them.
_MOST_PARTIAL = 16
_MOST_DRAWS = 400  # beyond so many in vain, hardly any configuration is allowed


@dataclass(frozen=True, slots=True)
class WithoutForbidden:
    """The configurations of `valid` that hold no combination of `forbidden`, {position: index of the level} each."""

    valid: ValidConfigurations
    forbidden: tuple[Mapping[int, int], ...]

    @property
    def space(self) -> OptionSpace:
        """The options."""
        return self.valid.space

    def allows(self, configurations: IntArray) -> BoolArray:
        """Whether each configuration is valid, shape (n,)."""
        allowed = self.valid.allows(configurations)
        for combination in self.forbidden:
            columns = list(combination)
            allowed &= ~(configurations[:, columns] == list(combination.values())).all(axis=1)
        return allowed

    def enumerate(self, limit: int, options: Container[int] | None = None) -> IntArray:
        """All of them, or with `options` those whose other options are at their reference, in lexicographic order.

        Raises `TooManyConfigurationsError` above `limit`.
        """
        rows = np.zeros((1, len(self.space.options)), dtype=np.int8)
        for position, size in enumerate(self.space.sizes):
            if options is None or position in options:
                rows = np.repeat(rows, size, axis=0)
                rows[:, position] = np.tile(np.arange(size, dtype=np.int8), len(rows) // size)
            # What is forbidden already cannot be mended by options that come later.
            for combination in self.forbidden:
                if max(combination, default=0) == position:
                    columns = list(combination)
                    rows = rows[~(rows[:, columns] == list(combination.values())).all(axis=1)]
            if len(rows) > _MOST_PARTIAL * limit:
                break
        else:
            rows = rows[self.valid.allows(rows)]
        if len(rows) > limit:
            raise TooManyConfigurationsError(f"more than {limit} configurations are valid")
        return rows

    def complete(
        self, partial: Mapping[int, int], prefer: Literal["reference", "other"] = "reference"
    ) -> IntArray | None:
        """As `ValidConfigurations.complete`; best first, as each change costs no less than what it was made from."""
        seen: set[frozenset[tuple[int, int]]] = set()
        todo: list[tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]] = []
        self._push(todo, seen, dict(partial), prefer)
        while todo:
            _, levels, fixed = heappop(todo)
            row = np.array(levels, dtype=np.int8)
            broken = self._broken(row)
            if broken is None:
                return row
            for position, level in broken.items():
                if position not in dict(fixed):
                    for other in range(self.valid.space.sizes[position]):
                        if other != level:
                            self._push(todo, seen, {**dict(fixed), position: other}, prefer)
        return None

    def sample(self, n: int, rng: np.random.Generator) -> IntArray:
        """Up to `n` different configurations, uniformly at random; fewer where hardly any is allowed."""
        found: dict[tuple[int, ...], None] = {}
        for _ in range(_MOST_DRAWS):
            for row in rng.permutation(self.valid.sample(_DRAWN_AT_ONCE, rng)):
                if len(found) < n and self._broken(row) is None:
                    found.setdefault(tuple(int(level) for level in row))
            if len(found) >= n:
                break
        return np.array(list(found), dtype=np.int8).reshape(len(found), len(self.valid.space.options))

    def _broken(self, row: IntArray) -> Mapping[int, int] | None:
        for combination in self.forbidden:
            if all(row[position] == level for position, level in combination.items()):
                return combination
        return None

    def _push(
        self,
        todo: list[tuple[int, tuple[int, ...], tuple[tuple[int, int], ...]]],
        seen: set[frozenset[tuple[int, int]]],
        partial: dict[int, int],
        prefer: Literal["reference", "other"],
    ) -> None:
        key = frozenset(partial.items())
        if key in seen:
            return
        seen.add(key)
        row = self.valid.complete(partial, prefer)
        if row is not None:
            levels = tuple(int(level) for level in row)
            # How many options are not where they are preferred.
            cost = sum((level != 0) == (prefer == "reference") for level in levels)
            heappush(todo, (cost, levels, tuple(sorted(partial.items()))))
