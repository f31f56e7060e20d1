"""What counts prove of options and regions: as much as all configurations say, once enough were run."""

import numpy as np
import pytest

from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.effects import region_effects, unmoved_statements, unmoved_ways
from tests.analytics.whitebox.test_count_evidence import EVERYTHING, SPACE, Turns, turns

SITES = (("f", 1, 0, "call"), ("f", 2, 4, "turn"), ("g", 9, 0, "call"))


def counted(rows: np.ndarray, loop: Turns) -> ConfigurationCounts:
    counts = np.array([[1, loop(row), 3] for row in rows], dtype=np.int64)
    return ConfigurationCounts(SPACE, rows, counts, SITES)


def test_the_effect_of_an_option_is_the_most_that_moving_it_alone_moves() -> None:
    found = region_effects(counted(EVERYTHING, turns((7, (0,)), (3, (0, 1)))))
    assert found.regions == ("f", "g")
    assert found.moved.tolist() == [[10, 0], [3, 0], [0, 0], [0, 0]]
    assert found.pairs.tolist() == [8, 8, 8, 8]
    assert found.differing.tolist() == [[8, 0], [4, 0], [0, 0], [0, 0]]
    assert found.working.tolist() == [[8, 8]] * 4
    # 1 entry, 5 turns, 7 in every second run and 3 in every fourth.
    assert found.work.tolist() == [round(1 + 5 + 3.5 + 0.75), 3]
    assert found.recall == 1.0


def test_a_pair_of_runs_says_nothing_of_a_function_that_works_in_neither() -> None:
    """Only where the first option is on, the function is entered; two of the eight pairs of each other option are left."""
    counts = np.array([[int(row[0] and row[1]), 1] for row in EVERYTHING], dtype=np.int64)
    sites = (("f", 1, 0, "call"), ("g", 9, 0, "call"))
    found = region_effects(ConfigurationCounts(SPACE, EVERYTHING, counts, sites))
    assert found.working[:, 0].tolist() == [4, 4, 2, 2]
    assert found.working[:, 1].tolist() == [8] * 4


def test_what_one_pair_of_runs_alone_shows_speaks_for_more_that_none_shows() -> None:
    few = region_effects(counted(EVERYTHING[[0, 8, 4, 2, 1]], turns((7, (0,)), (3, (1,)), (2, (2,)))))
    assert few.differing[:, 0].tolist() == [1, 1, 1, 0]
    assert few.recall == pytest.approx(3 / (3 + 3 * 2 / 2))


def test_where_nothing_was_counted_or_nothing_moves_no_recall_is_told() -> None:
    still = region_effects(counted(EVERYTHING[:2], turns()))
    assert (still.recall, still.moved.sum()) == (None, 0)
    nothing = ConfigurationCounts(SPACE, EVERYTHING[:0], np.zeros((0, 0), dtype=np.int64), ())
    assert region_effects(nothing).recall is None


def test_an_option_that_changes_how_often_a_condition_is_asked_and_not_how_it_goes_does_not_move_it() -> None:
    sites = (
        ("f", 1, 0, "call"),
        ("f", 2, 4, "if"),
        ("f", 2, 4, "else"),
        ("f", 5, 4, "else"),
        ("f", 7, 4, "turn"),
        ("f", 9, 4, "if"),
    )

    def ways(row: np.ndarray) -> list[int]:
        # A has the function entered three times as often, B decides at line 2, C turns the loop once more for each entry.
        entries = 9 if row[0] else 3
        holds = entries if row[1] else 0
        return [entries, holds, entries - holds, entries - 1, entries * (2 + row[2]), 1]

    counts = np.array([ways(row) for row in EVERYTHING], dtype=np.int64)
    unmoved = unmoved_statements(ConfigurationCounts(SPACE, EVERYTHING, counts, sites))
    assert unmoved == {
        ("f", "2:4"): {0, 2, 3},
        # A condition that never held.
        ("f", "5:4"): {0, 1, 2, 3},
        ("f", "7:4"): {0, 1, 3},
        ("f", "9:4"): {1, 2, 3},
    }
    alone = unmoved_statements(ConfigurationCounts(SPACE, EVERYTHING[:2], counts[:2], sites))
    assert alone["f", "2:4"] == {3}, "no two runs differ in another option alone"


def test_the_entries_of_a_function_within_are_not_those_of_the_region() -> None:
    """The condition holds with the option alone, and the function that is made there is called as often as it holds."""
    sites = (("f", 1, 0, "call"), ("f", 2, 4, "if"), ("f", 3, 8, "call"))
    counts = np.array([[9, 5 * row[0], 5 * row[0]] for row in EVERYTHING], dtype=np.int64)
    unmoved = unmoved_statements(ConfigurationCounts(SPACE, EVERYTHING, counts, sites))
    assert unmoved == {("f", "2:4"): {1, 2, 3}}


def test_a_way_that_is_taken_as_often_with_an_option_as_without_is_not_moved_by_it() -> None:
    """A further word among the arguments is one more turn and one more failed test, and takes no other branch."""
    sites = (("f", 1, 0, "call"), ("f", 2, 4, "turn"), ("f", 3, 8, "if"), ("f", 4, 8, "if"))
    rows = EVERYTHING
    counts = np.array([[1, row[0] + row[1], row[0], row[1]] for row in rows], dtype=np.int64)
    unmoved = unmoved_ways(ConfigurationCounts(SPACE, rows, counts, sites))
    assert unmoved == {("f", "2:4:turn"): {2, 3}, ("f", "3:8:if"): {1, 2, 3}, ("f", "4:8:if"): {0, 2, 3}}
    alone = unmoved_ways(ConfigurationCounts(SPACE, rows[:2], counts[:2], sites))
    assert alone["f", "3:8:if"] == {3}, "no two runs differ in another option alone"
    nothing = ConfigurationCounts(SPACE, rows[:0], np.zeros((0, 0), dtype=np.int64), ())
    assert unmoved_ways(nothing) == {}
