"""Samplings, with and without constraints."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from studies.evaluation.samplings import Sampling, sampling_called
from tests.analytics.strategies import every_configuration, option_spaces

RNG = np.random.default_rng(0)
NAMES = (
    *("exhaustive", "feature-wise", "negative-feature-wise", "pair-wise", "t-wise-2", "random-7"),
    *("plackett-burman", "plackett-burman-27", "distance-7", "diversified-distance-7"),
)


@st.composite
def constrained(draw: st.DrawFn) -> ValidConfigurations:
    """A space of which some configurations, at least one, are valid."""
    space = draw(option_spaces())
    every = every_configuration(space).tolist()
    kept = draw(st.sets(st.integers(0, len(every) - 1), min_size=1))
    forbidden = [dict(enumerate(row)) for at, row in enumerate(every) if at not in kept]
    return ValidConfigurations.unconstrained(space).without(forbidden)


def chosen(sampling: Sampling, valid: ValidConfigurations) -> list[list[int]]:
    """The configurations of a sampling as lists."""
    rows: list[list[int]] = sampling(valid, np.random.default_rng(3)).tolist()
    return rows


def switches(count: int) -> ValidConfigurations:
    """So many binary options without constraints."""
    return ValidConfigurations.unconstrained(
        OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(count)))
    )


@given(valid=constrained())
def test_chosen_configurations_are_valid_different_and_the_same_for_the_same_seed(
    valid: ValidConfigurations,
) -> None:
    for name in NAMES:
        sampling = sampling_called(name)
        rows = sampling(valid, np.random.default_rng(5))
        assert valid.allows(rows).all()
        assert len(np.unique(rows, axis=0)) == len(rows) > 0 or name.endswith("feature-wise")
        np.testing.assert_array_equal(rows, sampling(valid, np.random.default_rng(5)))


@given(valid=constrained(), strength=st.integers(1, 3))
def test_t_wise_rows_hold_every_valid_combination_and_no_row_is_idle(
    valid: ValidConfigurations, strength: int
) -> None:
    rows = sampling_called(f"t-wise-{strength}")(valid, RNG)
    width = len(valid.space.options)
    for options in combinations(range(width), min(strength, width)):
        for levels in product(*(range(valid.space.sizes[option]) for option in options)):
            in_valid = (valid.enumerate(1000)[:, options] == levels).all(axis=1).any()
            assert in_valid == (rows[:, options] == levels).all(axis=1).any()
    assert len(rows) <= len(valid.enumerate(1000))


@given(valid=constrained())
def test_feature_wise_switches_on_each_level_that_is_valid(valid: ValidConfigurations) -> None:
    rows = sampling_called("feature-wise")(valid, RNG)
    start = valid.complete({})
    assert start is not None
    for position, size in enumerate(valid.space.sizes):
        for level in set(range(size)) - {int(start[position])}:
            possible = (valid.enumerate(1000)[:, position] == level).any()
            assert possible == (rows[:, position] == level).any()


@pytest.mark.parametrize(
    ("options", "feature_wise", "pair_wise"), [(16, 16, 137), (17, 17, 154), (22, 22, 254)]
)
def test_binary_options_give_as_many_configurations_as_the_paper_counts(
    options: int, feature_wise: int, pair_wise: int
) -> None:
    """Velez et al., ICSE 2021, Table II: H2 and Berkeley DB, Lucene, Density Converter."""
    assert len(chosen(sampling_called("feature-wise"), switches(options))) == feature_wise
    assert len(chosen(sampling_called("negative-feature-wise"), switches(options))) == feature_wise
    assert len(chosen(sampling_called("pair-wise"), switches(options))) == pair_wise


def test_an_option_with_several_levels_takes_each_of_them_once() -> None:
    valid = ValidConfigurations.unconstrained(
        OptionSpace((Option("A", (False, True)), Option("L", (1, 2, 4))))
    )
    assert chosen(sampling_called("feature-wise"), valid) == [[1, 0], [0, 1], [0, 2]]
    assert chosen(sampling_called("negative-feature-wise"), valid) == [[0, 1], [1, 0], [1, 2]]
    assert chosen(sampling_called("pair-wise"), valid) == [[0, 0], [1, 0], [0, 1], [0, 2], [1, 1], [1, 2]]
    assert len(chosen(sampling_called("exhaustive"), valid)) == 6


def test_covering_arrays_stay_small() -> None:
    """All pairs of 20 binary options fit into 8 rows at best; a greedy array stays below twice as many."""
    assert len(chosen(sampling_called("t-wise-2"), switches(20))) < 16


def test_a_sampling_is_found_by_its_name_and_number() -> None:
    assert len(chosen(sampling_called("random-50"), switches(17))) == 50
    assert len(chosen(sampling_called("plackett-burman-49"), switches(17))) == 20
    for wrong in ("random", "random-0", "feature-wise-2", "distance", "latin"):
        with pytest.raises(ConfigurationError, match=r"known are exhaustive, feature-wise, .*random-SIZE"):
            sampling_called(wrong)
