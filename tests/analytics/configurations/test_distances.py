"""Distance-based samples: uniform over distances, under constraints, the same for the same seed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.distances import distance_based, listed_by_distance, origin, valid_by_distance
from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from tests.analytics.strategies import every_configuration, option_spaces

SWITCHES = OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(12)))
EVERYTHING = ValidConfigurations.unconstrained(SWITCHES)


def drawn(valid: ValidConfigurations, size: int, seed: int, *, diversified: bool = False) -> IntArray:
    """A sample."""
    return distance_based(
        valid_by_distance(valid), size, np.random.default_rng(seed), diversified=diversified
    )


def test_off_is_the_origin_and_the_reference_where_nothing_is_off() -> None:
    space = OptionSpace(
        (
            Option("a", (True, False)),
            Option("n", (5, 0, 10)),
            Option("m", ("x", "y")),
            Option("b", (False, True)),
        )
    )
    assert origin(space).tolist() == [1, 1, 0, 0]


@given(space=option_spaces(), seed=st.integers(0, 9), data=st.data())
def test_the_valid_ones_at_each_distance_are_all_of_them(
    space: OptionSpace, seed: int, data: st.DataObject
) -> None:
    every = every_configuration(space)
    forbidden = data.draw(st.sets(st.integers(0, len(every) - 1), max_size=len(every) - 1))
    valid = ValidConfigurations.unconstrained(space).without(
        [dict(enumerate(every[one])) for one in forbidden]
    )
    listed = listed_by_distance(valid.enumerate(1000), space)
    found = valid_by_distance(valid)
    assert {distance: one.count() for distance, one in found.items()} == {
        distance: one.count() for distance, one in listed.items()
    }
    for diversified in (False, True):
        rows = drawn(valid, 7, seed, diversified=diversified)
        assert valid.allows(rows).all()
        assert len(np.unique(rows, axis=0)) == len(rows) == min(7, valid.count())
        np.testing.assert_array_equal(rows, drawn(valid, 7, seed, diversified=diversified))


@pytest.mark.parametrize("diversified", [False, True])
def test_every_distance_is_equally_likely_as_long_as_it_has_some(*, diversified: bool) -> None:
    """With 12 options uniform samples have 5 to 7 on in 61 % of cases; here 3 of 13 distances."""
    found = np.concatenate(
        [drawn(EVERYTHING, 10, seed, diversified=diversified).sum(axis=1) for seed in range(60)]
    )
    middle = np.isin(found, [5, 6, 7]).mean()
    # Both ends hold one configuration each, and fall away once it was drawn.
    assert 3 / 13 < middle < 0.3
    assert {0, 12} <= set(found)


def test_diversified_samples_switch_options_on_evenly_at_one_distance() -> None:
    """Twelve configurations with 6 of 12 options on: each option is on in half of them."""
    middle = {6: EVERYTHING.apart(origin(SWITCHES), 6)}

    def unevenness(seed: int, *, diversified: bool) -> float:
        rows = distance_based(middle, 12, np.random.default_rng(seed), diversified=diversified)
        return float(rows.sum(axis=0).std())

    plain, diverse = (
        np.mean([unevenness(seed, diversified=diversified) for seed in range(10)])
        for diversified in (False, True)
    )
    assert diverse < 0.5
    assert plain > 1


def test_a_large_space_is_drawn_from_without_listing_it() -> None:
    wide = ValidConfigurations.unconstrained(
        OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(80)))
    )
    rows = drawn(wide, 40, 0, diversified=True)
    assert len(np.unique(rows, axis=0)) == 40
    assert rows.sum(axis=1).std() > 15
