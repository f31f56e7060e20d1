"""Predictions by models that were made without a configuration, and the intervals that come of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.cross_validation import (
    ENOUGH,
    FEWEST,
    parts_of,
    prediction_margin,
    predictions_without_parts,
    terms_without_parts,
)
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.learned import learn_linear
from analytics.influence.linear import learn, solve
from analytics.influence.term_choice import choose_terms
from analytics.influence.times import FloatArray
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(6)))
EVERY = every_configuration(SPACE)
TRUTH: FloatArray = np.asarray(10 + 3 * EVERY[:, 0] + 1.5 * EVERY[:, 1] * EVERY[:, 2] - EVERY[:, 3])


@settings(max_examples=12)
@given(st.integers(0, 63), st.floats(-50, 50))
def test_what_is_predicted_of_a_configuration_does_not_depend_on_its_own_value(
    row: int, value: float
) -> None:
    """Nor do the terms that are chosen without it."""
    values = TRUTH + 0.1 * np.sin(np.arange(64))
    other = values.copy()
    other[row] = value
    part = parts_of(EVERY, 10)[row]
    one, two = (terms_without_parts(SPACE, EVERY, own[:, np.newaxis]) for own in (values, other))
    assert one[part].tolist() == two[part].tolist()
    predicted = [predictions_without_parts(EVERY, own, one)[row] for own in (values, other)]
    assert predicted[0] == predicted[1]


@given(st.lists(st.integers(0, 63), min_size=1, unique=True))
def test_a_part_is_a_configurations_own(rows: list[int]) -> None:
    """Others that are measured, and options that come later, move none."""
    wider = np.pad(EVERY, ((0, 0), (0, 2)))
    assert parts_of(EVERY[rows], 10).tolist() == parts_of(wider, 10)[rows].tolist()


def test_terms_that_somebody_else_chose_are_not_known_without_a_part() -> None:
    """A model that an earlier version stored has its coefficients, and neither intervals nor an error."""
    found = learn_linear(SPACE, terms_up_to(SPACE, 1), EVERY, TRUTH, without_parts=())
    assert np.isfinite(found.model.terms.coefficients).all()
    assert np.isnan(found.model.terms.margins).all()
    assert (found.margin, found.quality.error, found.quality.checked) == (None, None, 0)


def test_from_too_few_differences_there_is_no_interval() -> None:
    assert prediction_margin(np.array([1.0] * (FEWEST - 1) + [np.nan])) is None
    assert prediction_margin(np.ones(FEWEST)) is not None


@pytest.mark.parametrize("count", [FEWEST, 20, ENOUGH, 400])
def test_the_next_difference_lies_within_the_margin_about_as_often_as_is_told(count: int) -> None:
    """Of 2,000 draws of normal noise between 93 and 98 %."""
    rng = np.random.default_rng(count)
    drawn = rng.normal(size=(2000, count + 1))
    inside = [abs(one[-1]) <= (prediction_margin(one[:-1]) or 0.0) for one in drawn]
    assert 0.93 <= np.mean(inside) <= 0.98


@given(st.floats(0.01, 100))
def test_equal_differences_everywhere_give_the_classical_standard_errors(size: float) -> None:
    """(X'X)^-1 times their square."""
    design = design_matrix(terms_up_to(SPACE, 1), EVERY)
    signs = np.where(np.arange(64) % 2, size, -size)
    found = solve(design, TRUTH, signs)
    assert found.covariance == pytest.approx(np.linalg.inv(design.T @ design) * size**2)


def test_a_difference_that_is_not_known_counts_as_the_mean_of_the_others() -> None:
    design = design_matrix(terms_up_to(SPACE, 1), EVERY)
    differences = np.full(64, 2.0)
    whole = solve(design, TRUTH, differences).covariance
    differences[7] = np.nan
    assert solve(design, TRUTH, differences).covariance == pytest.approx(whole)


def test_intervals_of_chosen_terms_and_of_predictions_hold_where_the_choice_had_little_to_go_by() -> None:
    """Twelve configurations of six options: half of the intervals held where they came from what the model left."""
    held, told = np.zeros(2), np.zeros(2)
    for seed in range(60):
        rng = np.random.default_rng([5, seed])
        rows = rng.permutation(64)
        seen, others = rows[:12], rows[12:]
        values = TRUTH[seen] + rng.standard_t(3, size=12) * 0.5
        levels = choose_terms(SPACE, EVERY[seen], values[:, np.newaxis])
        without = terms_without_parts(SPACE, EVERY[seen], values[:, np.newaxis])
        found = learn_linear(SPACE, levels, EVERY[seen], values, without_parts=without)
        off = np.abs(found.model.predict(EVERY[others]) - TRUTH[others])
        held[0] += (off <= (found.margin or 0.0)).sum()
        told[0] += len(others)
        terms, true = found.model.terms, learn(SPACE, levels, EVERY, TRUTH).terms
        held[1] += (np.abs(terms.coefficients - true.coefficients) <= terms.margins)[1:].sum()
        told[1] += len(terms) - 1
    assert (held / told >= 0.9).all()
    assert (held / told <= 0.995).all()
