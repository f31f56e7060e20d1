"""Forward selection finds what measurements are made of."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.design import design_matrix
from analytics.influence.errors import LearningError
from analytics.influence.term_choice import ROWS, choose_terms
from analytics.influence.times import FloatArray
from tests.analytics.strategies import every_configuration

SPACE = OptionSpace((*(Option(name, (False, True)) for name in "ABCDE"), Option("level", (1, 2, 3))))
EVERY = every_configuration(SPACE)


def rows_of(terms: list[dict[str, int]]) -> IntArray:
    """Terms as rows of levels."""
    rows = np.full((len(terms), len(SPACE.options)), -1, dtype=np.int8)
    for row, term in zip(rows, terms, strict=True):
        for name, level in term.items():
            row[SPACE.position(name)] = level
    return rows


TRUE = rows_of(
    [{}, {"A": 1}, {"C": 1}, {"level": 2}, {"A": 1, "B": 1}, {"A": 1, "C": 1}, {"C": 1, "level": 2}]
)


def values_of(terms: IntArray, revisions: int, noise: float, seed: int = 7) -> FloatArray:
    """Values of every configuration at some revisions, whose coefficients drift."""
    rng = np.random.default_rng(seed)
    truth = rng.uniform(1.0, 3.0, size=(len(terms), revisions)) * rng.choice(
        [-1.0, 1.0], size=(len(terms), 1)
    )
    values: FloatArray = 20 + design_matrix(terms, EVERY) @ truth
    return values + noise * rng.normal(size=values.shape)


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_true_terms_are_found(noise: float) -> None:
    found = choose_terms(SPACE, EVERY, values_of(TRUE, 4, noise))
    assert found.tolist() == TRUE.tolist()


@given(st.integers(0, 2**32 - 1))
def test_pure_noise_has_hardly_ever_a_term(seed: int) -> None:
    values = np.random.default_rng(seed).normal(10.0, 1.0, size=(len(EVERY), 3))
    assert len(choose_terms(SPACE, EVERY, values)) <= 3


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 1000.0))
@example(30943, 1.0)  # two candidates with equal gains but for rounding
def test_neither_the_order_of_rows_nor_the_unit_matters(seed: int, factor: float) -> None:
    values = values_of(TRUE, 3, 0.3, seed)
    order = np.random.default_rng(seed).permutation(len(EVERY))
    one = choose_terms(SPACE, EVERY, values)
    other = choose_terms(SPACE, EVERY[order], factor * values[order])
    assert one.tolist() == other.tolist()


def test_revisions_that_measured_different_configurations_share_their_terms() -> None:
    values = values_of(TRUE, 4, 0.2)
    half = np.arange(len(EVERY)) % 3 > 0
    values[~half, 2:] = np.nan
    found = choose_terms(SPACE, EVERY, values)
    assert found.tolist() == TRUE.tolist()


def test_a_revision_with_one_configuration_takes_no_term_away() -> None:
    values = values_of(TRUE, 3, 0.2)
    values[1:, 2:] = np.nan
    found = choose_terms(SPACE, EVERY, values)
    assert found.tolist() == TRUE.tolist()


def test_options_that_always_change_together_give_one_term() -> None:
    """The first of them stands for both: the other adds nothing that it would not."""
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]]
    values = 10.0 + 4.0 * rows[:, :1] + np.random.default_rng(1).normal(0, 0.1, size=(len(rows), 1))
    found = choose_terms(SPACE, rows, values)
    assert found.tolist() == rows_of([{}, {"A": 1}]).tolist()


def test_one_odd_level_is_one_term_also_where_it_is_the_reference() -> None:
    """Else each of the others would need a term, and none of them would be worth its price alone."""
    rows = EVERY.copy()
    values = 10.0 + 30.0 * (rows[:, 5:] == 0) + np.random.default_rng(1).normal(0, 1.0, size=(len(rows), 2))
    found = choose_terms(SPACE, rows, values)
    assert found.tolist() == rows_of([{}, {"level": 0}]).tolist()


def test_limits_hold() -> None:
    values = values_of(TRUE, 4, 0.01)
    assert len(choose_terms(SPACE, EVERY, values, most=3)) <= 3
    assert (choose_terms(SPACE, EVERY, values, degree=1) != -1).sum(axis=1).max() == 1


def test_a_few_thousand_of_many_configurations_tell_the_terms() -> None:
    values = np.tile(values_of(TRUE, 2, 0.0), (50, 1))
    rows = np.tile(EVERY, (50, 1))
    values += 0.2 * np.random.default_rng(3).normal(size=values.shape)
    assert len(rows) > ROWS
    assert choose_terms(SPACE, rows, values).tolist() == TRUE.tolist()
    assert len(choose_terms(SPACE, rows, values, rows=1)) == 1


def test_nothing_measured_is_refused() -> None:
    with pytest.raises(LearningError, match="at least one"):
        choose_terms(SPACE, EVERY, np.full((len(EVERY), 1), np.nan))
