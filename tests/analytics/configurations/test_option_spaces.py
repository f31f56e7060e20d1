"""Options and configurations as arrays of level indices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import Level, Option, OptionSpace
from tests.analytics.strategies import configurations_of, option_spaces

SPACE = OptionSpace((Option("cache", (False, True)), Option("codec", ("zlib", "lz4", "none"))))


@given(st.data())
def test_decoding_undoes_encoding(data: st.DataObject) -> None:
    """For every space and configuration."""
    space = data.draw(option_spaces())
    configuration = data.draw(configurations_of(space))
    assert space.encode([space.decode(configuration)]).tolist() == [configuration.tolist()]


def test_options_that_are_not_named_stay_at_their_reference_level() -> None:
    """The identity of a configuration is what differs from the reference."""
    assert SPACE.encode([{"codec": "none"}]).tolist() == [[0, 2]]
    assert SPACE.encode([{}])[0].tolist() == SPACE.reference.tolist() == [0, 0]


def test_labels_name_levels_where_configurations_are_stored() -> None:
    """Formulas and screens show the level itself; what is at its reference level makes no difference."""
    space = OptionSpace((Option("codec", (1, 2), ("one", "two")),))
    assert space.encode([{"codec": "two"}, {}]).tolist() == [[1], [0]]
    assert space.decode([1]) == {"codec": "two"}
    assert space.options[0].text(1) == "2"
    assert space.differing({"codec": "two", "gone": "on"}) == {"codec": "two"}
    assert space.differing({"codec": "one"}) == {}


def test_an_unknown_option_is_named() -> None:
    """The message repeats the name."""
    with pytest.raises(ConfigurationError, match="'codex'"):
        SPACE.encode([{"codex": "lz4"}])


def test_an_unknown_level_is_named_with_its_option_and_the_levels_there_are() -> None:
    """The message says which option, which value, and what would do."""
    with pytest.raises(
        ConfigurationError, match=r"codec has no level 'lzma'; its levels are zlib, lz4, none"
    ):
        SPACE.encode([{"codec": "lzma"}])


@pytest.mark.parametrize("name", ["", "two words", "a|b", "a=b", "True", 'q"q', "!a"])
def test_names_that_formulas_cannot_hold_are_refused(name: str) -> None:
    """Operators, spaces, quotes and the reserved word."""
    with pytest.raises(ConfigurationError, match="option name"):
        Option(name, (False, True))


@pytest.mark.parametrize(
    "levels", [(), (1, 1), (1, "1"), (0, False), ("",), (float("nan"),), tuple(range(128))]
)
def test_levels_that_cannot_be_told_apart_or_written_are_refused(levels: tuple[Level, ...]) -> None:
    """Repeated, empty, endless or too many."""
    with pytest.raises(ConfigurationError, match="option X"):
        Option("X", levels)


def test_two_options_of_one_name_are_refused() -> None:
    """The message names it."""
    with pytest.raises(ConfigurationError, match="option cache is given more than once"):
        OptionSpace((SPACE.options[0], SPACE.options[0]))


@pytest.mark.parametrize(
    ("configurations", "message"),
    [
        ([[0, 3]], "configuration 0: option codec has no level number 3"),
        ([[0, 0], [-1, 0]], "configuration 1: option cache has no level number -1"),
        ([[0]], "one column per option"),
        ([0, 0], "one column per option"),
        ([[0.0, 1.0]], "expected indices"),
    ],
)
def test_arrays_that_are_no_configurations_are_refused(configurations: list[object], message: str) -> None:
    """Wrong shape, wrong type or a level that does not exist."""
    with pytest.raises(ConfigurationError, match=message):
        SPACE.checked(np.array(configurations))


def test_names_and_sizes_are_made_once() -> None:
    """Loops over thousands of options ask for them at each."""
    space = OptionSpace((Option("A", (0, 1)), Option("B", (0, 1))))
    assert space.sizes is space.sizes
    assert space.names is space.names
