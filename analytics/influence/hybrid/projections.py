"""Counts that are exactly a function of few options.

Counts have no noise. If all configurations that agree on a few options have one and the same count, and every
combination of their levels was seen, then the count is a table over these options, and its terms follow exactly (see
`analytics.influence.moebius`).
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import prod

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray

MOST_OPTIONS = 3
RUNS_PER_CELL = 2  # on average: with fewer, chance alone finds options that tell all counts apart


def differs_inside(configurations: IntArray, counts: FloatArray, options: Iterable[int]) -> bool:
    """Whether two configurations agree on `options` and differ in `counts` (n,): proof that an option is missing."""
    chosen = sorted(options)
    cells = np.unique(configurations[:, chosen], axis=0, return_inverse=True)[1].reshape(-1)
    return bool(_spread(cells, counts).any())


class ExactTables:
    """Which sets of at most three options have all their cells in `configurations` (n, n_options), often enough.

    Worked out once for all counts of these configurations.
    """

    def __init__(self, space: OptionSpace, configurations: IntArray) -> None:
        self._by_size: list[tuple[list[tuple[int, ...]], IntArray]] = []
        sizes, n = space.sizes, len(configurations)
        for many in range(min(MOST_OPTIONS, len(sizes)) + 1):
            sets, alike = [], []
            for chosen in combinations(range(len(sizes)), many):
                cells = prod(sizes[position] for position in chosen)
                first = _firsts(configurations, chosen, sizes) if n >= RUNS_PER_CELL * cells else None
                if first is not None and len(set(first.tolist())) == cells:
                    sets.append(chosen)
                    alike.append(first)
            self._by_size.append((sets, np.array(alike, dtype=np.intp).reshape(len(sets), n)))

    def exact(self, counts: FloatArray, options: Iterable[int]) -> list[tuple[int, ...]]:
        """The smallest sets of `options` that tell all `counts` (n,) apart.

        All of the smallest size, for where there are several the configurations do not say which; none where none does.
        """
        allowed = set(options)
        for sets, alike in self._by_size:
            told = (counts[alike] == counts).all(axis=1)
            found = [sets[at] for at in np.flatnonzero(told).tolist() if allowed.issuperset(sets[at])]
            if found:
                return found
        return []


def exact_terms(
    space: OptionSpace, configurations: IntArray, counts: FloatArray, chosen: Sequence[int]
) -> tuple[IntArray, FloatArray]:
    """Terms (n_terms, n_options) and coefficients of a count that is a table over the options `chosen`."""
    shape = tuple(space.sizes[position] for position in chosen)
    table = np.zeros(shape)
    # Without options the table is one cell, and all counts are its value.
    table[tuple(configurations[:, position] for position in chosen)] = counts if shape else counts[0]
    for axis, size in enumerate(shape):
        first = np.take(table, [0], axis=axis)
        rest = np.take(table, range(1, size), axis=axis) - first
        table = np.concatenate([first, rest], axis=axis)
    rows = np.full((table.size, len(space.options)), UNTOUCHED, dtype=np.int8)
    for row, levels in enumerate(product(*(range(size) for size in shape))):
        for position, level in zip(chosen, levels, strict=True):
            if level:
                rows[row, position] = level
    kept = table.ravel() != 0
    return rows[kept], table.ravel()[kept]


def _firsts(configurations: IntArray, chosen: tuple[int, ...], sizes: tuple[int, ...]) -> IntArray:
    """For each configuration the first one in its cell of the options `chosen`, shape (n,)."""
    index = np.zeros(len(configurations), dtype=np.int64)
    for position in chosen:
        index = index * sizes[position] + configurations[:, position]
    _, first, places = np.unique(index, return_index=True, return_inverse=True)
    found: IntArray = first[places.reshape(-1)]
    return found


def _spread(cells: IntArray, counts: FloatArray) -> FloatArray:
    """The largest difference of counts inside each cell; `cells` (n,) numbers from 0."""
    size = int(cells.max(initial=0)) + 1
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, cells, counts)
    np.maximum.at(most, cells, counts)
    spread: FloatArray = np.maximum(most - least, 0.0)
    return spread
