"""What counts prove: the options that move the counts of a region when they alone are moved, how much, and what is missed."""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray
from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.dependencies import ENTRIES, OTHERWISE, WHOLE, Statement

# What taints say of an option and a region is refuted by so many pairs of runs in which nothing changed. Of an option that changes
# something in each fourth pair so many would be still once in 18 times.
REFUTING = 10


@dataclass(frozen=True, slots=True)
class RegionEffects:
    """The effects of options on regions, and how many pairs of runs they stand on.

    `regions` are named in order; `moved` is the most that the counts of a region differ, added up over its counters,
    between two runs that differ in one option alone, `differing` the number of such pairs in which they differ at all, and
    `working` of those in which one of the two counts anything there: all (n_options, n_regions). `pairs`, (n_options,), are all
    such pairs, `work`, (n_regions,), the mean of what is counted in each region.
    """

    regions: tuple[str, ...]
    moved: IntArray
    differing: IntArray
    working: IntArray
    pairs: IntArray
    work: IntArray

    @property
    def recall(self) -> float | None:
        """The estimated share of all pairs of a region and an option, known or not, that are known; None without any.

        Chao's estimate of what was not seen (Chao, 1987, with the correction of his bias): from how many of them one
        pair of runs alone shows, and how many two. It takes what no pair shows to be as hidden as those.
        """
        seen = int((self.differing > 0).sum())
        once, twice = (int((self.differing == times).sum()) for times in (1, 2))
        return seen / (seen + once * (once - 1) / (2 * (twice + 1))) if seen else None


def region_effects(counted: ConfigurationCounts) -> RegionEffects:
    """The effects that the counts of `counted` prove."""
    own = {region: counters for (region, place), counters in counted.counters.items() if place == WHOLE}
    shape = len(counted.space.options), len(own)
    moved, differing, working = np.zeros((3, *shape), dtype=np.int64)
    order = np.concatenate([*own.values(), np.empty(0, dtype=np.int64)]).astype(np.int64)
    starts = np.cumsum([0, *map(len, own.values())])[:-1]
    table = counted.counts[:, order]
    sums = np.add.reduceat(table, starts, axis=1) if own else np.zeros((len(table), 0))
    for option, pairs in enumerate(counted.neighbours if own else ()):
        if len(pairs):
            one, other = pairs.T
            apart = np.add.reduceat(np.abs(table[one] - table[other]), starts, axis=1)
            moved[option], differing[option] = apart.max(axis=0), (apart > 0).sum(axis=0)
            working[option] = ((sums[one] > 0) | (sums[other] > 0)).sum(axis=0)
    work = sums.mean(axis=0) if len(table) else np.zeros(len(own))
    return RegionEffects(
        tuple(own),
        moved,
        differing,
        working,
        np.array([len(pairs) for pairs in counted.neighbours], dtype=np.int64),
        np.rint(work).astype(np.int64),
    )


def unmoved_ways(counted: ConfigurationCounts) -> dict[Statement, frozenset[int]]:
    """The positions of the options that never changed how often each way of a statement is taken, when they alone were moved.

    A way is named by the region and the "line:column:kind" of its counter.
    """
    if not counted.sites:
        return {}
    moved = np.stack(
        [
            (counted.counts[pairs[:, 0]] != counted.counts[pairs[:, 1]]).any(axis=0)
            if len(pairs)
            else np.ones(len(counted.sites), dtype=np.bool_)
            for pairs in counted.neighbours
        ]
    )
    return {
        (region, f"{line}:{column}:{kind}"): frozenset(np.flatnonzero(~moved[:, at]).tolist())
        for at, (region, line, column, kind) in enumerate(counted.sites)
        if kind != ENTRIES and not moved[:, at].all()
    }


def unmoved_statements(counted: ConfigurationCounts) -> dict[Statement, frozenset[int]]:
    """The positions of the options that never changed how each statement goes, when they alone were moved.

    That is each way's share of all that were taken; of a statement with one way, as of a loop, how often it is taken for
    each entry of its function. What only changes how often the statement is reached does not count.
    """
    # Functions within a region have entries of their own, below the region's.
    positions = (at for at, site in enumerate(counted.sites) if site[3] == ENTRIES)
    below = sorted(positions, key=lambda at: counted.sites[at][1:3], reverse=True)
    entries = {counted.sites[at][0]: at for at in below}
    statements = {
        (region, place): counters
        for (region, place), counters in counted.counters.items()
        if place != WHOLE and region in entries
    }
    ways = [at for counters in statements.values() for at in counters]
    if not ways:
        return {}
    starts = np.cumsum([0, *map(len, statements.values())])[:-1]
    taken = counted.counts[:, ways]
    sums = np.repeat(np.add.reduceat(taken, starts, axis=1), np.diff([*starts, len(ways)]), axis=1)
    # Of a condition that never held, the other way alone has a counter.
    alone = [
        (at, entries[region])
        for (region, _), at, counters in zip(statements, starts.tolist(), statements.values(), strict=True)
        if len(counters) == 1 and counted.sites[counters[0]][3] != OTHERWISE
    ]
    if alone:
        at, of_region = np.array(alone).T
        sums[:, at] = counted.counts[:, of_region]
    found: dict[Statement, set[int]] = {statement: set() for statement in statements}
    for option, pairs in enumerate(counted.neighbours):
        if len(pairs):
            one, other = pairs.T
            moved = (taken[one] * sums[other] != taken[other] * sums[one]).any(axis=0)
            still = ~np.logical_or.reduceat(moved, starts)
            for statement, unmoved in zip(found, still.tolist(), strict=True):
                if unmoved:
                    found[statement].add(option)
    return {statement: frozenset(options) for statement, options in found.items() if options}
