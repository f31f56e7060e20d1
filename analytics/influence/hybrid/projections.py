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

    Computed once for all counts of these configurations.
    """

    def __init__(self, space: OptionSpace, configurations: IntArray) -> None:
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
                if len(np.unique(first)) == cells:
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


def exact_terms(
    space: OptionSpace, configurations: IntArray, counts: FloatArray, chosen: Sequence[int]
) -> tuple[IntArray, FloatArray]:
    """Terms (n_terms, n_options) and coefficients of a count that is a table over the options `chosen`."""
    table = np.zeros([space.sizes[position] for position in chosen])
    # Without options the table is one cell, and all counts are its value.
    table[tuple(configurations[:, position] for position in chosen)] = counts if chosen else counts[0]
    coefficients = differences(table[..., np.newaxis]).ravel()
    kept = np.flatnonzero(coefficients)
    levels = [range(space.sizes[position]) for position in chosen]
    return term_levels(kept, chosen, levels, len(space.options)), coefficients[kept]
