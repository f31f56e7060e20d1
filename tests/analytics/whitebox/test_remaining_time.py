"""How long an analysis still takes is told within a factor of two, in searches over programs that were made up."""

from itertools import product

import numpy as np
import pytest

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.count_evidence import ConfigurationCounts, CountEvidence
from analytics.whitebox.refinement import first_to_count, next_runs
from analytics.whitebox.remaining_time import RemainingTime

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCDEFGH"))
ALL = ValidConfigurations.unconstrained(SPACE)
STATEMENTS = 40


def program(seed: int) -> tuple[list[tuple[int, ...]], IntArray]:
    """All configurations and the counts of statements that run at some levels of up to three options, (n, n_statements)."""
    made = np.random.default_rng(seed)
    rows = np.array(list(product((0, 1), repeat=8)), dtype=np.int8)
    terms = [made.choice(8, size=made.integers(1, 4), replace=False) for _ in range(STATEMENTS)]
    counts = [5 + 7 * (rows[:, some] == made.integers(2, size=len(some))).all(axis=1) for some in terms]
    return [tuple(row) for row in rows.tolist()], np.array(counts, dtype=np.int64).T


@pytest.mark.parametrize("seed", range(6))
def test_the_time_left_of_a_search_is_right_within_a_factor_of_two(seed: int) -> None:
    """From the first counted run on, for nine tenths of the runs: nobody knows which one proves something new."""
    every, counts = program(seed)
    place = {row: at for at, row in enumerate(every)}
    sites = [("r", line, 0, "if") for line in range(STATEMENTS)]
    took = np.random.default_rng(seed).uniform(0.2, 0.4, size=len(every))
    left, clock, told = RemainingTime(8, tracing=False), 0.0, []
    planned = list(first_to_count(SPACE, ALL))
    first = len(planned)
    left.plan_counting(first + left.search_on(0, first, first))
    tried: list[tuple[int, ...]] = []
    while planned:
        row = planned.pop(0)
        told.append((clock, left.seconds()))
        tried.append(row)
        clock += took[len(tried)]
        left.ended("count", took[len(tried)], work=1)
        if not planned or len(tried) > first:
            at = [place[one] for one in tried]
            runs = ConfigurationCounts(SPACE, np.array(tried, dtype=np.int8), counts[at], sites)
            found = CountEvidence(runs, frozenset())
            planned, _ = next_runs(found, ALL, tried, first, 256)
            expected = left.search_on(sum(map(len, found.by_statement.values())), len(tried), first)
            left.plan_counting(expected if len(planned) >= 2 * first else len(planned))
    assert told[0][1] is None
    right = [0.5 <= (seconds or 0) / (clock - at) <= 2 for at, seconds in told[1:] if clock - at > 2]
    assert len(right) > 20
    assert sum(right) >= 0.9 * len(right)


def test_a_traced_run_takes_the_longer_the_more_its_configuration_does() -> None:
    """Before one was made, counted ones tell what it takes; then the reference, which does a quarter of what others do.

    Half of that is taken to be the same in all runs, as the square root does.
    """
    left = RemainingTime(4)
    left.ended("count", 0.1, work=100)
    assert left.of_one("taint") == pytest.approx(13 * 0.1)
    left.ended("taint", 2.0, work=100)
    for _ in range(5):
        left.ended("count", 0.1, work=460)
    assert left.of_one("taint") == pytest.approx(2.0 * 2)
    left.ended("taint", 6.0, work=0)
    assert left.of_one("taint") == pytest.approx((2.0 + 6.0) / (1 / 2 + 1))


def test_runs_that_are_planned_in_vain_are_told_less_of() -> None:
    """Four are left, and nine are planned: what is told lies between, and where none is planned it is nothing."""
    left = RemainingTime(4)
    left.ended("taint", 1.0, work=0)
    left.plan_tracing(9)
    left.ended("taint", 1.0, work=0)
    left.plan_tracing(5)
    each = 1 + 2 / 13
    assert left.seconds() == pytest.approx(5 * each)
    left.ended("taint", 1.0, work=0)
    left.plan_tracing(9)
    assert left.seconds() == pytest.approx(6 * each)
    left.plan_tracing(0)
    assert left.seconds() == 0.0


def test_no_more_time_is_left_than_runs_fit_into_what_is_allowed() -> None:
    """Runs of 10 s, five of which are to come: of 25 s two use 20, and no more than what is left of the limit is told."""
    left = RemainingTime(4)
    left.ended("count", 1e-9, work=0)
    left.ended("taint", 10.0, work=0)
    left.plan_tracing(7)
    left.plan_tracing(5)
    assert left.seconds() == pytest.approx(50)
    assert left.seconds(24.0, room=25.0) == pytest.approx(20)
    assert left.seconds(12.0, room=25.0) == pytest.approx(12)
    assert left.seconds(4.0, room=5.0) == 0.0
