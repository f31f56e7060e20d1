"""CUSUM as the paper sets it, and every search for change points behind one interface."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.changepoints import Detector, find_change_points
from analytics.changepoints.search import segment_ends
from studies.papers.histories import SEARCHES
from studies.papers.histories_cusum import cusum
from studies.synthetic import Excursion, LevelStep, make_history

SERIES = st.lists(st.floats(-100, 100), min_size=2, max_size=40).map(np.array)

EVERY = [segment_ends, *SEARCHES.values()]


def test_sums_over_differences_alarm_and_start_anew() -> None:
    """By hand: rises of 1 less a drift of 0.2, alarms above five mean deviations over windows of two, on every second one."""
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0, *[4.0] * 15, 0.0])
    assert 5 * np.mean([*[0.5] * 4, *[0.0] * 15, 2.0]) == pytest.approx(1.0)
    assert cusum(values, 0.05) == [2, 4, 20]
    assert cusum(values, 1.0) == []
    assert cusum(np.zeros(1), 0.05) == []


@given(SERIES, st.sampled_from([0.05, 0.3, 1.0]))
def test_neither_unit_nor_direction_matters(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], share: float
) -> None:
    rounded = np.round(values, 3)
    assert cusum(rounded, share) == cusum(8.0 * rounded, share) == cusum(-rounded, share)


def test_smaller_windows_are_more_sensitive_to_an_abrupt_step() -> None:
    rng = np.random.default_rng(1)
    values = make_history(400, rng, steps=[LevelStep(250, 0.3)]).levels * np.exp(rng.normal(0, 0.004, 400))
    assert cusum(values, 1.0) == []
    assert cusum(values, 0.05) == [250]


@pytest.mark.parametrize("detector", EVERY, ids=["pelt", *SEARCHES])
def test_every_search_finds_clear_steps_and_up_then_down(detector: Detector) -> None:
    rng = np.random.default_rng(2)
    history = make_history(120, rng, steps=[LevelStep(30, 0.3)], excursions=[Excursion(70, 80, 0.5)])
    measured = history.measure(range(120), rng, noise=0.005)
    found = find_change_points(measured, detector=detector)
    assert [change.bracket_after for change in found.changes] == [30, 70, 81]
    assert find_change_points(measured, detector=detector) == found


@pytest.mark.parametrize("detector", EVERY, ids=["pelt", *SEARCHES])
def test_no_search_claims_a_change_where_there_is_too_little_data(detector: Detector) -> None:
    measured = make_history(3, np.random.default_rng(3)).measure(range(3), np.random.default_rng(3))
    found = find_change_points(measured, detector=detector)
    assert not found.enough_data
    assert not found.changes
