"""All configurations of a space without constraints."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import ConfigurationError, TooManyConfigurationsError
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from tests.analytics.strategies import every_configuration, option_spaces

SWITCHES = OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(70)))


@given(space=option_spaces())
def test_every_combination_of_levels_is_listed_in_order(space: OptionSpace) -> None:
    valid = ValidConfigurations.unconstrained(space)
    assert valid.count() == len(every_configuration(space))
    np.testing.assert_array_equal(valid.enumerate(1000), every_configuration(space))
    assert valid.allows(every_configuration(space)).all()


@given(space=option_spaces())
def test_those_that_hold_a_level_are_all_with_it(space: OptionSpace) -> None:
    every = every_configuration(space)
    held = ValidConfigurations.unconstrained(space).holding({0: space.sizes[0] - 1})
    np.testing.assert_array_equal(held.enumerate(1000), every[every[:, 0] == space.sizes[0] - 1])


@given(space=option_spaces(), n=st.integers(0, 100), seed=st.integers(0, 99))
def test_drawn_configurations_differ(space: OptionSpace, n: int, seed: int) -> None:
    valid = ValidConfigurations.unconstrained(space)
    drawn = valid.sample(n, np.random.default_rng(seed))
    assert len(np.unique(drawn, axis=0)) == len(drawn) == min(n, valid.count())
    np.testing.assert_array_equal(drawn, valid.sample(n, np.random.default_rng(seed)))


def test_configurations_are_drawn_uniformly() -> None:
    space = OptionSpace((Option("A", (False, True)), Option("L", ("zlib", "lz4", "zstd"))))
    rng = np.random.default_rng(1)
    rows = np.concatenate([ValidConfigurations.unconstrained(space).sample(2, rng) for _ in range(3000)])
    _, counts = np.unique(rows, axis=0, return_counts=True)
    # 6000 draws over 6 configurations: 1000 each, with a standard deviation below 29.
    assert counts.min() > 880
    assert counts.max() < 1120


def test_a_space_too_large_to_number_is_drawn_from_all_the_same() -> None:
    valid = ValidConfigurations.unconstrained(SWITCHES)
    drawn = valid.sample(50, np.random.default_rng(0))
    assert valid.count() == 2**70
    assert len(np.unique(drawn, axis=0)) == 50
    assert 0.45 < drawn.mean() < 0.55


def test_too_many_configurations_are_not_listed() -> None:
    with pytest.raises(TooManyConfigurationsError, match="more than 1000"):
        ValidConfigurations.unconstrained(SWITCHES).enumerate(1000)


def test_more_configurations_than_can_be_written_are_not_listed() -> None:
    """Python writes no number of more than 4,300 digits: the error says how large it is all the same."""
    space = OptionSpace(tuple(Option(f"o{n}", tuple(range(10))) for n in range(5000)))
    with pytest.raises(TooManyConfigurationsError, match=r"5000 options have about 10\^5000 configurations"):
        ValidConfigurations.unconstrained(space).enumerate(1000)


def test_the_rest_stands_at_the_reference_or_off_it() -> None:
    space = OptionSpace((Option("A", (False, True)), Option("L", (1, 2, 4)), Option("one", ("only",))))
    valid = ValidConfigurations.unconstrained(space)
    near, far = valid.complete({1: 2}), valid.complete({1: 0}, "other")
    assert near is not None
    assert far is not None
    assert near.tolist() == [0, 2, 0]
    assert far.tolist() == [1, 0, 0]
    with pytest.raises(ConfigurationError, match="no level number 7"):
        valid.complete({1: 7})
