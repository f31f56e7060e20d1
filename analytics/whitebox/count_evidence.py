"""Evidence of counts: where they differ within one subspace, the partition misses a dependency.

All configurations of a subspace should take the same path (Velez et al., ICSE 2021, Sec. III-A); how often a branch
is taken or a loop turns has no noise, so one difference is proof. Two configurations that differ in one option alone
name the option, too. That is asked of each statement, by its own decisions, and of each region as a whole.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from analytics.whitebox.decisions import NO_DEPENDENCY, Decision, Dependencies, numbered, subspaces
from analytics.whitebox.dependencies import ENTRIES, WHOLE, Site, Statement, dependencies_by_statement


class ConfigurationCounts:
    """Configurations, each once and in lexicographic order, and the counts of one run of each.

    `configurations` has shape (n, n_options), `counts` (n, n_counters); `sites` are the counters. `cpu_seconds`, shape
    (n,), is how long each run took, NaN where that is unknown. Runs may be given in any order; of several runs of one
    configuration the first counts.
    """

    def __init__(
        self,
        space: OptionSpace,
        configurations: IntArray,
        counts: IntArray,
        sites: Sequence[Site],
        *,
        cpu_seconds: FloatArray | None = None,
    ) -> None:
        self.configurations, first = np.unique(configurations, axis=0, return_index=True)
        self.space, self.counts, self.sites = space, counts[first], tuple(sites)
        self.cpu_seconds = np.full(len(first), np.nan) if cpu_seconds is None else cpu_seconds[first]

    @cached_property
    def counters(self) -> dict[Statement, list[int]]:
        """The positions of the counters of each statement and of each region as a whole; statements in order."""
        found: dict[Statement, list[int]] = defaultdict(list)
        for at, (region, line, column, kind) in enumerate(self.sites):
            found[region, WHOLE].append(at)
            if kind != ENTRIES:
                found[region, f"{line}:{column}"].append(at)
        return dict(sorted(found.items()))

    @cached_property
    def outcomes(self) -> IntArray:
        """The outcome of each statement of `counters` in each run: a number, equal for equal counts; (n_statements, n)."""
        own = list(self.counters.values())
        if not own:
            return np.zeros((0, len(self.configurations)), dtype=np.int64)
        starts = np.cumsum([0, *map(len, own[:-1])])
        mixed = self.counts.astype(np.uint64) * _factors(self.counts.shape[1])
        sums = np.add.reduceat(mixed[:, np.concatenate(own)], starts, axis=1)
        return numbered_within(sums.T)

    @cached_property
    def neighbours(self) -> tuple[IntArray, ...]:
        """For each option all pairs of runs that differ in it alone, (n_pairs, 2), ascending."""
        return tuple(_pairs_apart(self.configurations, option) for option in range(len(self.space.options)))


# Counts are compared many at a time by a sum in which each has a factor of its own, modulo 2^64: that two that differ
# have one sum is as likely as that a bit of memory turns over.
def _factors(many: int) -> NDArray[np.uint64]:
    return 2 * np.random.default_rng(1521).integers(1, 1 << 63, size=many, dtype=np.uint64) + 1


def numbered_within(values: NDArray[np.uint64]) -> IntArray:
    """In each row of `values` (n, m) a number for each value, from 0 on, equal for equal values; (n, m)."""
    order = np.argsort(values, axis=1, kind="stable")
    ranks = np.zeros(values.shape, dtype=np.int64)
    np.cumsum(np.diff(np.take_along_axis(values, order, axis=1), axis=1) != 0, axis=1, out=ranks[:, 1:])
    numbers = np.empty_like(ranks)
    np.put_along_axis(numbers, order, ranks, axis=1)
    return numbers


def _pairs_apart(configurations: IntArray, option: int) -> IntArray:
    """The pairs of configurations (n, n_options), in lexicographic order, that differ in `option` alone; (n_pairs, 2)."""
    groups = numbered(np.delete(configurations, option, axis=1))
    order = np.argsort(groups, kind="stable")
    grouped = groups[order]
    found = [np.empty((0, 2), dtype=np.int64)]
    for apart in range(1, int(np.bincount(groups).max(initial=1))):
        same = np.flatnonzero(grouped[apart:] == grouped[:-apart])
        found.append(np.column_stack([order[same], order[same + apart]]))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


@dataclass(frozen=True, slots=True)
class CountDifference:
    """Two runs of one subspace of a statement whose counts differ; `place` is `WHOLE` for a region as a whole.

    `runs` are their positions in the `ConfigurationCounts`, `counter` the one that differs most (the first among equals),
    `counts` what it showed in each. `options` are the positions of the options in which the runs differ: where it is
    one, the statement depends on it; where there are several, on at least one of them.
    """

    region: str
    place: str
    counter: int
    runs: tuple[int, int]
    counts: tuple[int, int]
    options: tuple[int, ...]

    @property
    def statement(self) -> Statement:
        """Whose counts differ."""
        return self.region, self.place


class CountEvidence:
    """What the counts of `counted` prove beyond `decisions`; counts of a statement without any should never differ.

    All of it depends on the set of runs, not on their order, and is found where it is asked for.
    """

    def __init__(self, counted: ConfigurationCounts, decisions: frozenset[Decision]) -> None:
        self.counted, self.decisions = counted, decisions

    @cached_property
    def _inside(self) -> IntArray:
        """The subspace of each statement's own decisions that each run is in, (n_statements, n); many share theirs."""
        own = [self.dependencies.get(statement, NO_DEPENDENCY) for statement in self.counted.counters]
        numbers = {one: subspaces(one, self.counted.configurations) for one in set(own)}
        inside = np.array([numbers[one] for one in own], dtype=np.int64)
        return inside.reshape(len(own), len(self.counted.configurations))

    @cached_property
    def _proved(self) -> tuple[dict[int, tuple[int, int]], ...]:
        """For each option the statements that miss it, by position, each with the first pair of runs that shows it."""
        outcomes, inside, found = self.counted.outcomes, self._inside, []
        for pairs in self.counted.neighbours:
            one, other = pairs.T
            differ = (outcomes[:, one] != outcomes[:, other]) & (inside[:, one] == inside[:, other])
            first = differ.argmax(axis=1) if len(pairs) else np.zeros(len(outcomes), dtype=np.int64)
            own = np.flatnonzero(differ.any(axis=1))
            found.append({at: (int(pairs[first[at], 0]), int(pairs[first[at], 1])) for at in own.tolist()})
        return tuple(found)

    @cached_property
    def missed_dependencies(self) -> tuple[CountDifference, ...]:
        """Each option that a statement depends on beyond its decisions, once, by statement."""
        return tuple(
            _difference(self.counted, statement, runs[at])
            for at, statement in enumerate(self.counted.counters)
            for runs in self._proved
            if at in runs
        )

    @cached_property
    def residual_variation(self) -> tuple[CountDifference, ...]:
        """For each statement whose counts still differ within a subspace one pair of runs, by statement."""
        counted, outcomes = self.counted, self.counted.outcomes
        added = np.zeros((len(outcomes), len(counted.space.options)), dtype=np.uint64)
        for option, runs in enumerate(self._proved):
            added[list(runs), option] = 1
        # Runs of one group agree in the subspace and in all options that were added.
        first, second, *rest = _factors(2 + added.shape[1])
        levels = counted.configurations.astype(np.uint64) * np.array(rest, dtype=np.uint64)
        inside = self._inside.astype(np.uint64) * first + added @ levels.T
        groups = numbered_within(inside)
        cells = numbered_within(inside + outcomes.astype(np.uint64) * second)
        left = np.flatnonzero(groups.max(axis=1, initial=0) != cells.max(axis=1, initial=0))
        statements = list(counted.counters)
        return tuple(
            _difference(counted, statements[at], pair)
            for at in left.tolist()
            if (pair := _nearest(counted.configurations, groups[at], outcomes[at])) is not None
        )

    @property
    def dependencies(self) -> Mapping[Statement, Dependencies]:
        """What each statement depends on by the decisions."""
        return dependencies_by_statement(self.decisions)

    @cached_property
    def by_statement(self) -> dict[Statement, tuple[int, ...]]:
        """The missed options of each statement that has any, ascending."""
        found: dict[Statement, list[int]] = {}
        for one in self.missed_dependencies:
            found.setdefault(one.statement, []).append(one.options[0])
        return {statement: tuple(sorted(options)) for statement, options in found.items()}

    @property
    def by_region(self) -> dict[str, tuple[int, ...]]:
        """The missed options of each region as a whole: those of its statements that its partition misses, too."""
        return {region: own for (region, place), own in self.by_statement.items() if place == WHOLE}


def _nearest(configurations: IntArray, groups: IntArray, outcomes: IntArray) -> tuple[int, int] | None:
    """Of the pairs of one group whose counts differ, the first of those that differ in the fewest options."""
    best: tuple[int, int, int] | None = None
    for group in np.unique(groups):
        runs = np.flatnonzero(groups == group)
        if len(np.unique(outcomes[runs])) < 2:
            continue
        for at, one in enumerate(runs[:-1].tolist()):
            others = runs[at + 1 :]
            others = others[outcomes[others] != outcomes[one]]
            if len(others):
                apart = (configurations[others] != configurations[one]).sum(axis=1)
                nearest = int(apart.argmin())
                best = min(best or (1 << 30, 0, 0), (int(apart[nearest]), one, int(others[nearest])))
    return best[1:] if best else None


def _difference(counted: ConfigurationCounts, statement: Statement, runs: tuple[int, int]) -> CountDifference:
    one, other = runs
    counters = counted.counters[statement]
    values = counted.counts[:, counters]
    most = int(np.abs(values[one] - values[other]).argmax())
    options = np.flatnonzero(counted.configurations[one] != counted.configurations[other])
    return CountDifference(
        region=statement[0],
        place=statement[1],
        counter=counters[most],
        runs=runs,
        counts=(int(values[one, most]), int(values[other, most])),
        options=tuple(options.tolist()),
    )
