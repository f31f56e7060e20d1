"""Repetitions as needed stop where the interval is narrow enough, and the interval holds nevertheless."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import comb
from scipy.stats import norm

from analytics.repetitions import MEDIAN_FACTORS, RepetitionRule, half_widths

RULE = RepetitionRule()


def stopped(
    rng: np.random.Generator, logs: np.ndarray, cells: int, rule: RepetitionRule = RULE
) -> tuple[np.ndarray, np.ndarray]:
    """Runs whose logarithms are `logs`, in blocks of random order, until no cell needs more: times and cells."""
    order: list[int] = []
    to_go = np.full(cells, rule.most)
    while to_go.any():
        order += rng.permutation(np.flatnonzero(to_go)).tolist()
        made, times = np.array(order), np.exp(logs[: len(order)])
        to_go = rule.runs_to_go(np.bincount(made, minlength=cells), half_widths(times, made, cells))
    return times, made


@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_odd_medians_vary_as_order_statistics_say(n: int) -> None:
    half = n // 2

    def density(x: float) -> float:
        return float(x**2 * n * comb(n - 1, half) * (norm.cdf(x) * norm.sf(x)) ** half * norm.pdf(x))

    assert n * quad(density, -9, 9)[0] == pytest.approx(MEDIAN_FACTORS[n], abs=1e-4)


@pytest.mark.parametrize("n", [4, 6, 8, 10])
def test_even_medians_vary_as_pairs_of_order_statistics_say(n: int) -> None:
    """Summed over a fine grid of the two middle values x <= y."""
    x = np.linspace(-6, 6, 1201)
    below = n // 2 - 1
    lower, upper = norm.cdf(x) ** below * norm.pdf(x), norm.sf(x) ** below * norm.pdf(x)
    joint = np.triu(np.outer(lower, upper))
    # Half of each square on the diagonal lies where x > y.
    joint[np.diag_indices_from(joint)] /= 2
    variance = (((x[:, None] + x) / 2) ** 2 * joint).sum() / joint.sum()
    assert n * variance == pytest.approx(MEDIAN_FACTORS[n], abs=1e-3)


@given(seed=st.integers(0, 2**32), cells=st.integers(1, 20), scatter=st.floats(1e-4, 0.2))
def test_runs_lie_between_the_least_and_the_most_and_stop_only_where_narrow(
    seed: int, cells: int, scatter: float
) -> None:
    rng = np.random.default_rng(seed)
    times, made = stopped(rng, scatter * rng.normal(size=cells * RULE.most), cells)
    counts = np.bincount(made, minlength=cells)
    assert counts.min() >= RULE.least
    assert counts.max() <= RULE.most
    # Of those that stopped earlier, no later run of a sibling widens the interval beyond doubt of the next run.
    assert (RULE.runs_to_go(counts, half_widths(times, made, cells)) == 0).all()


def test_quiet_cells_are_run_three_times_and_noisy_ones_to_the_end() -> None:
    rng = np.random.default_rng(5)
    quiet, _ = stopped(rng, 0.001 * rng.normal(size=200), 20)
    noisy, _ = stopped(rng, 0.2 * rng.normal(size=200), 20)
    assert (len(quiet), len(noisy)) == (60, 200)


def test_the_same_relative_scatter_gives_the_same_widths_in_any_unit() -> None:
    rng = np.random.default_rng(6)
    times, cells = np.exp(0.02 * rng.normal(size=60)), np.tile(np.arange(20), 3)
    assert half_widths(1000 * times, cells, 20) == pytest.approx(half_widths(times, cells, 20))


@pytest.mark.parametrize("cells", [1, 4, 20])
@pytest.mark.parametrize("kind", ["normal", "heavy tails", "autocorrelated"])
def test_intervals_hold_after_stopping(cells: int, kind: str) -> None:
    """The whole table is made by `benchmarks.bench_repetitions`."""
    rng = np.random.default_rng(7)
    held = []
    for _ in range(-(-240 // cells)):
        innovations = rng.normal(size=cells * RULE.most)
        if kind == "heavy tails":
            innovations = rng.standard_t(3, size=len(innovations)) / np.sqrt(3)
        if kind == "autocorrelated":
            for at in range(1, len(innovations)):
                innovations[at] = 0.5 * innovations[at - 1] + np.sqrt(0.75) * innovations[at]
        times, made = stopped(rng, 0.015 * innovations, cells)
        medians = np.array([np.median(np.log(times[made == cell])) for cell in range(cells)])
        held += (np.abs(medians) <= half_widths(times, made, cells)).tolist()
    # Of 240 intervals that hold in 95 % of all cases, fewer than 90 % hold in one of 1,000 tries.
    assert np.mean(held) >= 0.9


def test_without_siblings_few_runs_tell_little() -> None:
    """One configuration alone: the interval of three runs is that of Student's t, or wider."""
    times = np.exp(np.array([-0.01, 0.0, 0.01]))
    (alone,) = half_widths(times, np.zeros(3, dtype=np.int64), 1)
    assert alone > 4.3 * 0.01 * np.sqrt(1.346 / 3)
    with_siblings = half_widths(np.tile(times, 10), np.repeat(np.arange(10), 3), 10)
    assert with_siblings[0] < alone


def test_a_cell_that_never_ran_to_its_end_is_given_up_after_the_least_runs() -> None:
    widths = half_widths(np.exp(0.001 * np.arange(3.0)), np.zeros(3, dtype=np.int64), 2)
    assert np.isnan(widths[1])
    assert RULE.runs_to_go(np.array([3, 3]), widths).tolist() == [0, 0]
    assert RULE.runs_to_go(np.array([3, 2]), widths).tolist() == [0, 1]


def test_a_cell_of_which_some_runs_failed_is_run_until_three_tell() -> None:
    times, cells = np.exp(0.001 * np.arange(5.0)), np.array([0, 1, 0, 1, 0])
    widths = half_widths(times, cells, 2)
    assert np.isinf(widths[1])
    assert RULE.runs_to_go(np.array([3, 3]), widths)[1] > 0


def test_what_is_expected_is_what_earlier_cells_would_need() -> None:
    rng = np.random.default_rng(8)
    cells = np.tile(np.arange(40), 5)
    for scatter, low, high in ((0.002, 3, 3), (0.02, 5, 9), (0.2, 10, 10)):
        expected = RULE.expected_runs(np.exp(scatter * rng.normal(size=200)), cells)
        assert expected is not None
        assert low <= expected <= high
    assert RULE.expected_runs(np.ones(3), np.arange(3)) is None
