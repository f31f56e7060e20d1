"""Learned models with their error, and stored."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.design import terms_up_to
from analytics.influence.learned import learn_linear
from analytics.influence.stored import pack, unpack
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (False, True)), Option("C", (1, 2, 3))))
EVERY = every_configuration(SPACE)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["each alone", "together"]))
def test_a_stored_model_comes_back_as_it_was(seed: int, change: str) -> None:
    """Also where two options always changed together."""
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]] if change == "together" else EVERY
    values = np.random.default_rng(seed).normal(10.0, 1.0, size=len(rows))
    given_ = learn_linear(SPACE, terms_up_to(SPACE, 1), rows, values)
    found = unpack(SPACE, pack(given_))
    base = np.array([1, 0, 2], dtype=np.int8)
    for one, other in (
        (given_.model, found.model),
        (given_.model.relative_to(base), found.model.relative_to(base)),
    ):
        assert one.terms.levels.tolist() == other.terms.levels.tolist()
        assert np.array_equal(one.terms.coefficients, other.terms.coefficients, equal_nan=True)
        assert one.terms.standard_errors == pytest.approx(other.terms.standard_errors, nan_ok=True)
    assert (found.quality, found.margin, found.configurations) == (
        given_.quality,
        given_.margin,
        given_.configurations,
    )


def test_the_error_is_that_of_configurations_that_were_left_out() -> None:
    """A mean of two values predicts each of them by the other."""
    rows = EVERY[:2]
    found = learn_linear(SPACE, terms_up_to(SPACE, 0), rows, np.array([2.0, 4.0]))
    assert found.quality.error == pytest.approx((100 + 50) / 2)
    assert found.quality.checked == 2


def test_no_error_where_each_configuration_is_needed() -> None:
    found = learn_linear(SPACE, terms_up_to(SPACE, 3), EVERY, np.arange(1.0, 13.0))
    assert (found.quality.error, found.quality.checked, found.configurations) == (None, 0, 12)


def test_a_value_of_zero_has_no_error_in_percent() -> None:
    found = learn_linear(SPACE, terms_up_to(SPACE, 0), EVERY[:3], np.array([0.0, 1.0, 1.0]))
    assert found.quality.checked == 2


def test_options_that_come_later_change_nothing_of_a_stored_model() -> None:
    given_ = learn_linear(SPACE, terms_up_to(SPACE, 2), EVERY, np.arange(len(EVERY), dtype=float))
    wider = OptionSpace((*SPACE.options, Option("D", (False, True))))
    rows = np.pad(EVERY, ((0, 0), (0, 1)), constant_values=1)
    found = unpack(wider, pack(given_)).model
    assert found.predict(rows) == pytest.approx(given_.model.predict(EVERY))
