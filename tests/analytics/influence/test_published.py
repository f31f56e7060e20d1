"""Published coefficients beside ours, and why they differ."""

import numpy as np
import pytest

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.published import Agreement, DisagreementReason, hold_against, published_base
from analytics.influence.times import FloatArray
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (False, True)), Option("C", (1, 2, 3))))
EVERY = every_configuration(SPACE)
LEVELS = terms_up_to(SPACE, 1)


def values_of(rows: IntArray) -> FloatArray:
    """Something that the terms do not tell exactly."""
    noise = np.random.default_rng(3).normal(size=len(rows))
    values: FloatArray = 10.0 + rows @ np.array([2.0, -3.0, 1.0]) + noise
    return values


def least_squares(levels: IntArray, rows: IntArray, values: FloatArray) -> FloatArray:
    """By another implementation; of many fits the smallest."""
    found: FloatArray = np.linalg.lstsq(design_matrix(levels, rows), values, rcond=None)[0]
    return found


def test_coefficients_of_the_same_fit_agree() -> None:
    values = values_of(EVERY)
    found = hold_against(SPACE, LEVELS, EVERY, values, least_squares(LEVELS, EVERY, values))
    assert set(found.agreement) == {Agreement.AGREES}
    assert found.reasons == ()
    assert np.abs(found.differences).max() < 1e-9
    assert found.excess == pytest.approx(0.0, abs=1e-9)


def test_the_smallest_of_many_fits_is_told_as_such() -> None:
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]]
    values = values_of(rows)
    found = hold_against(SPACE, LEVELS, rows, values, least_squares(LEVELS, rows, values))
    assert found.agreement.count(Agreement.UNDETERMINED) == 2
    assert found.reasons == (DisagreementReason.SMALLEST_FIT,)
    assert np.isnan(found.ours).sum() == 2


def test_missing_values_that_were_taken_for_zero_are_found_out() -> None:
    values = values_of(EVERY)
    values[4] = np.nan
    found = hold_against(SPACE, LEVELS, EVERY, values, least_squares(LEVELS, EVERY, np.nan_to_num(values)))
    assert found.reasons == (DisagreementReason.MISSING_AS_ZERO,)
    assert found.unmeasured == 1


def test_an_intercept_that_was_split_between_columns_is_found_out() -> None:
    """The smallest fit with the same column twice gives each half of the intercept."""
    values = values_of(EVERY)
    design = design_matrix(LEVELS, EVERY)
    twice = np.linalg.lstsq(np.column_stack([design, np.ones(len(EVERY))]), values, rcond=None)[0]
    found = hold_against(SPACE, LEVELS, EVERY, values, twice[:-1], untold=float(twice[-1]))
    assert found.reasons == (DisagreementReason.SPLIT_INTERCEPT,)
    assert found.agreement.count(Agreement.DIFFERS) == 1


def test_coefficients_of_other_values_leave_more_squared_error() -> None:
    values = values_of(EVERY)
    published = least_squares(LEVELS, EVERY, values + np.linspace(0, 1, len(EVERY)))
    found = hold_against(SPACE, LEVELS, EVERY, values, published)
    assert found.reasons == (DisagreementReason.OTHER_VALUES,)
    assert found.excess > 0


def test_the_base_of_published_terms_is_what_no_term_selects() -> None:
    """Of B nothing is told, so its base is unknown; of C two levels are selected."""
    levels = np.array([[-1, -1, -1], [0, -1, -1], [-1, -1, 0], [-1, -1, 2]], dtype=np.int8)
    assert published_base(SPACE, levels).tolist() == [1, -1, 1]
