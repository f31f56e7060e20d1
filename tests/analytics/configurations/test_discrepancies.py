"""Counts that differ within a subspace name the option that was missed."""

from itertools import product

import numpy as np
import pytest

from analytics.configurations.discrepancies import Counts, discrepancies
from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.partitions import Partition

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
EVERYTHING = np.array(list(product((0, 1), repeat=4)), dtype=np.int8)
ON_A = {"r": (Partition.from_formulas(SPACE, ["!A", "A"]),)}


def turns(configuration: IntArray, *terms: tuple[int, tuple[int, ...]]) -> Counts:
    """Counts of one loop: each term adds its turns where all its options are on."""
    return {"r": {"turn": 5 + sum(many for many, options in terms if all(configuration[list(options)]))}}


def test_counts_that_follow_the_partition_prove_nothing() -> None:
    assert discrepancies(SPACE, EVERYTHING, [turns(one, (7, (0,))) for one in EVERYTHING], ON_A) == ()


@pytest.mark.parametrize("missed", [(2,), (1, 3)])
def test_the_missed_options_are_found_with_two_runs_as_evidence(missed: tuple[int, ...]) -> None:
    counts = [turns(one, (7, (0,)), (3, missed)) for one in EVERYTHING]
    (found,) = discrepancies(SPACE, EVERYTHING, counts, ON_A)
    assert (found.region, found.counter, found.suspects) == ("r", "turn", missed)
    assert abs(found.counts[0] - found.counts[1]) == 3
    one, other = found.runs
    assert EVERYTHING[one][0] == EVERYTHING[other][0]
    assert found.subspace in ("A", "!A")


def test_a_region_without_a_partition_should_always_do_the_same() -> None:
    (found,) = discrepancies(SPACE, EVERYTHING, [turns(one, (1, (3,))) for one in EVERYTHING], {})
    assert (found.subspace, found.suspects) == ("True", (3,))


def test_a_region_that_some_run_never_enters_counts_as_0() -> None:
    counts: list[Counts] = [{"r": {"call": 1}} if one[1] else {} for one in EVERYTHING]
    (found,) = discrepancies(SPACE, EVERYTHING, counts, {})
    assert (set(found.counts), found.suspects) == ({0, 1}, (1,))


def test_too_few_runs_blame_nobody() -> None:
    """Two runs that differ in every option are told apart by each of them: that is no evidence for one."""
    two = EVERYTHING[[0, 15]]
    (found,) = discrepancies(SPACE, two, [turns(one, (1, (3,))) for one in two], {})
    assert found.suspects == ()
