"""How long an analysis still takes is told within a factor of two, in searches over programs that were made up."""

from itertools import product

import numpy as np
import pytest

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.progress import RemainingTime
from analytics.whitebox.count_evidence import ConfigurationCounts, CountEvidence
from analytics.whitebox.refinement import first_to_count, next_runs

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
    every, counts = program(seed)
    place = {row: at for at, row in enumerate(every)}
    sites = [("r", line, 0, "if") for line in range(STATEMENTS)]
    took = np.random.default_rng(seed).uniform(0.2, 0.4, size=len(every))
    left, clock, told = RemainingTime(), 0.0, []
    planned = list(first_to_count(SPACE, ALL))
    tried: list[tuple[int, ...]] = []
    while planned:
        left.plan("count", len(planned))
        row = planned.pop(0)
        told.append((clock, left.seconds))
        tried.append(row)
        clock += took[len(tried)]
        left.ended("count", took[len(tried)])
        if not planned or len(tried) > len(first_to_count(SPACE, ALL)):
            at = [place[one] for one in tried]
            runs = ConfigurationCounts(SPACE, np.array(tried, dtype=np.int8), counts[at], sites)
            found = CountEvidence(runs, frozenset())
            planned, _ = next_runs(found, ALL, tried, len(first_to_count(SPACE, ALL)), 256)
    assert told[0][1] is None
    adaptive = [(at, seconds) for at, seconds in told[len(first_to_count(SPACE, ALL)) :] if clock - at > 2]
    assert len(adaptive) > 3
    wrong = [(at, seconds) for at, seconds in adaptive if not 0.5 <= (seconds or 0) / (clock - at) <= 2]
    assert len(wrong) <= 0.2 * len(adaptive)


def test_before_the_first_traced_run_counted_ones_tell_what_it_takes_and_the_last_runs_count() -> None:
    left = RemainingTime()
    left.plan("taint", 4)
    left.ended("count", 0.1)
    assert left.seconds == pytest.approx(4 * 13 * 0.1)
    left.ended("taint", 6.0)
    assert left.seconds == pytest.approx(3 * 6.0)
    for _ in range(20):
        left.ended("taint", 1.0)
    assert left.of_one("taint") == 1.0
    assert left.seconds == 0.0


def test_where_each_traced_run_asks_for_another_one_more_are_expected() -> None:
    """One run is planned after each of six: at most four times as many are expected, and fewer once that ends."""
    left = RemainingTime()
    left.plan("taint", 3)
    left.ended("taint", 1.0)
    for _ in range(6):
        left.plan("taint", 1 + 1)
        left.ended("taint", 1.0)
    assert left.seconds == pytest.approx(4.0)
    left.plan("taint", 1)
    left.ended("taint", 1.0)
    assert left.seconds == 0.0
