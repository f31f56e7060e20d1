"""Terms are chosen the way that predicts best; options that matter a little each are found."""

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.learned import learn_linear
from analytics.influence.scale_choice import choose_terms_and_scale
from analytics.influence.term_choice import choose_terms
from analytics.influence.term_evidence import StepwiseFit
from analytics.influence.term_pruning import FittedTerms
from analytics.influence.times import FloatArray

SWITCHES = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(20)))
# Twenty options that add a little each: none stands out of what the others make.
INFLUENCES = np.linspace(1.0, 10.0, 20) * np.where(np.arange(20) % 3 == 0, -1.0, 1.0)


def measured(count: int, seed: int = 4) -> tuple[IntArray, FloatArray]:
    """So many configurations, drawn at random, and what they take, with noise of 1 %."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2, (count, 20)).astype(np.int8)
    return rows, (100.0 + rows @ INFLUENCES) * np.exp(0.01 * rng.normal(size=count))


def test_many_options_that_matter_a_little_each_are_found() -> None:
    rows, values = measured(42)
    others, _ = measured(400, seed=5)
    truth = 100.0 + others @ INFLUENCES
    found = choose_terms_and_scale(SWITCHES, rows, values[:, np.newaxis])
    model = learn_linear(
        SWITCHES,
        found.levels,
        rows,
        values,
        without_parts=found.without_parts,
        is_multiplicative=found.is_multiplicative,
    )
    assert np.abs(model.model.predict(others) / truth - 1.0).mean() < 0.03
    assert model.quality.error is not None
    assert model.quality.error < 5.0


def test_a_search_from_no_term_does_not_see_them() -> None:
    rows, values = measured(42)
    one = choose_terms(SWITCHES, rows, values[:, np.newaxis])
    other = choose_terms(SWITCHES, rows, values[:, np.newaxis], from_all_levels=True)
    assert len(one) < 6
    assert len(np.unique(np.nonzero(other != -1)[1])) >= 18


def test_where_levels_are_not_told_apart_the_search_begins_without_a_term() -> None:
    rows, values = measured(22)
    one, other = (
        choose_terms(SWITCHES, rows, values[:, np.newaxis], from_all_levels=way) for way in (False, True)
    )
    assert one.tolist() == other.tolist()
    said: list[str] = []
    found = choose_terms_and_scale(
        SWITCHES, rows, values[:, np.newaxis], tell=lambda _share, words: said.append(words)
    )
    # Nothing is searched twice.
    assert (found.from_all_levels, said[-1].partition("way ")[2]) == (False, "2 of 2")


def test_there_are_never_nearly_as_many_terms_as_configurations() -> None:
    rows, values = measured(30)
    assert 15 < len(choose_terms(SWITCHES, rows, values[:, np.newaxis], from_all_levels=True)) <= 21


def test_few_terms_are_kept_where_all_levels_predict_no_better() -> None:
    rng = np.random.default_rng(3)
    rows = rng.integers(0, 2, (60, 20)).astype(np.int8)
    values = (100.0 + 40.0 * rows[:, 0]) * np.exp(0.01 * rng.normal(size=60))
    found = choose_terms_and_scale(SWITCHES, rows, values[:, np.newaxis])
    assert np.flatnonzero((found.levels != -1).any(axis=0)).tolist() == [0]


def test_a_term_is_left_out_as_if_it_had_never_been_there() -> None:
    rows, values = measured(42)
    terms = choose_terms(SWITCHES, rows, values[:, np.newaxis], from_all_levels=True)
    side = StepwiseFit(rows, np.column_stack([values, values[::-1]]))
    one = FittedTerms.of(terms, side).without(3)
    other = FittedTerms.of(np.delete(terms, 3, axis=0), side)
    np.testing.assert_allclose(one.coefficients, other.coefficients, rtol=1e-8)
    np.testing.assert_allclose(one.sums, other.sums, rtol=1e-8)
    np.testing.assert_allclose(one.losses(), other.losses(), rtol=1e-6)
