"""Counters that are multiples of other counters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.hybrid.data import CountedSample
from analytics.influence.hybrid.model import CountModel
from analytics.influence.hybrid.products import multiplied

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCDEFGH"))
LEVELS = OptionSpace((Option("A", (False, True)), Option("size", (1, 2, 3)), Option("C", (False, True))))


def _nested(seed: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Texts by three options, rules by three others, and a loop over rules inside of one over texts."""
    rows = np.random.default_rng(seed).integers(0, 2, (n, 8)).astype(np.int8)
    a, b, c, d, e, f = rows[:, :6].T.astype(int)
    texts = 20 + 9 * a + 7 * b + 5 * c + 6 * a * b
    rules = 10 + 4 * d + 3 * e + 2 * f
    return rows, np.column_stack([texts, rules, texts * rules])


def test_a_loop_inside_of_a_loop_is_told_exactly() -> None:
    """Forty runs see the two tables of three options; turns over six options are their product, and told as exactly."""
    rows, counts = _nested(1, 40)
    others, truth = _nested(2, 100)
    model = CountModel(CountedSample(SPACE, rows, counts, ("m:texts", "m:rules", "m:turns")), None)
    assert sorted(one.method for one in model.fits) == ["exact", "exact", "product"]
    assert model.predict(others)[:, model.runs.names.index("m:turns")] == pytest.approx(truth[:, 2], rel=1e-3)


def test_without_its_factors_the_same_loop_is_told_worse() -> None:
    """The same turns alone: the runs are too few for a sum of so many terms."""
    rows, counts = _nested(1, 40)
    others, truth = _nested(2, 100)
    model = CountModel(CountedSample(SPACE, rows, counts[:, 2:], ("m:turns",)), None)
    assert [one.method for one in model.fits] == ["learned"]
    errors = np.abs(model.predict(others)[:, 0] / truth[:, 2] - 1)
    assert errors.mean() > 0.005


def test_only_candidates_make_a_product() -> None:
    """Turns that no option taints but those of the texts are a multiple of the texts over these options alone."""
    rows, counts = _nested(3, 40)
    turns = counts[:, :1] * (3 + rows[:, :1].astype(int)) * (2 + rows[:, 6:7].astype(int))
    tainted = {"m:texts": frozenset({0, 1, 2}), "m:turns": frozenset({0, 1, 2, 6})}
    model = CountModel(
        CountedSample(SPACE, rows, np.column_stack([counts[:, 0], turns]), ("m:texts", "m:turns")), tainted
    )
    touched = {int(place) for one in model.fits for row in one.levels for place in np.flatnonzero(row >= 0)}
    assert touched == {0, 1, 2, 6}


@given(st.integers(0, 2**31 - 1))
@settings(max_examples=30, deadline=None)
def test_a_product_of_sums_is_a_sum_of_terms(seed: int) -> None:
    """Everywhere, also where both have terms of one option with several levels."""
    rng = np.random.default_rng(seed)
    some, others = (
        (terms_up_to(LEVELS, degree), rng.integers(-3, 4, len(terms_up_to(LEVELS, degree))).astype(float))
        for degree in (2, 1)
    )
    rows = np.stack(np.meshgrid([0, 1], [0, 1, 2], [0, 1]), axis=-1).reshape(-1, 3).astype(np.int8)
    levels, coefficients = multiplied(some, others)
    left, right = (design_matrix(terms, rows) @ sizes for terms, sizes in (some, others))
    assert design_matrix(levels, rows) @ coefficients == pytest.approx(left * right)


def test_terms_over_some_options_leave_the_others_alone() -> None:
    """Of three options the first and the third: constant, two singles, one pair."""
    assert terms_up_to(LEVELS, 2, {2, 0}).tolist() == [[-1, -1, -1], [1, -1, -1], [-1, -1, 1], [1, -1, 1]]
