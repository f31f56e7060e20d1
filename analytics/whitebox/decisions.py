"""The partition of each region by the decisions that traced runs reached (Velez et al., ICSE 2021, Alg. 1).

A decision that was reached under configuration cc with data-flow taints td and control-flow taints tc splits the
configurations that agree with cc on tc into one subspace per combination of levels of td; the others may not reach
it. A region's partition is the cross product over its decisions (Alg. 1, lines 7 and 16 to 24).

Beyond the paper: a function that tests no option itself still takes time only where its callers call it. Each set of
decisions that it was entered under splits the configurations in two; the callers' own subspaces see both sides.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from analytics.configurations.cubes import n_cells, pairs
from analytics.configurations.errors import TooManyCellsError
from analytics.configurations.joining import partition_of
from analytics.configurations.options import IntArray, OptionSpace, packed
from analytics.configurations.partitions import MAX_CELLS, Partition


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision of `region` that some run reached, at `place` (its statement).

    `data` holds the positions of the options in td, without those of tc; `control` those in tc, each with the
    level that it had in the run; both ascending. `entry`: nothing is decided, a function without decisions was
    entered.
    """

    region: str
    place: str
    data: tuple[int, ...]
    control: tuple[tuple[int, int], ...]
    entry: bool = False

    @classmethod
    def reached(
        cls,
        region: str,
        place: str,
        data: Iterable[int],
        control: Iterable[int],
        configuration: IntArray,
        *,
        entry: bool = False,
    ) -> "Decision":
        """A decision reached under `configuration`, shape (n_options,)."""
        inside = tuple(sorted(set(control)))
        return cls(
            region,
            place,
            tuple(sorted(set(data) - set(inside))),
            tuple((position, int(configuration[position])) for position in inside),
            entry,
        )

    @property
    def options(self) -> set[int]:
        """The positions of all options that it mentions."""
        return {*self.data, *(position for position, _ in self.control)}


@dataclass(frozen=True, slots=True)
class Extensions:
    """What goes beyond the published algorithm; the defaults are the algorithm as published.

    `cap`: a region with more subspaces than this is split pair-wise over its options instead. `excluded`: regions
    that are left out, such as those that parse the options. `callers`: a region that tests no option itself gets one partition for each set of options that it was reached
    under, entries included; these are not crossed, so that it asks for no configuration that its callers do not.
    """

    cap: int | None = None
    excluded: frozenset[str] = field(default_factory=frozenset)
    callers: bool = False


AS_PUBLISHED = Extensions()

# The level that each of some options has wherever a decision is reached; positions and level indices.
Levels = tuple[tuple[int, int], ...]
# Under which levels a statement is reached, and the option whose level matters there; None: no further option does.
Dependencies = frozenset[tuple[Levels, int | None]]
NO_DEPENDENCY: Dependencies = frozenset()

# A region that only parses options tests at least this part of all that any decision tests, and never fewer than
# `FEWEST`, and does at most this part of all that was counted.
MOST_OPTIONS = 0.5
FEWEST = 4
LITTLE_WORK = 0.01


def dependencies_of(decisions: Iterable[Decision]) -> Dependencies:
    """What the decisions depend on together."""
    return frozenset(
        (decision.control, position) for decision in decisions for position in (*decision.data, None)
    )


def partitions_from(
    space: OptionSpace, decisions: Iterable[Decision], extensions: Extensions = AS_PUBLISHED
) -> dict[str, tuple[Partition, ...]]:
    """The partition of each region that has a decision which mentions an option, by the region's name.

    There is one partition per region, several where `extensions.cap` or `callers` say so. Depends on the set of
    `decisions` only, not on their order. Raises `TooManyCellsError` where there is no cap and a region mentions
    too many options to be listed.
    """
    by_region: dict[str, set[Decision]] = defaultdict(set)
    for decision in decisions:
        if decision.region in extensions.excluded or (decision.entry and not extensions.callers):
            continue
        if decision.options:
            by_region[decision.region].add(decision)
    own = replace(extensions, excluded=frozenset())
    # Of what is not split, the tables may be large.
    make = _partitions if own.cap is None else _kept_partitions
    alike = {
        region: frozenset(Decision("", "", one.data, one.control) for one in by_region[region])
        for region in sorted(by_region)
    }
    known = {decisions: make(space, decisions, own) for decisions in dict.fromkeys(alike.values())}
    return {region: known[decisions] for region, decisions in alike.items()}


def _partitions(
    space: OptionSpace, decisions: frozenset[Decision], extensions: Extensions
) -> tuple[Partition, ...]:
    if extensions.callers and not any(decision.data for decision in decisions):
        return _by_callers(space, decisions, extensions)
    options = sorted({position for decision in decisions for position in decision.options})
    cells = n_cells(space, options)
    if cells > MAX_CELLS and extensions.cap is None:
        names = ", ".join(space.names[position] for position in options)
        raise TooManyCellsError(
            f"a region's decisions mention {len(options)} options ({names}): give a cap to split it pair-wise"
        )
    if cells <= MAX_CELLS:
        rows = np.zeros((cells, len(space.options)), dtype=np.int8)
        shape = [space.sizes[position] for position in options]
        rows[:, options] = np.indices(shape, dtype=np.int8).reshape(len(options), cells).T
        table = subspaces(dependencies_of(decisions), rows).reshape(shape)
        if extensions.cap is None or int(table.max()) + 1 <= extensions.cap:
            return (partition_of(space, options, table),)
    return tuple(Partition.exhaustive(space, [space.names[one] for one in pair]) for pair in pairs(options))


# One more traced run changes the decisions of few regions: those of the others are the same as before.
_kept_partitions = lru_cache(maxsize=2048)(_partitions)


def _by_callers(
    space: OptionSpace, decisions: frozenset[Decision], extensions: Extensions
) -> tuple[Partition, ...]:
    """A partition for each set of options under which a region that tests none of them was reached."""
    by_options: dict[tuple[int, ...], set[Decision]] = defaultdict(set)
    for decision in decisions:
        by_options[tuple(position for position, _ in decision.control)].add(decision)
    published = replace(extensions, callers=False)
    make = _partitions if published.cap is None else _kept_partitions
    found: dict[object, Partition] = {}
    for options in sorted(by_options):
        for part in make(space, frozenset(by_options[options]), published):
            found.setdefault(part.key, part)
    return tuple(found.values())


def subspaces(dependencies: Dependencies, configurations: IntArray) -> IntArray:
    """The number of the subspace that each of the `configurations` (n, n_options) is in; shape (n,).

    Two configurations have one number if no dependency tells them apart.
    """
    reached: dict[Levels, IntArray] = {}
    columns = []
    for control, position in dependencies:
        if control not in reached:
            inside = np.ones(len(configurations), dtype=np.int8)
            for option, level in control:
                inside &= configurations[:, option] == level
            reached[control] = inside
        of = reached[control]
        columns.append(of if position is None else of * (configurations[:, position] + 1))
    return numbered(np.column_stack(columns)) if columns else np.zeros(len(configurations), dtype=np.int64)


def numbered(rows: IntArray) -> IntArray:
    """A number for each of `rows` (n, m), from 0 on, equal for equal rows; shape (n,)."""
    return np.asarray(np.unique(packed(rows), return_inverse=True)[1].reshape(-1))


def flattened(partitions: Mapping[str, tuple[Partition, ...]]) -> list[Partition]:
    """All partitions of all regions, by region."""
    return [partition for region in sorted(partitions) for partition in partitions[region]]


def option_parsing(decisions: Iterable[Decision], work: Mapping[str, int]) -> dict[str, str]:
    """The regions that only parse or check the options, each with the reason in words.

    They test most options one by one and do next to nothing. A function that checks all of n switches alone has 2^n
    subspaces and would ask for as many runs; its own time does not matter, and what it decides is followed all the
    same. In a function that works on what the options have led to, a statement tests a value that several options have
    had a say in; here each statement tests one option, under no other decision. Neither the number of options nor the
    little that is counted tells them apart: the function that starts all the work of a program tests everything, once.

    `work` is how many events were counted in each region; without any, nothing is known to be negligible.
    """
    tested: dict[tuple[str, str], list[Decision]] = defaultdict(list)
    for decision in decisions:
        tested[decision.region, decision.place].append(decision)
    alone: dict[str, set[int]] = defaultdict(set)
    for (region, _), own in tested.items():
        if all(len(one.data) + len(one.control) <= 1 for one in own):
            alone[region].update(*(one.data for one in own))
    everything = {option for own in tested.values() for one in own for option in one.data}
    total = sum(work.values())
    found = {}
    for region in sorted(alone):
        options = len(alone[region])
        share = work.get(region, 0) / total if total else 1.0
        if options >= max(FEWEST, MOST_OPTIONS * len(everything)) and share <= LITTLE_WORK:
            found[region] = (
                f"tests {options} of {len(everything)} options one by one and does {share:.1%} of what is counted"
            )
    return found
