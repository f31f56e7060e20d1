"""A slow drift of the last level is told with its size; what noise, a random walk or a step explains is none."""

import numpy as np
import pytest

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.slow_drift import SlowDrift, find_drift, line_through
from analytics.histories.measurements import Measurements
from benchmarks.noise_kinds import TUNED, autoregressive, gaussian


def drift(logs: np.ndarray, settings: ChangePointSettings | None = None) -> SlowDrift | None:
    """The drift of a series of logarithms, (n,), at every other position."""
    measured = Measurements.of(2 * np.arange(len(logs)), np.exp(logs))
    settings = settings or ChangePointSettings()
    return find_drift(measured, find_change_points(measured, settings), settings)


def line(points: int, size: float) -> np.ndarray:
    """Logarithms that rise by that share."""
    return np.asarray(np.log1p(size) * np.linspace(0.0, 1.0, points))


def test_a_drift_is_told_with_its_size_over_its_span() -> None:
    found = drift(gaussian(np.random.default_rng(3), 200) + line(200, 0.08))
    assert found is not None
    assert (found.first, found.last) == (0, 398)
    assert found.relative_low < 0.08 < found.relative_high
    assert found.relative_size == pytest.approx(0.08, abs=0.02)
    assert found.absolute_size == pytest.approx(found.relative_size, rel=0.05)
    assert not found.is_candidate
    assert found.chance < 0.01


def test_a_falling_line_is_the_same_the_other_way() -> None:
    values = gaussian(np.random.default_rng(3), 200) + line(200, 0.08)
    rising, falling = line_through(values), line_through(-values)
    assert (falling.rise, falling.chance) == pytest.approx((-rising.rise, rising.chance))
    low, high = rising.interval()
    assert falling.interval() == pytest.approx((-high, -low))


@pytest.mark.parametrize("kind", ["Gaussian", "AR(1) 0.9", "bimodal", "two bursts", "random walk"])
def test_noise_is_seldom_a_drift(kind: str) -> None:
    """At the default rate of 1 %, 60 series of each kind: two of them would be told by chance in one test of forty."""
    rng = np.random.default_rng(6)
    told = [one for one in (drift(TUNED[kind](rng, 80)) for _ in range(60)) if one and not one.is_candidate]
    assert len(told) <= 2


def test_what_a_step_explains_is_no_drift() -> None:
    values = gaussian(np.random.default_rng(3), 200) + 0.1 * (np.arange(200) >= 100)
    assert drift(values) is None
    assert line_through(values).over_step() < 0


def test_only_the_level_after_the_last_step_counts() -> None:
    values = gaussian(np.random.default_rng(5), 300) * 0.5
    values[:100] += 0.5
    values[100:] += line(200, 0.08)
    found = drift(values)
    assert found is not None
    assert found.first >= 200
    assert found.relative_low < 0.08 < found.relative_high


def test_few_points_and_small_drifts_tell_nothing() -> None:
    steep = line(39, 0.3) + 0.001 * np.sin(np.arange(39.0) ** 2)
    assert drift(steep) is None
    assert drift(line(200, 0.015) + 0.001 * np.sin(np.arange(200.0) ** 2)) is None


def test_a_drift_that_chance_shows_in_a_large_suite_is_a_candidate() -> None:
    values = gaussian(np.random.default_rng(3), 200) + line(200, 0.06)
    alone, among = drift(values), drift(values, ChangePointSettings(suite=100_000))
    assert alone is not None
    assert among is not None
    assert among.chance == alone.chance
    assert (alone.is_candidate, among.is_candidate) == (False, True)


def test_a_strongly_autocorrelated_series_has_a_wide_interval() -> None:
    rng = np.random.default_rng(9)
    narrow, wide = (
        np.ptp(line_through(noise).interval())
        for noise in (gaussian(rng, 200), autoregressive(rng, 200, 0.9))
    )
    assert wide > 2 * narrow
