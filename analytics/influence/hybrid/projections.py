"""Counts that are exactly a function of few options.

Counts have no noise. If all configurations that agree on a few options have one and the same count, and every
combination of their levels was seen, then the count is a table over these options, and its terms follow exactly (see
`analytics.influence.moebius`).
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, product

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


def exact_options(
    space: OptionSpace, configurations: IntArray, counts: FloatArray, options: Iterable[int]
) -> list[tuple[int, ...]]:
    """The smallest sets of at most three `options` that tell all `counts` (n,) apart and were seen at all levels.

    All of the smallest size, for where there are several the configurations do not say which; none where none does.
    """
    varying = sorted(options)
    for size in range(min(MOST_OPTIONS, len(varying)) + 1):
        found = [
            chosen
            for chosen in combinations(varying, size)
            if _is_exact(space, configurations, counts, chosen)
        ]
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


def _is_exact(
    space: OptionSpace, configurations: IntArray, counts: FloatArray, chosen: tuple[int, ...]
) -> bool:
    sizes = [space.sizes[position] for position in chosen]
    cells = int(np.prod(sizes, dtype=np.int64))
    if len(counts) < RUNS_PER_CELL * cells:
        return False
    index = np.zeros(len(counts), dtype=np.int64)
    for position, size in zip(chosen, sizes, strict=True):
        index = index * size + configurations[:, position]
    seen = np.bincount(index, minlength=cells)
    return bool((seen > 0).all()) and not _spread(index, counts).any()


def _spread(cells: IntArray, counts: FloatArray) -> FloatArray:
    """The largest difference of counts inside each cell; `cells` (n,) numbers from 0."""
    size = int(cells.max(initial=0)) + 1
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, cells, counts)
    np.maximum.at(most, cells, counts)
    spread: FloatArray = np.maximum(most - least, 0.0)
    return spread
