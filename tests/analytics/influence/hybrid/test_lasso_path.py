"""The path of the lasso."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.linear_model import lars_path

from analytics.influence.hybrid.lasso_path import LassoPath


def _centred(seed: int, n: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns, values = rng.normal(size=(n, width)), rng.normal(size=n)
    return columns - columns.mean(axis=0), values - values.mean()


@given(st.integers(0, 2**31 - 1), st.integers(6, 40), st.integers(1, 30))
# A column leaves and comes back at once with the other sign.
@example(93, 30, 10)
@example(217, 30, 10)
@example(64, 40, 12)
@settings(max_examples=40, deadline=None)
def test_the_path_is_that_of_scikit_learn(seed: int, n: int, width: int) -> None:
    """Step by step, also where columns leave again and where they are more than the values."""
    columns, values = _centred(seed, n, width)
    limit = n // 2
    _, _, expected = lars_path(columns, values, method="lasso", max_iter=limit)
    lasso, _ = LassoPath(columns.T @ columns, columns.T @ values).steps(limit)
    assert len(lasso) == expected.shape[1]
    assert lasso == pytest.approx(expected.T, abs=1e-8)


@given(st.integers(0, 2**31 - 1), st.integers(6, 30), st.integers(1, 12))
@settings(max_examples=30, deadline=None)
def test_beside_it_are_least_squares_over_the_same_columns(seed: int, n: int, width: int) -> None:
    """Those that are not 0."""
    columns, values = _centred(seed, n, width)
    for one, least in zip(*LassoPath(columns.T @ columns, columns.T @ values).steps(n // 2), strict=True):
        chosen = np.flatnonzero(one)
        expected = np.linalg.lstsq(columns[:, chosen], values, rcond=None)[0]
        assert least[chosen] == pytest.approx(expected, abs=1e-6)
        assert not np.delete(least, chosen).any()


def test_of_two_columns_that_are_the_same_one_is_taken() -> None:
    """And the path ends where the values are told, however many steps were allowed."""
    columns, _ = _centred(1, 12, 3)
    columns = np.column_stack([columns, columns[:, 0]])
    lasso, least = LassoPath(columns.T @ columns, columns.T @ (5 * columns[:, 0])).steps(12)
    assert columns @ lasso[-1] == pytest.approx(5 * columns[:, 0])
    assert columns @ least[1] == pytest.approx(5 * columns[:, 0])
    assert (lasso[-1] != 0).sum() == 1


def test_nothing_to_tell_is_no_step() -> None:
    """Values that do not vary, or columns that do not."""
    for columns, values in ((np.eye(4), np.zeros(4)), (np.zeros((4, 2)), np.arange(4.0))):
        lasso, least = LassoPath(columns.T @ columns, columns.T @ values).steps(4)
        assert lasso.tolist() == least.tolist() == [[0.0] * columns.shape[1]]
