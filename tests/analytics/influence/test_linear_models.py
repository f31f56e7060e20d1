"""What holds for every learned model."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.errors import LearningError
from analytics.influence.linear import LinearModel, learn, left_out_predictions
from analytics.influence.located import LocatedModel, TermModel
from analytics.influence.models import fit
from analytics.influence.times import FloatArray, RegionTimes
from tests.analytics.strategies import configurations_of, every_configuration, noiseless_times, option_spaces

Known = tuple[OptionSpace, IntArray, IntArray, FloatArray]


@st.composite
def known_sums(draw: st.DrawFn, noise: float = 0.0) -> Known:
    """A space, terms, at least as many configurations as terms, and values that are a sum of the terms."""
    space = draw(option_spaces())
    every = every_configuration(space)
    levels = terms_up_to(space, draw(st.integers(0, 2)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = np.concatenate([every, every])[rng.permutation(2 * len(every))]
    truth = rng.integers(-9, 10, size=len(levels)).astype(float)
    values = design_matrix(levels, rows) @ truth + noise * rng.normal(size=len(rows))
    return space, levels, rows, values


def summed(model: LinearModel, configurations: IntArray) -> FloatArray:
    """The sum of the terms whose changes each configuration makes."""
    table = model.terms
    total: FloatArray = design_matrix(table.levels, configurations) @ table.coefficients
    return total


@given(known_sums())
def test_noiseless_values_return_the_true_terms(known: Known) -> None:
    space, levels, rows, values = known
    truth = np.linalg.lstsq(design_matrix(levels, rows), values, rcond=None)[0]
    table = learn(space, levels, rows, values).terms
    found = dict(zip(map(tuple, table.levels), table.coefficients, strict=True))
    assert found == pytest.approx(dict(zip(map(tuple, levels), truth, strict=True)), abs=1e-9)
    assert table.standard_errors == pytest.approx(np.zeros(len(levels)), abs=1e-9)


@given(known_sums(noise=0.3))
def test_the_order_of_rows_changes_nothing(known: Known) -> None:
    space, levels, rows, values = known
    one, other = learn(space, levels, rows, values), learn(space, levels, rows[::-1], values[::-1])
    assert one.terms.coefficients == pytest.approx(other.terms.coefficients, abs=1e-9)
    assert one.terms.standard_errors == pytest.approx(other.terms.standard_errors, abs=1e-9, nan_ok=True)


@given(known_sums(noise=0.3), st.floats(0.01, 1000.0))
def test_scaling_the_values_scales_influences_and_their_errors(known: Known, factor: float) -> None:
    space, levels, rows, values = known
    one, other = learn(space, levels, rows, values).terms, learn(space, levels, rows, factor * values).terms
    assert other.coefficients == pytest.approx(factor * one.coefficients, rel=1e-9, abs=1e-9 * factor)
    assert other.standard_errors == pytest.approx(factor * one.standard_errors, rel=1e-6, abs=1e-9 * factor)


@given(known_sums(noise=0.3), st.data())
def test_terms_relative_to_any_base_sum_to_every_prediction(known: Known, data: st.DataObject) -> None:
    space, levels, rows, values = known
    model = learn(space, levels, rows, values)
    moved = model.relative_to(data.draw(configurations_of(space)))
    assert summed(moved, rows) == pytest.approx(model.predict(rows), abs=1e-8)
    back = moved.relative_to(space.reference)
    assert back.terms.coefficients == pytest.approx(model.terms.coefficients, abs=1e-8)


@given(known_sums(noise=0.3), st.data())
def test_steps_between_two_configurations_add_up(known: Known, data: st.DataObject) -> None:
    space, levels, rows, values = known
    model = learn(space, levels, rows, values)
    before, after = data.draw(configurations_of(space)), data.draw(configurations_of(space))
    terms = model.between(before, after).terms
    start, end = model.predict(np.stack([before, after]))
    assert terms.where(terms.degrees > 0).coefficients.sum() == pytest.approx(end - start, abs=1e-8)
    assert terms.coefficients[0] == pytest.approx(start, abs=1e-8)


@given(known_sums(noise=0.3), st.data())
def test_the_error_of_a_base_is_that_of_its_prediction(known: Known, data: st.DataObject) -> None:
    """The variance is x (X' X)^-1 x times the residual variance, by the textbook."""
    space, levels, rows, values = known
    design = design_matrix(levels, rows)
    base = data.draw(configurations_of(space))
    row = design_matrix(levels, base[np.newaxis])[0]
    inverse = np.linalg.inv(design.T @ design)
    rest = values - design @ (inverse @ design.T @ values)
    freedom = len(rows) - len(levels)
    expected = np.sqrt(rest @ rest / freedom * (row @ inverse @ row)) if freedom else np.nan
    assert learn(space, levels, rows, values).relative_to(base).terms.standard_errors[0] == pytest.approx(
        expected, abs=1e-9, nan_ok=True
    )


@given(noiseless_times())
def test_all_terms_of_a_full_factorial_are_those_of_the_moebius_transform(times: RegionTimes) -> None:
    """The learned and the composed model agree where both can be had."""
    composed = fit(times)
    space = composed.times.space
    rows = composed.times.configurations
    learned = learn(space, terms_up_to(space, len(space.options)), rows, composed.predict(rows))
    own = {
        tuple(row): value for row, value in zip(learned.terms.levels, learned.terms.coefficients, strict=True)
    }
    for row, value in zip(composed.terms.levels, composed.terms.coefficients, strict=True):
        assert own[tuple(row)] == pytest.approx(value, abs=1e-8)


def pairs() -> OptionSpace:
    """Two switches."""
    return OptionSpace((Option("A", (False, True)), Option("B", (False, True))))


def test_what_configurations_do_not_tell_apart_is_undetermined_not_guessed() -> None:
    """A and B always change together: neither has an influence of its own, both together have."""
    space = pairs()
    rows = np.array([[0, 0], [1, 1], [0, 0], [1, 1]], dtype=np.int8)
    model = learn(space, terms_up_to(space, 1), rows, np.array([1.0, 5.0, 1.0, 5.0]))
    assert model.terms.determined.tolist() == [True, False, False]
    assert np.isnan(model.terms.standard_errors[1:]).all()
    assert model.predict(rows[:2]) == pytest.approx([1.0, 5.0])
    assert np.isnan(model.predict(np.array([[1, 0]], dtype=np.int8))).all()
    together = model.between(rows[0], rows[1])
    assert np.isnan(together.terms.coefficients[1:]).all()


def test_values_that_are_missing_are_left_out() -> None:
    space = pairs()
    rows = every_configuration(space)
    model = learn(space, terms_up_to(space, 1), rows, np.array([1.0, 2.0, 4.0, np.nan]))
    assert model.terms.coefficients == pytest.approx([1.0, 3.0, 1.0])
    assert model.fitted.degrees_of_freedom == 0
    assert np.isnan(model.terms.standard_errors).all()


def test_what_cannot_be_learned_from_is_refused() -> None:
    space = pairs()
    with pytest.raises(LearningError):
        learn(space, terms_up_to(space, 1), every_configuration(space), np.full(4, np.nan))


@given(known_sums(noise=0.3))
def test_left_out_predictions_are_those_of_fits_without_the_row(known: Known) -> None:
    """The closed form against one fit for each row."""
    space, levels, rows, values = known
    found = left_out_predictions(design_matrix(levels, rows), values)
    for row in range(min(len(rows), 12)):
        others = np.arange(len(rows)) != row
        if not others.any():
            continue
        alone = learn(space, levels, rows[others], values[others]).predict(rows[row : row + 1])[0]
        assert found[row] == pytest.approx(alone, abs=1e-7, nan_ok=True)


def test_learned_and_composed_models_are_one_kind() -> None:
    """Pages take either."""
    space = pairs()
    learned = learn(space, terms_up_to(space, 1), every_configuration(space), np.arange(4.0))
    model: TermModel = LocatedModel(learned, {})
    assert model.base.tolist() == [0, 0]
    assert model.shares(0) == {}
    assert model.significant_regions().tolist() == [0] * len(model.terms)
