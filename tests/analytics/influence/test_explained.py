"""The options that explain most, against brute force over all combinations."""

from itertools import combinations, product

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.influence.terms import TermTable
from analytics.influence.variance import _variance, explain

SIZES = (2, 3, 2, 2)


def _table(levels: np.ndarray, coefficients: np.ndarray) -> TermTable:
    space = OptionSpace(tuple(Option(f"o{n}", tuple(range(size))) for n, size in enumerate(SIZES)))
    unknown = np.full(len(levels), np.nan)
    return TermTable(space, space.reference, levels, coefficients, unknown, unknown)


def _random_table(seed: int) -> TermTable:
    generator = np.random.default_rng(seed)
    every = np.array(list(product(*[[-1, *range(1, size)] for size in SIZES])), dtype=np.int8)
    kept = generator.choice(len(every), size=9, replace=False)
    return _table(every[kept], generator.normal(size=9))


def _values(table: TermTable) -> tuple[np.ndarray, np.ndarray]:
    """All combinations, and the model's value in each."""
    everything = np.array(list(product(*[range(size) for size in SIZES])))
    inside = ((table.levels == -1) | (table.levels == everything[:, None, :])).all(axis=2)
    return everything, inside @ table.coefficients


@pytest.mark.parametrize("seed", range(20))
def test_the_variance_given_some_options_is_that_of_the_group_means(seed: int) -> None:
    table = _random_table(seed)
    everything, values = _values(table)
    for size in range(1, 5):
        for options in combinations(range(4), size):
            groups: dict[tuple[int, ...], list[float]] = {}
            for combination, value in zip(everything, values, strict=True):
                groups.setdefault(tuple(combination[list(options)]), []).append(value)
            truth = np.var([np.mean(group) for group in groups.values()])
            found = _variance(table.levels, table.coefficients, np.array(SIZES), np.array(options))
            assert found == pytest.approx(truth, abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_each_option_named_adds_to_the_share(seed: int) -> None:
    found = explain(_random_table(seed))
    shares = list(found.values())
    assert 1 <= len(shares) <= 3
    assert shares == sorted(shares)
    assert 0.0 < shares[0] <= shares[-1] <= 1.0
    assert shares[-1] >= 0.9 or len(shares) == 3


def test_one_option_that_does_everything_explains_everything() -> None:
    found = explain(
        _table(np.array([[-1, -1, -1, -1], [1, -1, -1, -1]], dtype=np.int8), np.array([5.0, 2.0]))
    )
    assert found == {"o0": pytest.approx(1.0)}


def test_nothing_is_explained_where_nothing_varies_or_a_term_is_unknown() -> None:
    levels = np.array([[-1, -1, -1, -1], [1, -1, -1, -1]], dtype=np.int8)
    assert explain(_table(levels[:1], np.array([5.0]))) == {}
    assert explain(_table(levels, np.array([5.0, np.nan]))) == {}
