"""Models of noise-free counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.influence.errors import InfluenceError
from analytics.influence.hybrid.data import CountedSample
from analytics.influence.hybrid.model import CountModel
from analytics.influence.hybrid.projections import ExactTables, differs_inside, exact_terms
from analytics.influence.hybrid.relaxed import Columns
from analytics.influence.terms import TermTable
from tests.analytics.influence.hybrid.programs import EVERY, PROGRAM, SPACE, TAINTS, counts_of, runs_of, some

NAMES = ("one:foo", "one:main", "two:bar")


@given(st.integers(0, 2**31 - 1))
@settings(max_examples=25, deadline=None)
def test_counts_of_few_options_are_told_exactly(seed: int) -> None:
    """57 of 64 configurations see every cell of three options: all others are predicted exactly, region by region."""
    model = CountModel(runs_of(some(57, seed)), TAINTS)
    truth = counts_of(PROGRAM, EVERY) @ runs_of(EVERY).membership()
    assert model.runs.names == NAMES
    assert model.predict(EVERY) == pytest.approx(truth)
    assert {model.runs.regions[site]: one.options for one in model.fits for site in one.sites} == TAINTS


def test_the_whole_is_the_sum_of_its_terms() -> None:
    """The sum of the coefficients and the sum over regions are the same model."""
    model = CountModel(runs_of(some(24)), TAINTS)
    total = TermTable.without_errors(SPACE, model.levels, model.coefficients.sum(axis=0))
    assert total.predict(EVERY) == pytest.approx(model.predict(EVERY).sum(axis=1))


def test_an_option_that_the_taints_missed_is_found_by_counts() -> None:
    """Bar depends on C too: with A and B alone as candidates two runs of one cell differ, and all options are tried."""
    model = CountModel(runs_of(some(32)), TAINTS | {"two:bar": frozenset({0, 1})})
    tried = {model.runs.regions[site]: one.options for one in model.fits for site in one.sites}
    assert tried == TAINTS | {"two:bar": frozenset(range(len(SPACE.options)))}
    assert model.predict(EVERY).sum(axis=1) == pytest.approx(counts_of(PROGRAM, EVERY).sum(axis=1))


def test_a_region_that_nothing_taints_and_that_never_varies_is_a_constant() -> None:
    """No candidates are needed for it, and none are looked for."""
    model = CountModel(runs_of(some(8), (("m:f", {"": 9}),)), {})
    assert (model.predict(EVERY) == 9).all()
    assert [one.method for one in model.fits] == ["constant"]


def test_taints_that_miss_an_option_never_exclude_it() -> None:
    """Foo depends on B, which no taint says; no two of ten runs agree on A alone and differ, and B is found all the same."""
    rows = EVERY[(EVERY[:, 0] == EVERY[:, 1]) | (EVERY[:, 2] == 1)]
    rows = np.unique(rows[np.random.default_rng(0).permutation(len(rows))[:24]], axis=0)
    taints: tuple[dict[str, frozenset[int]] | None, ...] = (
        {"m:f": frozenset({0})},
        {"m:f": frozenset()},
        None,
    )
    for tainted in taints:
        model = CountModel(runs_of(rows, (("m:f", {"": 4, "B": 9}),)), tainted)
        assert model.predict(EVERY)[:, 0] == pytest.approx(4 + 9 * EVERY[:, 1])


def test_of_equal_evidence_the_tainted_option_is_taken() -> None:
    """A and B always changed together: A alone is tainted, so that all of what they do is A's."""
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]]
    model = CountModel(runs_of(rows, (("m:f", {"A": 10, "": 2}),)), {"m:f": frozenset({0, 2})})
    assert model.predict(EVERY)[:, 0] == pytest.approx(2 + 10 * EVERY[:, 0])


def test_candidates_that_matter_to_nothing_change_nothing() -> None:
    """More taint than need be costs no accuracy where counts tell."""
    wide = {region: options | {4, 5} for region, options in TAINTS.items()}
    assert CountModel(runs_of(some(32)), wide).predict(EVERY) == pytest.approx(
        CountModel(runs_of(some(32)), TAINTS).predict(EVERY)
    )


def test_patterns_are_shared_by_counters_that_are_multiples_of_each_other() -> None:
    """The second counter is three times the first: one fit for both."""
    model = CountModel(runs_of(some(32), (("m:f", {"A": 2, "": 4}), ("m:f", {"A": 3, "": 6}))), None)
    (only,) = model.fits
    assert only.scales.tolist() == [2.0, 3.0]
    assert only.pattern.tolist() == (2.0 + some(32)[:, 0]).tolist()


def test_more_options_than_a_table_holds_are_learned_by_the_lasso() -> None:
    """A sum over six options and one pair is no table over three; 40 of 64 configurations learn it within 1 %."""
    parts = {"": 100, "A": 1, "B": 2, "C": 3, "D": 4, "E": 5, "F": 6, "AF": 20}
    model = CountModel(runs_of(some(40), (("m:f", parts),)), None)
    assert [one.method for one in model.fits] == ["learned"]
    assert model.predict(EVERY)[:, 0] == pytest.approx(counts_of((("m:f", parts),), EVERY)[:, 0], rel=0.01)


def test_equally_good_tables_share_what_they_explain() -> None:
    """A and B always changed together: half of what they do goes to each."""
    rows = EVERY[EVERY[:, 0] == EVERY[:, 1]]
    assert ExactTables(SPACE, rows).exact(rows[:, 0] * 10.0, {0, 1, 2}) == [(0,), (1,)]
    model = CountModel(runs_of(rows, (("m:f", {"A": 10, "": 2}),)), None)
    singles = {
        tuple(row): value for row, value in zip(model.levels.tolist(), model.coefficients[0], strict=True)
    }
    assert singles[1, -1, -1, -1, -1, -1] == singles[-1, 1, -1, -1, -1, -1] == 5


def test_a_table_that_was_not_seen_whole_is_none() -> None:
    """A & B never both on: what they do together is unknown, so it is no exact table."""
    rows = EVERY[~(EVERY[:, 0] & EVERY[:, 1]).astype(bool)]
    values = (rows[:, 0] | rows[:, 1]).astype(float)
    assert ExactTables(SPACE, rows).exact(values, {0, 1}) == []


def test_terms_of_a_table_are_differences_against_the_reference() -> None:
    """Fig. 2's bar: 5 + 15A + 10C + 30AC."""
    values = counts_of(PROGRAM, EVERY)[:, 3].astype(float)
    levels, coefficients = exact_terms(SPACE, EVERY, values, (0, 2))
    assert coefficients.tolist() == [5, 10, 15, 30]
    assert levels[3].tolist() == [1, -1, 1, -1, -1, -1]


def test_runs_of_one_cell_that_differ_prove_a_missing_option() -> None:
    """And runs that agree prove nothing."""
    values = EVERY[:, 1].astype(float)
    assert differs_inside(EVERY, values, {0})
    assert not differs_inside(EVERY, values, {1})
    assert not differs_inside(EVERY, np.ones(len(EVERY)), set())


@given(st.integers(0, 2**31 - 1))
@settings(max_examples=20, deadline=None)
def test_the_relaxed_lasso_finds_few_terms_without_noise(seed: int) -> None:
    """Two of twenty columns make the values: they are found, and least squares is taken unshrunk."""
    rng = np.random.default_rng(seed)
    columns = rng.normal(size=(40, 20))
    found = Columns(columns).relaxed_lasso(3 + 5 * columns[:, 2] - 4 * columns[:, 7])
    assert found.coefficients[[2, 7]] == pytest.approx([5, -4], abs=1e-3)
    assert np.abs(np.delete(found.coefficients, [2, 7])).max() < 1e-3


def test_few_values_have_their_mean() -> None:
    """Four values make no five folds."""
    found = Columns(np.arange(8.0).reshape(4, 2)).relaxed_lasso(np.array([1.0, 2, 3, 6]))
    assert (found.intercept, found.coefficients.tolist()) == (3.0, [0.0, 0.0])


@pytest.mark.parametrize(
    ("counts", "seconds", "said"),
    [
        (np.zeros((3, 2), dtype=np.int64), None, r"expected \(4, 2\)"),
        (np.full((4, 2), -1), None, "none below 0"),
        (np.zeros((4, 2), dtype=np.int64), np.array([1.0, 0.0, 1.0, 1.0]), "above 0"),
        (np.zeros((4, 2), dtype=np.int64), np.array([1.0]), "one per configuration"),
    ],
)
def test_runs_that_do_not_fit_together_are_refused(
    counts: np.ndarray, seconds: np.ndarray | None, said: str
) -> None:
    """With what was expected."""
    with pytest.raises(InfluenceError, match=said):
        CountedSample(SPACE, EVERY[:4], counts, ("m:f", "m:g"), seconds)


def test_one_configuration_is_no_data() -> None:
    """Nothing varies in it."""
    with pytest.raises(InfluenceError, match="1 configurations"):
        runs_of(EVERY[:1])


def test_columns_that_say_nothing_or_the_same_do_no_harm() -> None:
    """A constant column, one twice, and one with its opposite: predictions are exact still."""
    rng = np.random.default_rng(5)
    one, two = rng.integers(0, 2, size=(2, 24)).astype(float)
    columns = np.column_stack([np.ones(24), one, one, 1 - one, two, one * two])
    found = Columns(columns).relaxed_lasso(2 + 3 * one + 4 * one * two)
    assert found.intercept + columns @ found.coefficients == pytest.approx(
        2 + 3 * one + 4 * one * two, rel=0.01
    )
