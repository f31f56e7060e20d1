"""Valid configurations without forbidden combinations, against looking at every configuration."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations

SPACE = OptionSpace((Option("A", (False, True)), Option("mode", ("x", "y", "z")), Option("B", (False, True))))
EVERY = tuple(product(range(2), range(3), range(2)))

combinations = st.dictionaries(st.integers(0, 2), st.integers(0, 1), max_size=3)


def without(*forbidden: dict[int, int]) -> ValidConfigurations:
    return ValidConfigurations.unconstrained(SPACE).without(forbidden)


def allowed(forbidden: list[dict[int, int]]) -> set[tuple[int, ...]]:
    return {
        row
        for row in EVERY
        if not any(all(row[at] == level for at, level in one.items()) for one in forbidden)
    }


@given(st.lists(combinations, max_size=4), combinations)
def test_a_completion_is_the_allowed_configuration_with_fewest_options_moved(
    forbidden: list[dict[int, int]], partial: dict[int, int]
) -> None:
    fitting = [row for row in allowed(forbidden) if all(row[at] == level for at, level in partial.items())]
    found = without(*forbidden).complete(partial)
    if not fitting:
        assert found is None
        return
    assert found is not None
    assert tuple(found) in fitting
    assert np.count_nonzero(found) == min(np.count_nonzero(row) for row in fitting)


@given(st.lists(combinations, max_size=4), combinations)
def test_the_other_preference_moves_as_many_options_as_it_can(
    forbidden: list[dict[int, int]], partial: dict[int, int]
) -> None:
    fitting = [row for row in allowed(forbidden) if all(row[at] == level for at, level in partial.items())]
    found = without(*forbidden).complete(partial, "other")
    assert (found is None) == (not fitting)
    if found is not None:
        assert np.count_nonzero(found) == max(np.count_nonzero(row) for row in fitting)


@given(st.lists(combinations, max_size=3), st.integers(1, 15), st.integers(0, 9))
def test_a_sample_is_of_different_allowed_configurations_all_if_enough_are_asked_for(
    forbidden: list[dict[int, int]], n: int, seed: int
) -> None:
    rows = without(*forbidden).sample(n, np.random.default_rng(seed))
    drawn = {tuple(int(level) for level in row) for row in rows}
    assert len(drawn) == len(rows) == min(n, len(allowed(forbidden)))
    assert drawn <= allowed(forbidden)


def test_the_same_seed_draws_the_same_sample() -> None:
    one, other = (without({0: 1, 2: 1}).sample(5, np.random.default_rng(3)) for _ in range(2))
    assert one.tolist() == other.tolist()


def test_nothing_forbidden_leaves_the_reference() -> None:
    found = without().complete({})
    assert found is not None
    assert found.tolist() == [0, 0, 0]
