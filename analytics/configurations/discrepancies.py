"""Counts that differ within one subspace prove a dependency that the partition misses.

All configurations of a subspace should take the same path (Velez et al., ICSE 2021, Sec. III-A); how often a branch
is taken or a loop turns has no noise, so one difference is proof. Two configurations that differ in one option alone
name the option, too.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """Configurations, each once and in lexicographic order, and what counted runs of them showed.

    `configurations` has shape (n, n_options), `counts` (n, n_counters); `regions` names the region of each counter.
    """

    space: OptionSpace
    configurations: IntArray
    counts: IntArray
    regions: tuple[str, ...]

    @classmethod
    def of(
        cls, space: OptionSpace, configurations: IntArray, counts: IntArray, regions: Sequence[str]
    ) -> "Counted":
        """The same in order, whatever the order of runs; of several runs of one configuration the first."""
        rows, first = np.unique(configurations, axis=0, return_index=True)
        return cls(space, rows, counts[first], tuple(regions))


@dataclass(frozen=True, slots=True)
class Difference:
    """Two runs of one subspace of a region whose counts differ.

    `runs` are their positions in the `Counted`, `counter` the one that differs most (the first among equals),
    `counts` what it showed in each. `options` are the positions of the options in which the runs differ: where it is
    one, the region depends on it; where there are several, on at least one of them.
    """

    region: str
    counter: int
    runs: tuple[int, int]
    counts: tuple[int, int]
    options: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """What counts say of partitions: `missed` names an option each, `unexplained` are one per region left.

    Both by region; a region has each of its missed options once. They depend on the set of runs, not on their order.
    """

    missed: tuple[Difference, ...]
    unexplained: tuple[Difference, ...]

    @property
    def by_region(self) -> dict[str, tuple[int, ...]]:
        """The missed options of each region that has any, ascending."""
        found: dict[str, list[int]] = {}
        for one in self.missed:
            found.setdefault(one.region, []).append(one.options[0])
        return {region: tuple(sorted(options)) for region, options in found.items()}


def findings(counted: Counted, partitions: Mapping[str, Sequence[Partition]]) -> Findings:
    """Hold the counts against the partitions by region; a region without any should always do the same."""
    names = sorted(set(counted.regions))
    number = np.array([names.index(region) for region in counted.regions], dtype=np.int64)
    groups = {name: _groups(counted.configurations, partitions.get(name, ())) for name in names}
    proved: dict[tuple[str, int], tuple[int, int]] = {}
    for one, other, option in _neighbours(counted):
        for at in np.unique(number[counted.counts[one] != counted.counts[other]]).tolist():
            group = groups[names[at]]
            if group[one] == group[other]:
                proved.setdefault((names[at], option), (one, other))
    unexplained = []
    for at, name in enumerate(names):
        options = [option for region, option in proved if region == name]
        refined = _numbered(np.column_stack([groups[name], counted.configurations[:, options]]))
        counters = np.flatnonzero(number == at)
        pair = _nearest(counted.configurations, refined, counted.counts[:, counters])
        if pair is not None:
            unexplained.append(_difference(counted, name, counters, pair))
    return Findings(
        tuple(
            _difference(counted, name, np.flatnonzero(number == names.index(name)), proved[name, option])
            for name, option in sorted(proved)
        ),
        tuple(unexplained),
    )


def _neighbours(counted: Counted) -> Iterator[tuple[int, int, int]]:
    """All pairs of runs that differ in one option alone, with that option; in order."""
    place = {tuple(row): at for at, row in enumerate(counted.configurations.tolist())}
    for row, at in place.items():
        for option, level in enumerate(row):
            for higher in range(level + 1, counted.space.sizes[option]):
                other = place.get((*row[:option], higher, *row[option + 1 :]))
                if other is not None:
                    yield at, other, option


def _groups(configurations: IntArray, parts: Iterable[Partition]) -> IntArray:
    """Which subspace each run is in, numbered from 0; shape (n,)."""
    columns = [part.assign(configurations) for part in parts]
    if not columns:
        return np.zeros(len(configurations), dtype=np.int64)
    return _numbered(np.stack(columns, axis=1))


def _numbered(rows: IntArray) -> IntArray:
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1))


def _nearest(configurations: IntArray, groups: IntArray, table: IntArray) -> tuple[int, int] | None:
    """Of the pairs of one group whose counts differ, the first of those that differ in the fewest options."""
    counts = _numbered(table) if table.shape[1] else np.zeros(len(table), dtype=np.int64)
    best: tuple[int, int, int] | None = None
    for group in np.unique(groups):
        runs = np.flatnonzero(groups == group)
        if len(np.unique(counts[runs])) < 2:
            continue
        for at, one in enumerate(runs[:-1].tolist()):
            others = runs[at + 1 :]
            others = others[counts[others] != counts[one]]
            if len(others):
                apart = (configurations[others] != configurations[one]).sum(axis=1)
                nearest = int(apart.argmin())
                best = min(best or (1 << 30, 0, 0), (int(apart[nearest]), one, int(others[nearest])))
    return best[1:] if best else None


def _difference(counted: Counted, region: str, counters: IntArray, runs: tuple[int, int]) -> Difference:
    one, other = runs
    values = counted.counts[:, counters]
    most = int(np.abs(values[one] - values[other]).argmax())
    options = np.flatnonzero(counted.configurations[one] != counted.configurations[other])
    return Difference(
        region=region,
        counter=int(counters[most]),
        runs=runs,
        counts=(int(values[one, most]), int(values[other, most])),
        options=tuple(options.tolist()),
    )
