"""The search finds the cheapest segmentation, with and without weights."""

from itertools import combinations, pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruptures import KernelCPD

from analytics.changepoints.proposals import FEW, ROWS, proposed_together
from analytics.changepoints.search import penalty_of, segment_ends, weighted_pelt

FloatArray = npt.NDArray[np.float64]


def cost(y: FloatArray, variances: FloatArray, ends: list[int], penalty: float) -> float:
    """Weighted squares within the segments plus the penalty of each change, straight from the definition."""
    total = penalty * (len(ends) - 1)
    for a, b in pairwise([0, *ends]):
        weights = 1 / variances[a:b]
        total += float(weights @ (y[a:b] - np.average(y[a:b], weights=weights)) ** 2)
    return total


def cheapest(y: FloatArray, variances: FloatArray, penalty: float) -> float:
    """The cost of the best of all segmentations."""
    n = len(y)
    return min(
        cost(y, variances, [*inner, n], penalty) for k in range(n) for inner in combinations(range(1, n), k)
    )


@st.composite
def series(draw: st.DrawFn) -> tuple[FloatArray, FloatArray]:
    """Values around a few levels; equal or different variances."""
    n = draw(st.integers(1, 8))
    y = np.array(draw(st.lists(st.sampled_from([0.0, 0.1, -0.2, 1.0, 1.1, 3.0]), min_size=n, max_size=n)))
    y = y + np.array(draw(st.lists(st.floats(-0.1, 0.1), min_size=n, max_size=n)))
    if draw(st.booleans()):
        return y, np.full(n, 0.05)
    return y, np.array(draw(st.lists(st.floats(0.01, 0.5), min_size=n, max_size=n)))


@given(series(), st.floats(0.5, 12))
@settings(max_examples=40)
def test_no_segmentation_is_cheaper(points: tuple[FloatArray, FloatArray], penalty: float) -> None:
    """Brute force over all segmentations."""
    y, variances = points
    ends = segment_ends(y, variances, penalty)
    assert ends[-1] == len(y)
    assert cost(y, variances, ends, penalty) <= cheapest(y, variances, penalty) + 1e-6


def test_integer_weights_equal_repetition() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0.0, 1.0, 0.2, 0.9], [4, 3, 5, 2]) + rng.normal(0, 0.3, 14)
    times = rng.integers(1, 4, 14)
    weighted = segment_ends(y, 0.09 / times, 5.0)
    repeated = segment_ends(np.repeat(y, times), np.full(times.sum(), 0.09), 5.0)
    assert np.cumsum(times)[np.array(weighted) - 1].tolist() == repeated


@given(st.integers(0, 1000), st.floats(1, 20))
@settings(max_examples=20)
def test_with_equal_weights_it_is_the_search_of_ruptures(seed: int, penalty: float) -> None:
    rng = np.random.default_rng(seed)
    y = np.repeat(rng.normal(0, 2, 12), 10) + rng.normal(0, 1, 120)
    assert weighted_pelt(y, np.ones(120), penalty) == segment_ends(y, np.ones(120), penalty)


def test_the_penalty_grows_with_the_number_of_points() -> None:
    assert penalty_of(35) == pytest.approx(3 * np.log(35))
    assert penalty_of(1) > 0


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e3))
@settings(max_examples=20)
def test_shifting_and_scaling_the_series_changes_nothing(shift: float, factor: float) -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([0.0, 2.0, 1.0], 5) + rng.normal(0, 0.2, 15)
    expected = segment_ends(y, np.full(15, 0.04), 8.0)
    assert segment_ends(y * factor + shift * factor, np.full(15, 0.04 * factor**2), 8.0) == expected


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.01, 0.05]), st.floats(5, 20))
@settings(max_examples=20)
def test_what_is_proposed_for_a_long_series_costs_hardly_more_than_the_best(
    seed: int, steps: float, penalty: float
) -> None:
    """Beside the search of all places, by ruptures; no segment is shorter than asked."""
    rng = np.random.default_rng(seed)
    y = rng.normal(0, 1, 800) + np.cumsum(rng.normal(0, 4, 800) * (rng.random(800) < steps))
    y -= y.mean()
    best = [
        int(end) for end in KernelCPD(kernel="linear", min_size=5).fit(y.reshape(-1, 1)).predict(pen=penalty)
    ]
    (found,) = proposed_together([y], [penalty], 5)
    assert found[-1] == 800
    assert min(np.diff([0, *found])) >= 5
    ones = np.ones(800)
    # Places are moved later: it is enough that about as many steps are proposed.
    assert cost(y, ones, found, penalty) <= cost(y, ones, best, penalty) + penalty * len(best)


@given(st.integers(0, 1000), st.integers(1, 2 * ROWS), st.sampled_from([5, 7]))
@settings(max_examples=20)
def test_what_is_proposed_for_many_series_is_that_for_each_alone(
    seed: int, count: int, shortest: int
) -> None:
    """Series of any length: short ones, such as end in the middle of a window of another one, and such as change all the time."""
    rng = np.random.default_rng(seed)
    many, penalties = [], []
    for _ in range(count + FEW):
        n = int(rng.choice([40, 500, 641, int(rng.integers(500, 1_300))]))
        y = rng.normal(0, 1, n) + np.cumsum(
            rng.normal(0, 4, n) * (rng.random(n) < rng.choice([0.0, 0.01, 0.3]))
        )
        many.append(np.round(y, 1) - np.round(y, 1).mean() if rng.random() < 0.2 else y - y.mean())
        penalties.append(float(rng.uniform(3, 20)))
    alone = [
        proposed_together([y], [penalty], shortest)[0] for y, penalty in zip(many, penalties, strict=True)
    ]
    assert proposed_together(many, penalties, shortest) == alone
