"""Learners, against scikit-learn used by hand."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import ElasticNet, Lasso, LinearRegression
from sklearn.preprocessing import PolynomialFeatures
from sklearn.tree import DecisionTreeRegressor

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.evaluation import LEARNER_TITLES, ApproachSettings
from analytics.influence.accuracy import mape
from analytics.influence.errors import InfluenceError
from analytics.influence.terms import TermTable
from studies.evaluation.approaches import count_terms
from studies.learners.registry import LEARNERS
from studies.learners.trees import TreeFit, numbered
from tests.analytics.comprex import read_system

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCDEF"))
MIXED = OptionSpace(
    (*SPACE.options[:2], Option("level", (1, 2, 9)), Option("codec", ("zlib", "lz4", "zstd")))
)


@pytest.fixture
def made() -> tuple[np.ndarray, np.ndarray]:
    """Forty configurations of `SPACE` with noisy values."""
    rng = np.random.default_rng(1)
    configurations = ValidConfigurations.unconstrained(SPACE).sample(40, rng)
    a, b, c = configurations[:, :3].T
    return configurations, 20 + 5.0 * a - 3 * b + 8 * a * c + rng.normal(0, 1, 40)


@pytest.mark.parametrize(
    ("name", "estimator", "degree"),
    [
        ("linear", LinearRegression(), 1),
        ("pair-wise-linear", LinearRegression(), 2),
        ("lasso", Lasso(), 1),
        ("pair-wise-lasso", Lasso(), 2),
        ("elastic-net", ElasticNet(), 1),
    ],
)
def test_linear_learners_are_scikit_learns_with_its_defaults(
    made: tuple[np.ndarray, np.ndarray], name: str, estimator: LinearRegression, degree: int
) -> None:
    configurations, values = made
    every = ValidConfigurations.unconstrained(SPACE).enumerate(64)
    pairs = PolynomialFeatures(degree, interaction_only=True, include_bias=False)
    expected = estimator.fit(pairs.fit_transform(configurations), values).predict(pairs.transform(every))
    fitted = LEARNERS[name].fit(configurations, values, SPACE, np.random.default_rng(0))
    assert isinstance(fitted, TermTable)
    np.testing.assert_allclose(fitted.predict(every), expected, atol=1e-8)
    assert count_terms(fitted, 0) == 1 + np.count_nonzero(np.abs(estimator.coef_) > 1e-9)


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("cart", DecisionTreeRegressor()),
        ("cart-6", DecisionTreeRegressor(max_depth=6)),
        ("random-forest", RandomForestRegressor()),
    ],
)
def test_trees_are_scikit_learns_with_its_defaults(
    made: tuple[np.ndarray, np.ndarray], name: str, estimator: DecisionTreeRegressor
) -> None:
    configurations, values = made
    estimator.set_params(random_state=int(np.random.default_rng(7).integers(2**31)))
    expected = estimator.fit(configurations, values).predict(configurations)
    fitted = LEARNERS[name].fit(configurations, values, SPACE, np.random.default_rng(7))
    assert isinstance(fitted, TreeFit)
    np.testing.assert_allclose(fitted.predict(configurations), expected)


def test_trees_see_numbers_as_numbers_and_other_levels_apart() -> None:
    rows = np.array([[0, 1, 2, 2], [1, 0, 0, 0]])
    assert numbered(MIXED, rows).tolist() == [[0, 1, 9, 0, 1], [1, 0, 1, 0, 0]]


@given(seed=st.integers(0, 2**32 - 1), order=st.permutations(range(30)))
def test_the_order_of_rows_changes_no_unpenalised_linear_model(seed: int, order: list[int]) -> None:
    rng = np.random.default_rng(seed)
    configurations = ValidConfigurations.unconstrained(MIXED).sample(30, rng)
    values = rng.uniform(1, 9, 30)
    every = ValidConfigurations.unconstrained(MIXED).enumerate(100)
    one = LEARNERS["linear"].fit(configurations, values, MIXED, rng)
    other = LEARNERS["linear"].fit(configurations[order], values[order], MIXED, rng)
    np.testing.assert_allclose(one.predict(every), other.predict(every), atol=1e-8)
    scaled = LEARNERS["linear"].fit(configurations, values * 1000, MIXED, rng)
    np.testing.assert_allclose(scaled.predict(every), one.predict(every) * 1000, atol=1e-4)


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_bears_one_value_and_gives_the_same_for_the_same_seed(name: str) -> None:
    entry = LEARNERS[name]
    one = entry.fit(np.zeros((1, 4), np.int8), np.array([3.0]), MIXED, np.random.default_rng(0))
    every = ValidConfigurations.unconstrained(MIXED).enumerate(100)
    np.testing.assert_allclose(one.predict(every), 3.0)
    rng = np.random.default_rng(3)
    configurations, values = ValidConfigurations.unconstrained(MIXED).sample(20, rng), rng.uniform(1, 9, 20)
    again = [entry.fit(configurations, values, MIXED, np.random.default_rng(5)).predict(every) for _ in "ab"]
    np.testing.assert_array_equal(again[0], again[1])


def test_a_chosen_penalty_suits_values_of_any_size(made: tuple[np.ndarray, np.ndarray]) -> None:
    """A penalty of 1.0 in seconds leaves nothing of milliseconds."""
    configurations, values = made
    rng = np.random.default_rng(0)
    small = LEARNERS["lasso"].fit(configurations, values / 1000, SPACE, rng)
    chosen = LEARNERS["lasso-chosen"].fit(configurations, values / 1000, SPACE, rng)
    assert count_terms(small, 0) == 1
    assert (count_terms(chosen, 0) or 0) > 3


def test_an_unknown_learner_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(InfluenceError, match=r"known are linear, .*random-forest"):
        ApproachSettings(learners=("oracle",)).check_names()


def test_each_learner_has_a_title_and_each_title_a_learner() -> None:
    assert list(LEARNERS) == list(LEARNER_TITLES)


@pytest.mark.parametrize(
    ("system", "name", "size", "published"),
    [
        ("lucene", "stepwise", 200, 2.9),
        ("lucene", "random-forest", 200, 0.3),
        ("lucene", "linear", 50, 5.2),
        ("density", "stepwise", 200, 434.5),
        ("density", "random-forest", 200, 5.5),
    ],
)
def test_errors_are_of_the_magnitude_that_the_paper_prints(
    reference_data: Path, system: str, name: str, size: int, published: float
) -> None:
    """Velez et al., ICSE 2021, Table III and appendix: from other samples, so within a factor of 2.5."""
    measured = read_system(reference_data / "comprex" / system)
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(measured.truth))
        train, test = order[:size], order[size:]
        fitted = LEARNERS[name].fit(
            measured.configurations[train], measured.truth[train], measured.times.space, rng
        )
        errors.append(mape(fitted.predict(measured.configurations[test]), measured.truth[test]))
    assert published / 2.5 < np.median(errors) < published * 2.5


@pytest.mark.parametrize(
    ("name", "estimator"),
    [
        ("boosting-log", GradientBoostingRegressor(random_state=4)),
        ("cart-log", DecisionTreeRegressor(random_state=4)),
    ],
)
def test_learners_of_logarithms_are_scikit_learns_of_logarithms(
    made: tuple[np.ndarray, np.ndarray], name: str, estimator: DecisionTreeRegressor
) -> None:
    configurations, values = made
    every = ValidConfigurations.unconstrained(SPACE).enumerate(64)

    class Seeds(np.random.Generator):
        """Seeds every estimator with 4."""

        def integers(self, *_: object, **__: object) -> int:  # type: ignore[override]
            return 4

    found = LEARNERS[name].fit(configurations, values, SPACE, Seeds(np.random.PCG64(0))).predict(every)
    columns = numbered(SPACE, configurations)
    expected = np.exp(estimator.fit(columns, np.log(values)).predict(numbered(SPACE, every)))
    np.testing.assert_allclose(found, expected)


def test_logarithms_tell_factors_and_stay_within_ten_times_what_was_seen() -> None:
    """Four options each multiply by ten; the configuration with all of them was not among the eight."""
    space = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
    every = ValidConfigurations.unconstrained(space).enumerate(16)
    values = 10.0 ** every.sum(axis=1)
    some = every[every.sum(axis=1) <= 2]
    fitted = LEARNERS["pair-wise-lasso-log"].fit(
        some, 10.0 ** some.sum(axis=1), space, np.random.default_rng(0)
    )
    predicted = fitted.predict(every)
    assert predicted.max() <= 1000 * (1 + 1e-9)
    three = every.sum(axis=1) == 3
    assert np.abs(np.log10(predicted[three] / values[three])).max() < 0.5


def test_divided_configurations_have_a_model_each() -> None:
    """With A off nothing else matters, with A on B and C do: one division each, told exactly by either model."""
    every = ValidConfigurations.unconstrained(SPACE).enumerate(64)
    values = np.where(every[:, 0], 100.0 * (1 + every[:, 1]) * (1 + 3 * every[:, 2]), 1.0)
    rows = np.random.default_rng(2).permutation(64)[:48]
    fitted = LEARNERS["divide-and-learn"].fit(every[rows], values[rows], SPACE, np.random.default_rng(0))
    assert mape(fitted.predict(every), values) < 2
