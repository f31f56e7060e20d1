"""Counts that are exactly a function of few options.

Counts have no noise. If all configurations that agree on a few options have one and the same count, and every
combination of their levels was seen, then the count is a table over these options, and its terms follow exactly (see
`analytics.influence.moebius`).
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import prod

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace, packed
from analytics.influence.moebius import differences, term_levels
from analytics.influence.times import FloatArray

MOST_OPTIONS = 3
RUNS_PER_CELL = 2  # on average: with fewer, chance alone finds options that explain all counts


def differs_inside(configurations: IntArray, counts: FloatArray, options: Iterable[int]) -> bool:
    """Whether two configurations agree on `options` and differ in `counts` (n,): proof that an option is missing."""
    return bool((counts[_first_of_cell(configurations, sorted(options))] != counts).any())


def _first_of_cell(configurations: IntArray, options: Sequence[int]) -> IntArray:
    """For each configuration the first one that agrees with it on `options`, shape (n,)."""
    rows = packed(configurations[:, list(options)])
    _, first, cells = np.unique(rows, return_index=True, return_inverse=True)
    return np.asarray(first[cells.reshape(-1)])


class ExactTables:
    """Which sets of at most three options have all their cells in `configurations` (n, n_options), often enough.

    Each cell at least `least` times, and twice on average. Computed once for all counts of these configurations.
    """

    def __init__(self, space: OptionSpace, configurations: IntArray, least: int = 1) -> None:
        self._space, self._configurations = space, configurations
        # By the size of the sets: those, and for each the first configuration of the cell of each one.
        self._by_size: list[tuple[list[tuple[int, ...]], IntArray]] = []
        sizes, n = space.sizes, len(configurations)
        for many in range(min(MOST_OPTIONS, len(sizes)) + 1):
            sets, firsts = [], []
            for chosen in combinations(range(len(sizes)), many):
                cells = prod(sizes[position] for position in chosen)
                if n < RUNS_PER_CELL * cells:
                    continue
                first = _first_of_cell(configurations, chosen)
                seen = np.unique(first, return_counts=True)[1]
                if len(seen) == cells and seen.min() >= least:
                    sets.append(chosen)
                    firsts.append(first)
            self._by_size.append((sets, np.array(firsts, dtype=np.intp).reshape(len(sets), n)))

    def exact(self, counts: FloatArray, options: Iterable[int]) -> list[tuple[int, ...]]:
        """The smallest sets of `options` of which all `counts` (n,) are a function.

        All of the smallest size, for where there are several the configurations do not say which; none where none does.
        """
        allowed = set(options)
        for sets, firsts in self._by_size:
            explained = np.flatnonzero((counts[firsts] == counts).all(axis=1)).tolist()
            smallest = [sets[at] for at in explained if allowed.issuperset(sets[at])]
            if smallest:
                return smallest
        return []

    def predict(
        self, counts: FloatArray, chosen: Sequence[tuple[int, ...]], configurations: IntArray
    ) -> FloatArray:
        """What tables of `counts` (n,) over each of the sets `chosen` say of `configurations`, shape (n_others,): their mean."""
        tables = [_table(self._space, self._configurations, counts, options) for options in chosen]
        told = [
            table[tuple(configurations[:, position] for position in options)]
            for table, options in zip(tables, chosen, strict=True)
        ]
        return np.asarray(np.mean([np.broadcast_to(one, len(configurations)) for one in told], axis=0))


def exact_terms(
    space: OptionSpace, configurations: IntArray, counts: FloatArray, chosen: Sequence[int]
) -> tuple[IntArray, FloatArray]:
    """Terms (n_terms, n_options) and coefficients of a count that is a table over the options `chosen`."""
    coefficients = differences(_table(space, configurations, counts, chosen)[..., np.newaxis]).ravel()
    kept = np.flatnonzero(coefficients)
    levels = [range(space.sizes[position]) for position in chosen]
    return term_levels(kept, chosen, levels, len(space.options)), coefficients[kept]


def _table(
    space: OptionSpace, configurations: IntArray, counts: FloatArray, chosen: Sequence[int]
) -> FloatArray:
    """The count of each cell of the options `chosen`, an axis for each of them."""
    table = np.zeros([space.sizes[position] for position in chosen])
    # Without options the table is one cell, and all counts are its value.
    table[tuple(configurations[:, position] for position in chosen)] = counts if chosen else counts[0]
    return table
