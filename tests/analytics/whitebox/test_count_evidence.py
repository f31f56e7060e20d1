"""Counts that differ within a subspace name the options that were missed, whatever the order of runs."""

from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.count_evidence import ConfigurationCounts, CountDifference, CountEvidence
from analytics.whitebox.decisions import Decision
from analytics.whitebox.refinement import (
    first_to_count,
    next_to_count,
    next_to_move,
    refined,
    tell_nothing_new,
)

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
EVERYTHING = np.array(list(product((0, 1), repeat=4)), dtype=np.int8)
ON_A = frozenset({Decision("r", "x.py:2:4", (0,), ())})
SITES = (("r", 1, 0, "call"), ("r", 2, 4, "turn"))
ALL = ValidConfigurations.unconstrained(SPACE)
Turns = Callable[[IntArray], int]


def turns(*terms: tuple[int, tuple[int, ...]]) -> Turns:
    """Turns of one loop: each term adds its turns where all its options are on."""
    return lambda row: 5 + sum(many for many, options in terms if all(row[list(options)]))


def counted(rows: IntArray, loop: Turns) -> ConfigurationCounts:
    """A region with a counter of entries and one of turns."""
    counts = np.array([[1, loop(row)] for row in rows], dtype=np.int64)
    return ConfigurationCounts(SPACE, rows, counts, SITES)


def shown(found: CountEvidence) -> tuple[tuple[CountDifference, ...], ...]:
    """The options that were missed, and what remains."""
    return found.missed_dependencies, found.residual_variation


def test_counts_that_follow_the_partition_prove_nothing() -> None:
    assert shown(CountEvidence(counted(EVERYTHING, turns((7, (0,)))), ON_A)) == ((), ())


@pytest.mark.parametrize("missed", [(2,), (1, 3)])
def test_the_missed_options_are_found_with_two_runs_as_evidence(missed: tuple[int, ...]) -> None:
    runs = counted(EVERYTHING, turns((7, (0,)), (3, missed)))
    found = CountEvidence(runs, ON_A)
    assert found.by_statement == {("r", ""): missed, ("r", "2:4"): missed}
    assert not found.residual_variation
    for one in found.missed_dependencies:
        assert (one.counter, abs(one.counts[0] - one.counts[1])) == (1, 3)
        rows = runs.configurations[list(one.runs)]
        assert np.flatnonzero(rows[0] != rows[1]).tolist() == list(one.options)
        assert rows[0][0] == rows[1][0]


def test_a_region_without_a_partition_should_always_do_the_same() -> None:
    assert CountEvidence(counted(EVERYTHING, turns((1, (3,)))), frozenset()).by_region == {"r": (3,)}


def test_runs_that_differ_in_every_option_blame_all_of_them_together() -> None:
    left, own = CountEvidence(counted(EVERYTHING[[0, 15]], turns((1, (3,)))), frozenset()).residual_variation
    assert (left.place, own.place) == ("", "2:4")
    assert (left.options, left.counts, left.runs) == ((0, 1, 2, 3), (5, 6), (0, 1))


def searched(rows: IntArray, loop: Turns, valid: ValidConfigurations = ALL) -> tuple[CountEvidence, int]:
    """What is found once nothing more is worth counting, and how many runs it took."""
    known = [tuple(int(level) for level in row) for row in rows]
    while True:
        runs = counted(np.array(known, dtype=np.int8), loop)
        found = CountEvidence(runs, ON_A)
        row = next(iter(next_to_count(found, valid, known)), None)
        if row is None:
            return found, len(known)
        assert row not in known
        known.append(row)


def test_runs_between_two_runs_find_the_option_that_they_differ_by() -> None:
    found, runs = searched(EVERYTHING[[8, 15]], turns((7, (0,)), (3, (2,))))
    assert found.by_region == {"r": (2,)}
    assert not found.residual_variation
    assert runs <= 4


def test_what_constraints_keep_together_stays_unexplained_with_its_candidates() -> None:
    together = ALL.without(({1: 1, 2: 0}, {1: 0, 2: 1}))
    rows = EVERYTHING[(EVERYTHING[:, 1] == EVERYTHING[:, 2]) & (EVERYTHING[:, 3] == 0)]
    found, _ = searched(rows, turns((7, (0,)), (3, (2,))), together)
    assert not found.missed_dependencies
    assert {one.options for one in found.residual_variation} == {(1, 2)}


def test_a_statement_misses_an_option_that_another_one_of_its_region_tests() -> None:
    """The region's partition tells the runs apart, so that it needs no more; the statement's own decisions do not."""
    decisions = ON_A | {Decision("r", "x.py:4:4", (2,), ())}
    found = CountEvidence(counted(EVERYTHING, turns((7, (0,)), (3, (2,)))), decisions)
    assert found.by_statement == {("r", "2:4"): (2,)}
    assert refined(found) == decisions


def test_options_are_moved_until_nothing_is_left_that_was_not_seen_with_each_moved() -> None:
    """What needs two options moved at once stays hidden: the first runs therefore start from both ends."""
    loop = turns((7, (0,)), (3, (1, 2)))
    known: list[tuple[int, ...]] = [(0, 0, 0, 0), (1, 0, 0, 0)]
    while True:
        runs = counted(np.array(known, dtype=np.int8), loop)
        found = CountEvidence(runs, ON_A)
        moved = next(iter(next_to_move(found, ALL, known)), None)
        if moved is None:
            break
        assert moved not in known
        known.append(moved)
    assert len(known) < len(EVERYTHING)
    assert found.by_region == {}


def test_runs_that_prove_no_further_option_tell_nothing_new() -> None:
    rows = [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (1, 1, 0, 0)]
    found = CountEvidence(counted(np.array(rows, dtype=np.int8), turns((7, (0,)), (3, (0, 1)))), ON_A)
    assert found.by_region == {"r": (1,)}
    assert tell_nothing_new(found, {rows[2]})
    # That b matters shows where a is on alone.
    assert not tell_nothing_new(found, {rows[3]})
    assert not tell_nothing_new(found, set(rows))


TERMS = st.lists(
    st.tuples(st.integers(1, 9), st.sets(st.integers(0, 3), min_size=1, max_size=3).map(lambda one: tuple(sorted(one)))),
    max_size=4,
)  # fmt: skip


@given(TERMS, st.permutations(range(16)), st.integers(2, 16))
def test_the_order_of_runs_changes_nothing(
    terms: list[tuple[int, tuple[int, ...]]], order: list[int], size: int
) -> None:
    rows = EVERYTHING[order[:size]]
    loop = turns(*terms)
    first, second = (CountEvidence(counted(one, loop), ON_A) for one in (rows, rows[::-1]))
    assert shown(first) == shown(second)
    (first, runs), (second, others) = (searched(one, loop) for one in (rows, rows[::-1]))
    assert (shown(first), runs) == (shown(second), others)


@given(TERMS)
def test_with_the_missed_options_partitions_agree_with_the_counts(
    terms: list[tuple[int, tuple[int, ...]]],
) -> None:
    """Over all configurations nothing is left unexplained, and no second look finds more."""
    runs = counted(EVERYTHING, turns(*terms))
    found = CountEvidence(runs, ON_A)
    assert not found.residual_variation
    again = CountEvidence(runs, refined(found))
    assert not again.by_region
    assert found.by_region.get("r") == found.by_statement.get(("r", "2:4"))


def test_the_first_runs_move_one_option_from_the_reference_and_from_its_opposite() -> None:
    rows = first_to_count(SPACE, ALL)
    assert len(rows) == len(set(rows)) == 10
    assert {sum(row) for row in rows} == {0, 1, 3, 4}
    without_d = ALL.without(({3: 1},))
    assert {row[3] for row in first_to_count(SPACE, without_d)} == {0}
