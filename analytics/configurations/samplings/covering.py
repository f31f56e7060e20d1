"""Few configurations in which every valid combination of levels of any t options appears."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations

_OPEN = -1  # an option whose level is not chosen yet
_PATIENCE = 0.01  # what a combination is worth that waits for one more option


@dataclass(frozen=True, slots=True)
class TWise:
    """A covering array of strength `strength`, grown row after row (after AETG: Cohen et al., TSE 1997).

    Each row starts from a combination that no row has yet; then option after option takes the level with which
    most such combinations come about. A combination that no valid configuration has is dropped, so that in the
    end all valid ones appear. The result is the same for every seed.
    """

    strength: int = 2

    def choose(self, valid: ValidConfigurations, _rng: np.random.Generator) -> IntArray:
        """The rows of the array, shape (n, n_options)."""
        width = len(valid.space.options)
        missing = _Missing(valid.space.sizes, min(self.strength, width))
        rows: list[IntArray] = []
        while missing.any():
            row = _grow(valid, missing)
            if row is not None:
                rows.append(row)
                missing.strike(row)
        return np.array(rows, dtype=np.int8).reshape(len(rows), width)


class _Missing:
    """The combinations that no row has yet: options and levels of shape (n_combinations, strength)."""

    def __init__(self, sizes: tuple[int, ...], strength: int) -> None:
        listed = [
            (options, levels)
            for options in combinations(range(len(sizes)), strength)
            for levels in product(*(range(sizes[option]) for option in options))
        ]
        shape = (len(listed), strength)
        self.options = np.array([options for options, _ in listed], dtype=np.intp).reshape(shape)
        self.levels = np.array([levels for _, levels in listed], dtype=np.int8).reshape(shape)
        self._sizes = sizes

    def any(self) -> bool:
        """Whether a combination is left."""
        return bool(len(self.options))

    def first(self) -> dict[int, int]:
        """The first one that is left, {position: level}."""
        return dict(zip(self.options[0].tolist(), self.levels[0].tolist(), strict=True))

    def drop_first(self) -> None:
        """Leave out the first one: no valid configuration has it."""
        self.options, self.levels = self.options[1:], self.levels[1:]

    def strike(self, row: IntArray) -> None:
        """Leave out what `row` has."""
        kept = (row[self.options] != self.levels).any(axis=1)
        self.options, self.levels = self.options[kept], self.levels[kept]

    def best_levels(self, fixed: Mapping[int, int], position: int) -> list[int]:
        """The levels of an option that bring missing combinations about beside the `fixed` ones, the best first.

        A combination counts much less for each further option that it waits for.
        """
        held = np.full(len(self._sizes), _OPEN)
        held[list(fixed)] = list(fixed.values())
        own = self.options == position
        waiting = (held[self.options] == _OPEN) & ~own
        useful = own.any(axis=1) & (own | waiting | (held[self.options] == self.levels)).all(axis=1)
        gains = np.bincount(
            (self.levels * own).sum(axis=1)[useful],
            weights=_PATIENCE ** waiting[useful].sum(axis=1),
            minlength=self._sizes[position],
        )
        return [level for level in np.argsort(-gains, kind="stable").tolist() if gains[level]]


def _grow(valid: ValidConfigurations, missing: _Missing) -> IntArray | None:
    """A valid row with the first missing combination and as many others as come easily; None if none has it."""
    fixed = missing.first()
    row = valid.complete(fixed)
    if row is None:
        missing.drop_first()
        return None
    for position in set(range(len(row))) - set(fixed):
        for level in missing.best_levels(fixed, position):
            found = row if row[position] == level else valid.complete({**fixed, position: level})
            if found is not None:
                row = found
                fixed[position] = level
                break
    return row
