"""Which version to count next, and by how much counts moved between two."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.work import CountMove, most_telling

LEVELS = st.lists(st.integers(0, 2), min_size=1, max_size=40)


@given(LEVELS)
def test_all_are_counted_in_the_end_each_once(levels: list[int]) -> None:
    amounts: dict[int, dict[str, float]] = {}
    while (at := most_telling(amounts, set(range(len(levels))) - amounts.keys())) is not None:
        assert at not in amounts
        amounts[at] = {"f": float(levels[at])}
    assert len(amounts) == len(levels)


@given(st.integers(1, 98))
def test_one_change_of_a_hundred_is_between_neighbours_after_ten(step: int) -> None:
    """Both ends, and then a bisection."""
    amounts: dict[int, dict[str, float]] = {}
    for _ in range(10):
        at = most_telling(amounts, set(range(100)) - amounts.keys())
        assert at is not None
        amounts[at] = {"f": 1.0, "g": float(at >= step)}
    assert {step - 1, step} <= amounts.keys()


def test_what_cannot_be_counted_is_passed_over() -> None:
    assert most_telling({0: {"f": 1.0}, 4: {"f": 2.0}}, [1, 3]) == 3
    assert most_telling({0: {"f": 1.0}}, [2]) == 2
    assert most_telling({1: {"f": 1.0}}, [0]) == 0
    assert most_telling({0: {"f": 1.0}}, []) is None


def test_what_moved_from_one_function_to_another_is_a_move_though_the_sum_stayed() -> None:
    move = CountMove.between({"f": 60.0, "g": 40.0}, {"f": 90.0, "h": 10.0})
    assert (move.relative, move.share) == (0.0, 0.4)
    assert move.regions == (("g", -0.4), ("f", 0.3), ("h", 0.1))


def test_where_nothing_was_counted_before_a_move_has_no_end() -> None:
    assert CountMove.between({}, {}) == CountMove(0.0, 0.0, ())
    assert CountMove.between({}, {"f": 3.0}).share == inf


@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_shares_are_of_what_was_before(factor: float) -> None:
    before = {"f": 10.0, "g": 30.0}
    move = CountMove.between(before, {name: factor * value for name, value in before.items()})
    assert move.relative == pytest.approx(factor - 1)
    assert move.share == pytest.approx(abs(factor - 1))
