"""The smallest step that a series can show: steps of that size are found in about four of five series."""

import numpy as np
import pytest

from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.histories.measurements import Measurements
from analytics.power import smallest_step

SETTINGS = ChangePointSettings()


def series(seed: int, points: int, phi: float, step: float = 0.0) -> Measurements:
    """Noise of 2 %, autocorrelated by `phi`, with a step in the middle."""
    noise = np.random.default_rng([seed, points]).normal(size=points)
    for at in range(1, points):
        noise[at] = phi * noise[at - 1] + np.sqrt(1 - phi**2) * noise[at]
    stepped = np.arange(points) >= points // 2
    return Measurements.of(range(points), np.exp(0.02 * noise + np.log1p(step) * stepped))


@pytest.mark.parametrize("phi", [0.0, 0.3])
@pytest.mark.parametrize("points", [8, 20, 40, 100])
def test_steps_of_the_stated_size_are_mostly_found(points: int, phi: float) -> None:
    """What fifteen series state in the middle, planted into sixty others: 80 %, with three deviations of both."""
    stated = np.median([smallest_step(series(seed, points, phi), SETTINGS) for seed in range(15)])
    found = [
        bool(find_change_points(series(seed, points, phi, float(stated)), SETTINGS).changes)
        for seed in range(100, 160)
    ]
    assert 0.6 <= np.mean(found) <= 0.96


def test_more_points_and_less_noise_show_smaller_steps() -> None:
    few, more = (
        np.median([smallest_step(series(seed, points, 0.0), SETTINGS) for seed in range(15)])
        for points in (20, 160)
    )
    assert few > more >= SETTINGS.minimum_effect
    still = Measurements.of(range(40), np.full(40, 3.0))
    assert smallest_step(still, SETTINGS) == SETTINGS.minimum_effect
