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
        rows = [numbered(self.counts[:, own]) for own in self.counters.values()]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(self.configurations))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, int, int], ...]:
        """All pairs of runs that differ in one option alone, with that option; in order."""
        place = {tuple(row): at for at, row in enumerate(self.configurations.tolist())}
        return tuple(
            (at, other, option)
            for row, at in place.items()
            for option, level in enumerate(row)
            for higher in range(level + 1, self.space.sizes[option])
            if (other := place.get((*row[:option], higher, *row[option + 1 :]))) is not None
        )


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

    `missed_dependencies`: for each statement each option that it depends on beyond its decisions, once.
    `residual_variation`: for each statement whose counts still differ within a subspace, one pair of runs. Both depend
    on the set of runs, not on their order.
    """

    def __init__(self, counted: ConfigurationCounts, decisions: frozenset[Decision]) -> None:
        self.counted, self.decisions = counted, decisions
        statements, outcomes = list(counted.counters), counted.outcomes
        # The subspaces of each statement's own decisions, (n_statements, n); many statements share theirs.
        own = [self.dependencies.get(statement, NO_DEPENDENCY) for statement in statements]
        numbers = {one: subspaces(one, counted.configurations) for one in set(own)}
        inside = np.array([numbers[one] for one in own], dtype=np.int64)
        inside = inside.reshape(len(own), len(counted.configurations))
        proved: dict[int, dict[int, tuple[int, int]]] = {}
        for one, other, option in counted.neighbours:
            differ = (outcomes[:, one] != outcomes[:, other]) & (inside[:, one] == inside[:, other])
            for at in np.flatnonzero(differ).tolist():
                proved.setdefault(at, {}).setdefault(option, (one, other))
        missed, unexplained = [], []
        for at, statement in enumerate(statements):
            options = sorted(proved.get(at, ()))
            missed += [_difference(counted, statement, proved[at][option]) for option in options]
            columns = np.column_stack([inside[at], counted.configurations[:, options]])
            pair = _nearest(counted.configurations, numbered(columns.astype(np.int64)), outcomes[at])
            if pair is not None:
                unexplained.append(_difference(counted, statement, pair))
        self.missed_dependencies, self.residual_variation = tuple(missed), tuple(unexplained)

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
    both = groups * (int(outcomes.max(initial=0)) + 1) + outcomes
    if len(np.unique(both)) == len(np.unique(groups)):
        return None
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
