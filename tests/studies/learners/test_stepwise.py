"""Stepwise regression, against statsmodels."""

from itertools import combinations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray
from studies.evaluation.approaches import count_terms
from studies.learners.stepwise import Stepwise

RNG = np.random.default_rng(0)


def switches(count: int) -> OptionSpace:
    """So many binary options."""
    return OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(count)))


def naive(levels: IntArray, design: FloatArray, values: FloatArray) -> frozenset[int]:
    """The same search with a fresh fit of statsmodels for every test."""
    options = [frozenset(np.flatnonzero(row >= 0).tolist()) for row in levels]
    model = {number for number, own in enumerate(options) if len(own) <= 1}

    def fit(terms: set[int]) -> sm.regression.linear_model.RegressionResults:
        return sm.OLS(values, design[:, sorted(terms)]).fit()

    while True:
        outside = [
            number
            for number, own in enumerate(options)
            if number not in model
            and all(
                frozenset(part) in {options[term] for term in model}
                for part in combinations(own, len(own) - 1)
            )
        ]
        now = fit(model)
        entering = {number: fit(model | {number}).compare_f_test(now)[1] for number in outside}
        best = min(entering, key=lambda number: entering[number], default=None)
        if best is not None and entering[best] < 0.05:
            model.add(best)
            continue
        free = [
            number
            for number in model
            if number and not any(options[number] < options[other] for other in model)
        ]
        leaving = {number: now.compare_f_test(fit(model - {number}))[1] for number in free}
        worst = max(leaving, key=lambda number: leaving[number], default=None)
        if worst is None or leaving[worst] <= 0.10:
            return frozenset(model)
        model.remove(worst)


def chosen(fitted: TermTable, levels: IntArray) -> frozenset[int]:
    """Which rows of `levels` are in the model."""
    rows = {row.tobytes() for row in fitted.levels}
    return frozenset(number for number, row in enumerate(levels) if row.tobytes() in rows)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_terms_and_coefficients_as_by_a_fresh_fit_for_every_test(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = switches(5)
    configurations = np.repeat(ValidConfigurations.unconstrained(space).enumerate(32), 2, axis=0)
    levels = terms_up_to(space, 2)
    design = design_matrix(levels, configurations)
    true = np.where(rng.random(len(levels)) < 0.4, rng.normal(0, 5, len(levels)), 0)
    values = design @ true + rng.normal(0, 2, len(design))
    fitted = Stepwise().fit(configurations, values, space, rng)
    terms = naive(levels, design, values)
    assert chosen(fitted, levels) == terms
    expected = sm.OLS(values, design[:, sorted(terms)]).fit().params
    np.testing.assert_allclose(fitted.coefficients, expected, atol=1e-9)


@given(seed=st.integers(0, 2**32 - 1))
def test_noiseless_interactions_are_found_and_hierarchy_is_kept(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = OptionSpace((*switches(4).options, Option("L", ("zlib", "lz4", "zstd"))))
    configurations = ValidConfigurations.unconstrained(space).sample(40, rng)
    levels = terms_up_to(space, 2)
    true = np.zeros(len(levels))
    true[rng.choice(len(levels), 4, replace=False)] = [3.0, -2.0, 5.0, 1.0]
    fitted = Stepwise().fit(configurations, design_matrix(levels, configurations) @ true, space, rng)
    every = ValidConfigurations.unconstrained(space).enumerate(1000)
    np.testing.assert_allclose(fitted.predict(every), design_matrix(levels, every) @ true, atol=1e-6)
    inside = {frozenset((p, int(v)) for p, v in enumerate(row) if v >= 0) for row in fitted.levels}
    assert all(own - {part} in inside for own in inside if len(own) == 2 for part in own)


def test_without_a_degree_of_freedom_the_start_is_the_model() -> None:
    space = switches(6)
    alone = np.eye(6, dtype=np.int8)
    values = np.arange(1.0, 7.0)
    fitted = Stepwise().fit(alone, values, space, RNG)
    np.testing.assert_allclose(fitted.predict(alone), values)
    assert len(fitted) == 7


def test_an_option_that_never_changed_gets_no_influence() -> None:
    space = switches(3)
    configurations = ValidConfigurations.unconstrained(switches(2)).enumerate(4).repeat(5, axis=0)
    configurations = np.column_stack([configurations, np.zeros(20, dtype=np.int8)])
    values = 10 + 5.0 * configurations[:, 0] + np.random.default_rng(2).normal(0, 0.1, 20)
    fitted = Stepwise().fit(configurations, values, space, RNG)
    alone = np.array([[0, 0, 1]], dtype=np.int8)
    np.testing.assert_allclose(fitted.predict(alone), fitted.predict(np.zeros((1, 3), dtype=np.int8)))


def test_values_that_are_all_equal_leave_the_intercept() -> None:
    space = switches(3)
    every = ValidConfigurations.unconstrained(space).enumerate(8)
    fitted = Stepwise().fit(every, np.full(8, 4.0), space, RNG)
    np.testing.assert_allclose(fitted.predict(every), 4.0)
    assert count_terms(fitted, 0.01) == 1
