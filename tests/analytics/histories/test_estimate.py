"""What is told of a revision: the best single value, within its band."""

import numpy as np
import pytest

from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.robust_levels import estimate, point_estimates
from analytics.histories.settings import HistorySettings


def test_the_estimate_is_the_value_that_replay_is_judged_by() -> None:
    points = Measurements.of([0, 10, 20], [1.0, 1.5, 1.5])
    fitted = fit(points, HistorySettings(length=21))
    values, band = estimate(fitted, range(21))
    assert values.tolist() == point_estimates(fitted, np.arange(21)).tolist()
    assert values[[3, 7]] == pytest.approx([1.0, 1.5], rel=0.02)
    assert band.positions.tolist() == list(range(21))


def test_the_band_holds_the_estimate_where_a_step_is_beyond_what_is_usual() -> None:
    """Twenty calm gaps and one step: near an end of its bracket the level of that end is expected, and within the band."""
    positions = np.arange(0, 1100, 50)
    values = np.exp(np.where(positions < 500, 0.0, 0.3) + 0.002 * np.cos(positions))
    fitted = fit(Measurements.of(positions, values), HistorySettings(length=1100))
    inside = np.arange(451, 500)
    bare = predict(fitted, inside)
    best, band = estimate(fitted, inside)
    assert np.any((best < bare.lower_95) | (best > bare.upper_95))
    assert np.all((band.lower_95 <= best) & (best <= band.upper_95))
    assert np.all((band.lower_95 <= bare.lower_95) & (band.upper_95 >= bare.upper_95))
