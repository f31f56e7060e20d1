"""Configurations and terms as addresses write them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.identities import key_of, key_with
from analytics.configurations.options import Option, OptionSpace
from dashboard.access import NotFound
from dashboard.selectors.configurations import ALL, chosen, configuration, levels_of, words

SPACE = OptionSpace((Option("A", (False, True)), Option("mode", ("slow", "fast", "a*b = 100 %"))))
NONE = np.zeros((0, 2), dtype=np.int8)
BOTH = np.ones(2, dtype=bool)

names = st.text(
    st.characters(codec="utf-8", exclude_characters='|&!()="', exclude_categories=("Z", "C")), min_size=1
)


@st.composite
def spaces(draw: st.DrawFn) -> OptionSpace:
    """Options with odd names and levels."""
    found = draw(st.lists(names.filter(lambda name: name != "True"), min_size=1, max_size=4, unique=True))
    levels = st.lists(names, min_size=2, max_size=4, unique=True)
    return OptionSpace(tuple(Option(name, tuple(draw(levels))) for name in found))


@given(st.data(), spaces())
def test_a_key_leads_from_one_configuration_to_the_other(data: st.DataObject, space: OptionSpace) -> None:
    """Whatever options and levels are called, also with signs that keys are written with."""
    start, end = (
        np.array([data.draw(st.integers(0, size - 1)) for size in space.sizes], dtype=np.int8)
        for _ in range(2)
    )
    assert levels_of(space, start, key_of(space, start, end)).tolist() == end.tolist()


@given(st.data(), spaces())
def test_a_key_from_words_is_the_same(data: st.DataObject, space: OptionSpace) -> None:
    end = np.array([data.draw(st.integers(0, size - 1)) for size in space.sizes], dtype=np.int8)
    options = {
        option.name: [option.text(level) for level in range(len(option.levels))] for option in space.options
    }
    words = {name: levels[level] for (name, levels), level in zip(options.items(), end, strict=True)}
    assert key_with(options, words) == key_of(space, space.reference, end)


def test_an_option_called_default_is_not_taken_for_the_default_configuration() -> None:
    assert words({}, ()) == "default"
    assert words({"default": "on"}, ()) == "default = on"
    assert words({"default": "on", "fast": "on"}, ()) == "default + fast"


def test_words_name_the_default_and_all_options_changed() -> None:
    for word in ("", "default"):
        assert configuration(SPACE, word, BOTH, (), NONE).tolist() == [0, 0]
    assert configuration(SPACE, ALL, BOTH, (), NONE).tolist() == [1, 2]
    assert chosen(SPACE, np.array([0, 0], dtype=np.int8), BOTH).name == "default"
    assert chosen(SPACE, np.array([1, 2], dtype=np.int8), BOTH).key == ALL


def test_a_measured_configuration_is_found_by_its_name() -> None:
    measured = np.array([[0, 1], [1, 1]], dtype=np.int8)
    assert configuration(SPACE, "c2", BOTH, ("c1", "c2"), measured).tolist() == [1, 1]


def test_a_configuration_says_what_is_not_the_default() -> None:
    row = chosen(SPACE, np.array([0, 2], dtype=np.int8), BOTH)
    assert row.differences == (("mode", "a*b = 100 %"),)
    assert levels_of(SPACE, SPACE.reference, row.key).tolist() == [0, 2]


@pytest.mark.parametrize(
    ("key", "said"), [("nothing", "no option"), ("mode", "say which level"), ("mode=brisk", "no level")]
)
def test_what_is_no_configuration_is_refused_with_the_reason(key: str, said: str) -> None:
    with pytest.raises(NotFound, match=said):
        configuration(SPACE, key, BOTH, (), NONE)


def test_an_option_that_never_varied_stays_where_it_was_measured() -> None:
    """Nothing is known of its other levels: they are refused, and `all` leaves it alone."""
    varied = np.array([True, False])
    assert configuration(SPACE, ALL, varied, (), NONE).tolist() == [1, 0]
    assert chosen(SPACE, np.array([1, 0], dtype=np.int8), varied).key == ALL
    with pytest.raises(NotFound, match="mode is slow in all of these measurements"):
        configuration(SPACE, "A*mode=fast", varied, (), NONE)
