"""What to count next, so that counts name the options that a partition misses.

Counting costs a fraction of tracing. First come the configurations with one option moved, from the reference and from
its opposite, and then, wherever two runs of one subspace differ in their counts and in several options, a run between
the two: it differs in its counts from one of them, and in fewer options, until one option is left.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice

import numpy as np

from analytics.configurations.decisions import Decision
from analytics.configurations.discrepancies import Counted, Difference, Findings
from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import Completes

PLACE = "counts"
_Row = tuple[int, ...]
# So many configurations between two runs are looked at.
MOST_TRIED = 4096


def first_to_count(space: OptionSpace, valid: Completes) -> tuple[_Row, ...]:
    """The reference and its opposite, each with one option moved at a time, as far as constraints allow; each once."""
    found: dict[_Row, None] = {}
    for prefer in ("reference", "other"):
        base = valid.complete({}, prefer)
        if base is None:
            continue
        found[_row(base)] = None
        for option, size in enumerate(space.sizes):
            for level in range(size):
                moved = base.copy()
                moved[option] = level
                if _is_valid(moved, valid):
                    found[_row(moved)] = None
    return tuple(found)


def next_to_count(
    counted: Counted,
    found: Findings,
    partitions: Mapping[str, Sequence[Partition]],
    valid: Completes,
    known: Collection[_Row],
) -> _Row | None:
    """The configuration that tells candidates apart in most unexplained regions, the first among equals.

    `known` are those that were tried. None where nothing is unexplained, or no valid configuration that is not known
    lies between the runs that are.
    """
    wanted: Counter[_Row] = Counter()
    for difference in found.unexplained:
        between = _between(counted, difference, partitions.get(difference.region, ()))
        row = next((one for one in between if one not in known and _is_valid(one, valid)), None)
        if row is not None:
            wanted[row] += 1
    return min(wanted, key=lambda row: (-wanted[row], row)) if wanted else None


def refined(decisions: Iterable[Decision], found: Findings, space: OptionSpace) -> frozenset[Decision]:
    """`decisions` with the missed options of `found`.

    A region that tests options gets them as tested; one that does not, as a way of its callers to reach it.
    """
    known = frozenset(decisions)
    testing = {one.region for one in known if one.data}
    more = set()
    for region, options in found.by_region.items():
        for option in options:
            if region in testing:
                more.add(Decision(region, PLACE, (option,), ()))
            else:
                levels = range(space.sizes[option])
                more |= {Decision(region, PLACE, (), ((option, level),), entry=True) for level in levels}
    return known | more


def _between(counted: Counted, difference: Difference, parts: Sequence[Partition]) -> Iterator[_Row]:
    """Configurations between the two runs, in the same subspace; those that halve the difference come first.

    Only the first `MOST_TRIED` are looked at: between runs that differ in k options there are 2^k.
    """
    one, other = (counted.configurations[run] for run in difference.runs)
    half = len(difference.options) / 2
    sizes = sorted(range(1, len(difference.options)), key=lambda size: (abs(size - half), size))
    every = (moved for size in sizes for moved in combinations(difference.options, size))
    for moved in islice(every, MOST_TRIED):
        row = one.copy()
        row[list(moved)] = other[list(moved)]
        pair = np.stack([one, row])
        if all(len(set(part.assign(pair).tolist())) == 1 for part in parts):
            yield _row(row)


def _is_valid(row: IntArray | _Row, valid: Completes) -> bool:
    return valid.complete({option: int(level) for option, level in enumerate(row)}) is not None


def _row(levels: Iterable[int]) -> _Row:
    return tuple(int(level) for level in levels)
