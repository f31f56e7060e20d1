"""Valid configurations of which some combinations of levels are forbidden besides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations

_DRAWN_AT_ONCE = 256
_MOST_DRAWS = 400  # beyond so many in vain, hardly any configuration is allowed


@dataclass(frozen=True, slots=True)
class WithoutForbidden:
    """The configurations of `valid` that hold no combination of `forbidden`, {position: index of the level} each."""

    valid: ValidConfigurations
    forbidden: tuple[Mapping[int, int], ...]

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
            heappush(todo, (_cost(levels, prefer), levels, tuple(sorted(partial.items()))))


def _cost(levels: Sequence[int], prefer: Literal["reference", "other"]) -> int:
    """How many options are not where they are preferred."""
    moved = sum(level != 0 for level in levels)
    return moved if prefer == "reference" else len(levels) - moved
