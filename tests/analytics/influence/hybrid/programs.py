"""Programs whose counts are known: sums of products of options, by region."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.hybrid.data import CountedSample
from analytics.influence.times import FloatArray

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCDEF"))
EVERY: IntArray = np.array(list(product((0, 1), repeat=6)), dtype=np.int8)

# By region and counter: what a product of options adds, "" for what is always there.
Counters = Sequence[tuple[str, Mapping[str, int]]]
PROGRAM: Counters = (
    ("one:main", {"": 10}),
    ("one:main", {"": 4, "A": 6}),
    ("one:foo", {"A": 3, "AB": 30}),
    ("two:bar", {"": 5, "A": 15, "C": 10, "AC": 30}),
    ("two:bar", {"ABC": 7}),
)
TAINTS = {"one:main": frozenset({0}), "one:foo": frozenset({0, 1}), "two:bar": frozenset({0, 1, 2})}


def counts_of(program: Counters, configurations: IntArray) -> IntArray:
    """The count of each counter in each configuration, shape (n, n_counters)."""
    columns = []
    for _, parts in program:
        column = np.zeros(len(configurations), dtype=np.int64)
        for names, size in parts.items():
            on = configurations[:, [SPACE.position(name) for name in names]].all(axis=1)
            column += size * on
        columns.append(column)
    return np.stack(columns, axis=1)


def runs_of(
    configurations: IntArray,
    program: Counters = PROGRAM,
    plain: FloatArray | None = None,
    counted: FloatArray | None = None,
) -> CountedSample:
    """The runs of a program in some configurations."""
    regions = tuple(region for region, _ in program)
    return CountedSample(SPACE, configurations, counts_of(program, configurations), regions, plain, counted)


def some(count: int, seed: int = 0) -> IntArray:
    """So many different configurations at random."""
    return EVERY[np.random.default_rng(seed).permutation(len(EVERY))[:count]]
