"""Which terms are shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.selectors.model_rows import TermFilter, sensible_threshold, thresholds
from tests.dashboard.influences_samples import term

TERMS = (term("cache*jit", 0.030), term("cache", -0.015), term("A*B*C*D", 0.002), term("jit", 0.0001))


def keys(wanted: TermFilter) -> list[str]:
    return [one.key for one in wanted.shown(TERMS)]


def test_a_threshold_keeps_what_reaches_it_in_either_direction() -> None:
    assert keys(TermFilter(0.015)) == ["cache*jit", "cache"]


def test_the_last_degree_stands_for_all_higher_ones() -> None:
    assert keys(TermFilter(degrees=(3,))) == ["A*B*C*D"]
    assert keys(TermFilter(degrees=(1, 2))) == ["cache*jit", "cache", "jit"]


@pytest.mark.parametrize(("text", "found"), [("jit CACHE", 1), ("ca", 2), ("", 4), ("none", 0)])
def test_every_word_must_be_in_an_option(text: str, found: int) -> None:
    assert len(keys(TermFilter(text=text))) == found


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60))
def test_the_threshold_that_is_chosen_unasked_leaves_few_terms_and_never_none(values: list[float]) -> None:
    terms = [term(f"O{n}", value) for n, value in enumerate(values)]
    shown = TermFilter(sensible_threshold(terms)).shown(terms)
    assert shown
    distinct = len({abs(value) for value in values})
    assert len(shown) <= 20 or distinct < len(values) or sensible_threshold(terms) == thresholds(terms)[-1]


@given(st.floats(1e-6, 1e6))
def test_thresholds_rise_in_round_steps_up_to_the_largest(largest: float) -> None:
    found = thresholds([term("A", largest)])
    assert found[0] == 0.0
    assert list(found) == sorted(set(found))
    assert largest / 2 < found[-1] <= largest or found[-1] <= largest < 1.5 * found[-1]


def test_terms_that_may_be_zero_are_left_out_when_they_are_not_wanted() -> None:
    told = keys(TermFilter(uncertain=False))
    assert set(told) == {term.key for term in TERMS if not term.influence.may_be_zero}
    assert len(told) < len(keys(TermFilter()))
