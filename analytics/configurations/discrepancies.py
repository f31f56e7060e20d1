"""Counts that differ within one subspace prove a dependency that the partition misses.

All configurations of a subspace should take the same path (Velez et al., ICSE 2021, Sec. III-A); how often a branch
is taken or a loop turns has no noise, so one difference is proof.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition

# What was counted in one run: by region, by counter.
Counts = Mapping[str, Mapping[Hashable, int]]
MOST_SUSPECTS = 3


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """Two runs of one subspace of a region whose counts differ.

    `runs` are their positions, `counts` what `counter` said in each. `suspects` are the fewest options (positions)
    that the partition does not mention and whose levels tell all counts of the region apart, within each subspace
    and over all runs; empty if no set of at most three does.
    """

    region: str
    subspace: str
    counter: Hashable
    runs: tuple[int, int]
    counts: tuple[int, int]
    suspects: tuple[int, ...]


def discrepancies(
    space: OptionSpace,
    configurations: IntArray,
    counts: Sequence[Counts],
    partitions: Mapping[str, Sequence[Partition]],
) -> tuple[Discrepancy, ...]:
    """One discrepancy for each region that has any, by region; the counter that differs most is its evidence.

    `counts` has one entry per row of `configurations`, shape (n, n_options). A region without partitions should
    do the same in all configurations. Counters that a run does not mention stood at 0.
    """
    regions = sorted({region for run in counts for region in run})
    found = []
    for region in regions:
        parts = partitions.get(region, ())
        groups = _groups(configurations, parts)
        counters = sorted({counter for run in counts for counter in run.get(region, {})}, key=repr)
        table = np.array(
            [[run.get(region, {}).get(counter, 0) for counter in counters] for run in counts], dtype=np.int64
        ).reshape(len(counts), len(counters))
        worst = _worst(groups, table)
        if worst is None:
            continue
        one, other, column = worst
        mentioned = {position for part in parts for position in part.options}
        found.append(
            Discrepancy(
                region,
                " and ".join(part.formulas[int(part.assign(configurations[[one]])[0])] for part in parts)
                or "True",
                counters[column],
                (one, other),
                (int(table[one, column]), int(table[other, column])),
                _suspects(space, configurations, groups, table, mentioned),
            )
        )
    return tuple(found)


def _groups(configurations: IntArray, parts: Iterable[Partition]) -> IntArray:
    """Which subspace each run is in, numbered from 0; shape (n,)."""
    columns = [part.assign(configurations) for part in parts]
    if not columns:
        return np.zeros(len(configurations), dtype=np.int64)
    return np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].reshape(-1)


def _worst(groups: IntArray, table: IntArray) -> tuple[int, int, int] | None:
    """Two runs of one group and the column in which they differ most, None if no two differ."""
    worst: tuple[int, int, int, int] | None = None
    for group in np.unique(groups):
        runs = np.flatnonzero(groups == group)
        spread = np.ptp(table[runs], axis=0) if table.shape[1] else np.zeros(0, dtype=np.int64)
        if spread.size and int(spread.max()) > (worst[0] if worst else 0):
            column = int(spread.argmax())
            values = table[runs, column]
            worst = int(spread.max()), int(runs[values.argmin()]), int(runs[values.argmax()]), column
    return worst[1:] if worst else None


def _suspects(
    space: OptionSpace, configurations: IntArray, groups: IntArray, table: IntArray, mentioned: set[int]
) -> tuple[int, ...]:
    others = [position for position in range(len(space.options)) if position not in mentioned]
    varying = [position for position in others if len(np.unique(configurations[:, position])) > 1]
    distinct = np.unique(table, axis=0, return_inverse=True)[1].reshape(-1)
    for size in range(1, MOST_SUSPECTS + 1):
        for chosen in combinations(varying, size):
            keys = np.column_stack([groups, configurations[:, list(chosen)]])
            cells = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
            told_apart = len(np.unique(np.column_stack([cells, distinct]), axis=0)) == len(np.unique(cells))
            if told_apart and len(np.unique(cells)) < len(configurations):
                return chosen
    return ()
