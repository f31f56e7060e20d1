"""Models whose effects multiply: what their terms and parts say, and when they are chosen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.frozen import frozen
from analytics.influence.learned import learn_linear
from analytics.influence.optimum import optimum
from analytics.influence.scale_choice import choose_terms_and_scale
from analytics.influence.stored import LearnedModel, pack, unpack
from analytics.influence.times import FloatArray
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (False, True)), Option("C", (1, 2, 3))))
EVERY = every_configuration(SPACE)
TERMS = terms_up_to(SPACE, 2)
SWITCHES = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(6)))
MANY = every_configuration(SWITCHES)
seeds = st.integers(0, 2**32 - 1)


def multiplied(seed: int, *, noise: float = 0.02) -> tuple[FloatArray, LearnedModel]:
    """Values of `EVERY` made by random terms of logarithms, and the model of them with some noise."""
    rng = np.random.default_rng(seed)
    truth = np.exp(design_matrix(TERMS, EVERY) @ rng.normal(size=len(TERMS)))
    values = truth * np.exp(noise * rng.normal(size=len(EVERY)))
    return truth, learn_linear(SPACE, TERMS, EVERY, values, is_multiplicative=True)


def by_levels(levels: IntArray, values: FloatArray) -> dict[tuple[int, ...], float]:
    return {tuple(row): value for row, value in zip(levels.tolist(), values.tolist(), strict=True)}


@given(seeds)
def test_values_without_noise_are_predicted_exactly(seed: int) -> None:
    truth, learned = multiplied(seed, noise=0.0)
    assert learned.model.predict(EVERY) == pytest.approx(truth)


@given(seeds, st.integers(0, len(EVERY) - 1))
def test_a_term_of_one_option_is_what_its_change_adds_to_the_base(seed: int, at: int) -> None:
    _, learned = multiplied(seed)
    model = learned.model.relative_to(EVERY[at])
    found = by_levels(model.terms.levels, model.terms.coefficients)
    start = float(model.predict(EVERY[at : at + 1])[0])
    assert found[-1, -1, -1] == pytest.approx(start)
    for option, size in enumerate(SPACE.sizes):
        for level in set(range(size)) - {EVERY[at, option]}:
            changed, term = EVERY[at].copy(), [-1, -1, -1]
            changed[option] = term[option] = level
            assert found[tuple(term)] == pytest.approx(float(model.predict(changed[np.newaxis])[0]) - start)


def test_a_term_of_two_options_is_what_goes_beyond_both() -> None:
    """Alone they make the default twice and three times as slow, together not six but seven times."""
    rows = MANY[(MANY[:, 2:] == 0).all(axis=1)]
    values = np.array([1.0, 2.0, 3.0, 7.0])[rows[:, 0] + 2 * rows[:, 1]]
    terms = terms_up_to(SWITCHES, 2, [0, 1])
    model = learn_linear(SWITCHES, terms, rows, values, is_multiplicative=True).model
    assert model.terms.coefficients == pytest.approx([1.0, 1.0, 2.0, 1.0])


@given(seeds, st.integers(0, len(EVERY) - 1), st.integers(0, len(EVERY) - 1))
def test_parts_between_two_configurations_add_up_to_their_difference(seed: int, one: int, other: int) -> None:
    _, learned = multiplied(seed)
    model = learned.model.between(EVERY[one], EVERY[other])
    ends = model.predict(EVERY[[one, other]])
    assert model.terms.coefficients[0] == pytest.approx(ends[0])
    assert model.terms.coefficients.sum() == pytest.approx(ends[1])


@given(seeds, st.integers(0, len(EVERY) - 1), st.integers(0, len(EVERY) - 1))
def test_standard_errors_follow_the_slopes_of_what_is_told(seed: int, one: int, other: int) -> None:
    """Held against differences: each coefficient of the logarithms is moved a little, one at a time."""
    _, learned = multiplied(seed)
    whole = learned.model.whole
    step = 1e-6

    def moved(model: LearnedModel, at: int, by: float) -> tuple[FloatArray, FloatArray]:
        coefficients = model.model.whole.fitted.coefficients.copy()
        coefficients[at] += by
        again = type(whole)(
            fitted=type(whole.fitted)(
                coefficients, whole.fitted.covariance, whole.fitted.free, whole.fitted.degrees_of_freedom, 1.0
            ),
            levels=whole.levels,
            terms=whole.terms,
        )
        return (
            again.relative_to(EVERY[one]).terms.coefficients,
            again.between(EVERY[one], EVERY[other]).terms.coefficients,
        )

    both = [
        [
            (up - down) / (2 * step)
            for up, down in zip(moved(learned, at, step), moved(learned, at, -step), strict=True)
        ]
        for at in range(len(TERMS))
    ]
    told = whole.relative_to(EVERY[one]).terms, whole.between(EVERY[one], EVERY[other]).terms
    for which, table in enumerate(told):
        slopes = np.array([row[which] for row in both]).T
        variances = np.einsum("ij,jk,ik->i", slopes, whole.fitted.covariance, slopes)
        assert table.standard_errors == pytest.approx(np.sqrt(np.maximum(variances, 0.0)), rel=1e-3, abs=1e-7)


@given(seeds)
def test_a_stored_model_comes_back_as_it_was(seed: int) -> None:
    _, learned = multiplied(seed)
    found = unpack(SPACE, pack(learned))
    assert found.model.is_multiplicative
    assert found.model.predict(EVERY) == pytest.approx(learned.model.predict(EVERY))
    assert found.prediction(10.0) == learned.prediction(10.0)


def test_the_interval_of_a_prediction_reaches_as_far_by_a_factor() -> None:
    rng = np.random.default_rng(1)
    values = np.exp(MANY @ np.array([0.5, 0.2, -0.3, 1.0, 0.0, 0.0]) + 0.05 * rng.normal(size=len(MANY)))
    learned = learn_linear(SWITCHES, terms_up_to(SWITCHES, 1), MANY, values, is_multiplicative=True)
    ten, hundred = learned.prediction(10.0), learned.prediction(100.0)
    assert ten.ends is not None
    assert hundred.ends == pytest.approx([10 * end for end in ten.ends])
    assert ten.ends[0] * ten.ends[1] == pytest.approx(100.0)
    assert 1.05 < ten.ends[1] / 10.0 < 1.2
    assert (ten.margin, ten.may_be_zero, ten.is_significant) == (None, False, True)


@pytest.mark.parametrize("largest", [False, True])
@given(seed=seeds)
def test_the_best_configuration_is_the_one_that_brute_force_finds(*, seed: int, largest: bool) -> None:
    _, learned = multiplied(seed)
    valid = ValidConfigurations.unconstrained(SPACE)
    found = optimum(learned.model, valid, largest=largest, listed=0)
    values = learned.model.predict(EVERY)
    assert found is not None
    assert found.value == pytest.approx(values.max() if largest else values.min())


def test_a_frozen_model_says_that_its_terms_multiply() -> None:
    _, learned = multiplied(3)
    kept = frozen(learned.model, learned.margin)
    assert kept.is_multiplicative
    assert np.exp(sum(term.coefficient for term in kept.terms if not term.levels)) == pytest.approx(
        float(learned.model.predict(EVERY[:1])[0])
    )


def test_values_that_are_not_above_zero_are_left_out() -> None:
    """A run that is restored may bring one to a model that was chosen without it."""
    values = np.exp(MANY @ np.linspace(0.5, 1.0, 6))
    values[5] = 0.0
    terms = terms_up_to(SWITCHES, 1)
    whole = learn_linear(SWITCHES, terms, MANY, values, is_multiplicative=True)
    rest = np.arange(len(MANY)) != 5
    other = learn_linear(SWITCHES, terms, MANY[rest], values[rest], is_multiplicative=True)
    assert whole.configurations == len(MANY) - 1
    assert whole.model.predict(MANY) == pytest.approx(other.model.predict(MANY))


def scale_of(values: FloatArray) -> bool:
    return choose_terms_and_scale(SWITCHES, MANY, values).is_multiplicative


# A choice is four searches and four times ten without a part.
@settings(max_examples=10)
@given(seeds)
def test_effects_that_multiply_are_told_from_those_that_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    effects = MANY @ rng.uniform(0.5, 1.0, size=6)
    noise = 1 + 0.01 * rng.normal(size=(len(MANY), 2))
    assert scale_of(np.exp(effects)[:, np.newaxis] * noise)
    assert not scale_of((1.0 + effects)[:, np.newaxis] * noise)


def test_a_value_that_is_not_above_zero_leaves_sums() -> None:
    values = np.exp(MANY @ np.linspace(0.5, 1.0, 6))[:, np.newaxis]
    values[5] = 0.0
    assert not scale_of(values)


def test_where_nothing_predicts_effects_add_up() -> None:
    """One configuration leaves none to predict it by."""
    found = choose_terms_and_scale(SWITCHES, MANY[:1], np.array([[2.0]]))
    assert not found.is_multiplicative
