"""A search by exact counts finds a true change in as many counts as halves need."""

from math import ceil, log2

from hypothesis import given
from hypothesis import strategies as st

from analytics.work import next_to_count

Values = list[int | None]


def searched(truth: Values) -> tuple[tuple[int, int], int]:
    """The two neighbours that are found, and how many positions were counted besides the ends."""
    last = len(truth) - 1
    values: dict[int, float | None] = {0: truth[0], last: truth[last]}
    while True:
        pair, position = next_to_count(values, last)
        if position is None:
            return pair, len(values) - 2
        assert position not in values
        values[position] = truth[position]


@given(st.lists(st.integers(0, 3), min_size=2, max_size=60).filter(lambda one: one[0] != one[-1]))
def test_two_neighbours_that_differ_are_found_in_the_logarithm_of_runs(truth: Values) -> None:
    (low, high), counted = searched(truth)
    assert high == low + 1
    assert truth[low] != truth[high]
    assert counted <= ceil(log2(len(truth) - 1))


@given(st.lists(st.one_of(st.none(), st.integers(0, 3)), max_size=40), st.integers(0, 3), st.integers(4, 6))
def test_what_cannot_be_counted_is_left_between_the_two(inner: Values, first: int, last: int) -> None:
    truth: Values = [first, *inner, last]
    (low, high), _ = searched(truth)
    assert truth[low] is not None
    assert truth[high] is not None
    assert truth[low] != truth[high]
    assert all(value is None for value in truth[low + 1 : high])
