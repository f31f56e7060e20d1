"""Regimes of speed are told from reference runs, whatever noise they have."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.machine_speed import LEAST_TIMES, adjustments, disturbance, usual_time


def _times(n: int, seed: int, *, slow: float = 0.0, factor: float = 1.8, noise: float = 0.02) -> np.ndarray:
    """Reference times about 0.05 s; a share `slow` of them in a regime that is `factor` times slower."""
    generator = np.random.default_rng(seed)
    return 0.05 * np.exp(noise * generator.normal(size=n)) * np.where(generator.random(n) < slow, factor, 1.0)


@pytest.mark.parametrize("slow", [0.0, 0.2, 0.5, 0.6])
@pytest.mark.parametrize("seed", range(5))
def test_the_fast_regime_is_the_usual_one(slow: float, seed: int) -> None:
    """Also where most runs are slow: within 5 % of its true time."""
    found = usual_time(_times(200, seed, slow=slow))
    assert found is not None
    assert found[0] == pytest.approx(0.05, rel=0.05)


def test_too_few_runs_tell_nothing() -> None:
    assert usual_time(_times(LEAST_TIMES - 1, 0)) is None


@pytest.mark.parametrize("noise", [0.005, 0.02, 0.05])
def test_noise_alone_is_no_disturbance(noise: float) -> None:
    """Of 2,000 runs with normal noise none is taken for another regime."""
    times = _times(2_001, 1, noise=noise)
    usual = usual_time(times[:200])
    assert usual is not None
    assert not any(disturbance(one, other, usual) for one, other in pairwise(times))


def test_a_slow_regime_is_told_with_its_factor() -> None:
    usual = usual_time(_times(100, 2))
    assert usual is not None
    assert disturbance(0.09, 0.09, usual) == pytest.approx((1.8, 0), rel=0.03)


@pytest.mark.parametrize(("before", "after"), [(0.05, 0.09), (0.09, 0.05)])
def test_a_switch_during_the_run_is_told_as_one(before: float, after: float) -> None:
    usual = usual_time(_times(100, 3))
    assert usual is not None
    assert disturbance(before, after, usual) == pytest.approx((1.8, 1), rel=0.03)


@given(st.floats(0.01, 100.0))
def test_the_unit_of_time_does_not_matter(scale: float) -> None:
    times = _times(100, 4, slow=0.3)
    usual, other = usual_time(times), usual_time(scale * times)
    assert usual is not None
    assert other is not None
    assert other == pytest.approx((scale * usual[0], usual[1]))
    expected = disturbance(0.05, 0.09, usual)
    assert disturbance(0.05 * scale, 0.09 * scale, other) == pytest.approx(expected)


def _runs(
    follows: float, seed: int, *, cells: int = 12, repetitions: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, references and cells of interleaved runs; times `follow` a machine that changes its speed by the reference."""
    generator = np.random.default_rng(seed)
    n = cells * repetitions
    speed = np.where(np.arange(n) // 7 % 2, 1.4, 1.0)
    cell = np.concatenate([generator.permutation(cells) for _ in range(repetitions)])
    times = (1 + cell) * speed**follows * np.exp(0.02 * generator.normal(size=n))
    return times, 0.05 * speed * np.exp(0.02 * generator.normal(size=n)), cell


def _adjusted(times: np.ndarray, references: np.ndarray, cell: np.ndarray) -> np.ndarray:
    return adjustments(times, references, np.zeros_like(cell), cell)


@pytest.mark.parametrize("follows", [0.5, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_what_follows_the_machine_is_adjusted(follows: float, seed: int) -> None:
    """Two thirds of the scatter between runs of one cell go, whatever share of the speed the program feels."""
    times, references, cell = _runs(follows, seed)
    factors = _adjusted(times, references, cell)
    scatter = [np.std(np.log(values / (1 + cell))) for values in (times, times * factors)]
    assert scatter[1] < 0.6 * scatter[0]


@pytest.mark.parametrize("seed", range(20))
def test_what_does_not_follow_it_stays_nearly_as_it_is(seed: int) -> None:
    """The scatter of times that have nothing to do with the reference grows by 10 % at most, whatever chance does."""
    times, references, cell = _runs(0.0, seed)
    factors = _adjusted(times, references, cell)
    scatter = [np.std(np.log(values / (1 + cell))) for values in (times, times * factors)]
    assert scatter[1] < 1.1 * scatter[0]


def test_few_cells_and_single_runs_are_not_adjusted() -> None:
    times, references, cell = _runs(1.0, 1, cells=4)
    assert (_adjusted(times, references, cell) == 1).all()
    times, references, cell = _runs(1.0, 1, cells=40, repetitions=1)
    assert (_adjusted(times, references, cell) == 1).all()


def test_runs_without_a_reference_stay_as_they_are_beside_adjusted_ones() -> None:
    times, references, cell = _runs(1.0, 2)
    references[::3] = np.nan
    factors = _adjusted(times, references, cell)
    assert (factors[::3] == 1).all()
    assert (factors[1::3] != 1).any()


def test_reference_runs_of_another_interpreter_move_nothing() -> None:
    """The second half of the cells was measured beside reference runs that take twice as long, on an equal machine."""
    times, references, cell = _runs(1.0, 3)
    programs = (cell >= 6).astype(int)
    factors = adjustments(times, references * (1.0 + programs), programs, cell)
    levels = [np.median((times * factors / (1 + cell))[programs == one]) for one in (0, 1)]
    assert levels[1] == pytest.approx(levels[0], rel=0.1)


@given(st.floats(0.01, 100.0), st.floats(0.01, 100.0))
def test_factors_know_no_unit(of_times: float, of_references: float) -> None:
    times, references, cell = _runs(1.0, 4)
    expected = _adjusted(times, references, cell)
    assert _adjusted(of_times * times, of_references * references, cell) == pytest.approx(expected, rel=1e-6)
