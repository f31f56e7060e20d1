"""Refinement of decisions by counts: which configuration to count next, and the decisions that counts add.

Counting costs a fraction of tracing. First come the configurations with one option moved, from the reference and from
its opposite. Then, wherever two runs of one subspace differ in their counts and in several options, a run between
the two: its counts differ from those of one of them, and it from that one in fewer options, until one option is left.
Then each option is moved wherever a statement has an outcome that was not compared yet with that option moved, until
many runs told nothing new.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, islice

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.count_evidence import ConfigurationCounts, CountDifference, CountEvidence
from analytics.whitebox.decisions import NO_DEPENDENCY, Decision, Dependencies, subspaces
from analytics.whitebox.dependencies import options_of
from analytics.whitebox.effects import REFUTING

PLACE = "counts"
_Row = tuple[int, ...]
# So many configurations between two runs are looked at, this many at once.
MOST_TRIED = 4096
_AT_ONCE = 256
# A run that moves an option must compare anew so many of all statements and regions.
LEAST_NEWS = 0.01
# Options are moved until so many times as many runs as the first ones, which move one at a time, told nothing new.
SETTLED_AFTER = 2
# A run that makes more pairs of runs than this at once stands among runs that are all alike.
_TOGETHER = 3
# Of so many counted runs one more is chosen at a time, before what they showed is looked at.
COUNTED_AT_ONCE = 8


def first_to_count(space: OptionSpace, valid: ValidConfigurations) -> tuple[_Row, ...]:
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


def next_runs(
    evidence: CountEvidence,
    valid: ValidConfigurations,
    tried: Sequence[_Row],
    first: int,
    most: int,
    *,
    refuting: bool = False,
) -> tuple[list[_Row], int]:
    """The configurations to count next, at most `most`, and how many of them before what they show is looked at.

    `tried` were counted, in this order; `first` runs of them moved one option at a time. None is left where no two runs
    contradict each other, the latest ones proved nothing new, and, where taints are to be
    held against counts (`refuting`), enough pairs of runs differ in each option alone.
    """
    between = next_to_count(evidence, valid, tried, most)
    last = SETTLED_AFTER * first
    is_settled = len(tried) > last and tell_nothing_new(evidence, set(tried[-last:]))
    moves_left = 0 if is_settled else min(last, most - len(between))
    moves = next_to_move(evidence, valid, {*tried, *between}, moves_left)
    if not between and not moves and refuting:
        paired = next_to_pair(evidence.counted.space, valid, tried, REFUTING, most)
        return list(paired), len(paired)
    at_once = max(1, len(tried) // COUNTED_AT_ONCE)
    return [*between, *moves], min(at_once, len(between) or at_once)


def next_to_count(
    evidence: CountEvidence, valid: ValidConfigurations, tried: Collection[_Row], most: int = 1
) -> tuple[_Row, ...]:
    """The configurations that lie between the two runs of most residual variations, first among equals; at most `most`.

    `tried` are left out. None where no variation is left, or no valid configuration between the runs was not tried.
    """
    wanted: Counter[_Row] = Counter()
    seen: dict[tuple[tuple[int, int], Dependencies], _Row | None] = {}
    for difference in evidence.residual_variation:
        dependencies = evidence.dependencies.get(difference.statement, NO_DEPENDENCY)
        key = difference.runs, dependencies
        if key not in seen:
            between = _between(evidence.counted, difference, dependencies)
            seen[key] = next((one for one in between if one not in tried and _is_valid(one, valid)), None)
        row = seen[key]
        if row is not None:
            wanted[row] += 1
    return tuple(sorted(wanted, key=lambda row: (-wanted[row], row))[:most])


def next_to_move(
    evidence: CountEvidence, valid: ValidConfigurations, tried: Collection[_Row], most: int = 1
) -> tuple[_Row, ...]:
    """Counted configurations with one option moved, those first that compare most statements anew; at most `most`.

    A statement that is not known to depend on the option is compared anew if its outcome in this run was in no pair of
    runs that differ in this option alone, those chosen here included. The last one still compares the share `LEAST_NEWS`
    of all statements and regions anew.
    """
    counted = evidence.counted
    outcomes, n_options = counted.outcomes, len(counted.space.options)
    open_ = np.ones((n_options, len(outcomes), 1), dtype=bool)
    for at, statement in enumerate(counted.counters):
        tested = options_of(evidence.dependencies.get(statement, NO_DEPENDENCY))
        open_[[*tested, *evidence.by_statement.get(statement, ())], at] = False
    compared = np.zeros((n_options, len(outcomes), int(outcomes.max(initial=0)) + 1), dtype=bool)
    every = np.arange(len(outcomes))[:, np.newaxis]
    for option, pairs in enumerate(counted.neighbours):
        compared[option, every, outcomes[:, np.unique(pairs)]] = True

    def gains_of(option: int) -> IntArray:
        gains: IntArray = (open_[option] & ~compared[option, every, outcomes]).sum(axis=0)
        return gains

    gains = np.array([gains_of(option) for option in range(n_options)], dtype=np.int64)
    gains = gains.reshape(n_options, len(counted.configurations))
    found: dict[_Row, None] = {}
    while len(found) < most:
        best: tuple[int, _Row, int, int] | None = None
        for place in np.argsort(-gains, axis=None, kind="stable").tolist():
            option, run = divmod(place, gains.shape[1])
            gain = int(gains[option, run])
            if gain < max(1, LEAST_NEWS * len(outcomes)) or (best is not None and -gain > best[0]):
                break
            for level in range(counted.space.sizes[option]):
                moved = counted.configurations[run].copy()
                moved[option] = level
                row = _row(moved)
                if row not in tried and row not in found and _is_valid(row, valid):
                    best = min(best or (0, row, option, run), (-gain, row, option, run))
        if best is None:
            break
        _, row, option, run = best
        found[row] = None
        compared[option, every[:, 0], outcomes[:, run]] = True
        gains[option] = gains_of(option)
    return tuple(found)


def next_to_pair(
    space: OptionSpace, valid: ValidConfigurations, tried: Collection[_Row], enough: int, most: int
) -> tuple[_Row, ...]:
    """The configurations to count until `enough` pairs of runs differ in each option alone; at most `most`.

    Those come first that make most such pairs, up to `_TOGETHER`, and among equals those that are least like what was `tried`.
    """
    rows = dict.fromkeys(tried)
    found: list[_Row] = []
    while len(found) < most:
        partners: dict[_Row, set[int]] = defaultdict(set)
        for row in rows:
            for option, size in enumerate(space.sizes):
                for level in range(size):
                    if level != row[option]:
                        partners[*row[:option], level, *row[option + 1 :]].add(option)
        pairs = Counter(option for row in rows for option in partners[row])
        few = {option for option in range(len(space.sizes)) if pairs[option] < 2 * enough}
        taken = np.array(list(rows))
        ranked = sorted(
            (-min(len(few & options), _TOGETHER), -int((taken != row).sum()), row)
            for row, options in partners.items()
            if row not in rows and few & options
        )
        best = next((row for *_, row in ranked if _is_valid(row, valid)), None)
        if best is None:
            break
        rows[best] = None
        found.append(best)
    return tuple(found)


def tell_nothing_new(evidence: CountEvidence, runs: Collection[_Row]) -> bool:
    """Whether all options that the counts of statements and regions prove are proved without `runs`, too."""
    counted = evidence.counted
    kept = [at for at, row in enumerate(counted.configurations) if _row(row) not in runs]
    before = ConfigurationCounts(
        counted.space, counted.configurations[kept], counted.counts[kept], counted.sites
    )
    return CountEvidence(before, evidence.decisions).by_statement == evidence.by_statement


def refined(evidence: CountEvidence) -> frozenset[Decision]:
    """The decisions with the options that the evidence adds to regions as a whole.

    An option that only a statement misses may already be in the partition of its region. A region that tests options
    gets the added ones as tested, another as levels under which it is entered.
    """
    testing = {one.region for one in evidence.decisions if one.data}
    more = set()
    for region, options in evidence.by_region.items():
        for option in options:
            if region in testing:
                more.add(Decision(region, PLACE, (option,), ()))
            else:
                levels = range(evidence.counted.space.sizes[option])
                more |= {Decision(region, PLACE, (), ((option, level),), entry=True) for level in levels}
    return evidence.decisions | more


def _between(
    counted: ConfigurationCounts, difference: CountDifference, dependencies: Dependencies
) -> Iterator[_Row]:
    """Configurations between the two runs, in the same subspace; those that halve the difference come first.

    Only the first `MOST_TRIED` are looked at: between runs that differ in k options there are 2^k.
    """
    one, other = (counted.configurations[run] for run in difference.runs)
    half = len(difference.options) / 2
    sizes = sorted(range(1, len(difference.options)), key=lambda size: (abs(size - half), size))
    every = islice((moved for size in sizes for moved in combinations(difference.options, size)), MOST_TRIED)
    while some := tuple(islice(every, _AT_ONCE)):
        rows = np.tile(one, (len(some) + 1, 1))
        for row, moved in zip(rows[1:], some, strict=True):
            row[list(moved)] = other[list(moved)]
        inside = subspaces(dependencies, rows)
        yield from (_row(row) for row in rows[1:][inside[1:] == inside[0]])


def _is_valid(row: IntArray | _Row, valid: ValidConfigurations) -> bool:
    return bool(valid.allows(np.array([row]))[0])


def _row(levels: Iterable[int]) -> _Row:
    return tuple(int(level) for level in levels)
