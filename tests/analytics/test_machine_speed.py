"""Regimes of speed are told from reference runs, whatever noise they have."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.machine_speed import LEAST_TIMES, disturbance, usual_time


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
