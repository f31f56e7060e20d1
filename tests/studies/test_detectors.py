"""CUSUM as the paper sets it, and every detector behind one interface."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.changepoints import ChangePointError, Detector, find_change_points
from analytics.changepoints.search import segment_ends
from analytics.synthetic import Excursion, LevelStep, make_history
from studies.detectors import (
    CUSUM,
    DETECTORS,
    cusum,
    cusum_alarms,
    cusum_by_window,
    cusum_drift,
    cusum_threshold,
    steadiest_cusum,
)

SERIES = st.lists(st.floats(-100, 100), min_size=2, max_size=40).map(np.array)

EVERY = [segment_ends, *DETECTORS.values()]


def test_the_drift_is_a_twentieth_of_the_range() -> None:
    assert cusum_drift(np.array([3.0, 1.0, 5.0])) == pytest.approx(0.2)


def test_the_threshold_is_five_mean_deviations_over_the_window() -> None:
    values = np.array([1.0, 3.0, 3.0, 7.0])
    assert cusum_threshold(values, 2) == pytest.approx(5 * np.mean([1.0, 0.0, 2.0]))
    assert cusum_threshold(values, 4) == pytest.approx(5 * np.std(values))


def test_sums_over_differences_alarm_and_start_anew() -> None:
    """By hand: rises of 1 less a drift of 0.25, alarms above 1.4 on every second one."""
    values = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 0.0])
    assert cusum_alarms(values, 0.25, 1.4) == [2, 4, 5]


def test_a_window_that_holds_nothing_is_refused() -> None:
    with pytest.raises(ChangePointError, match="got 1"):
        cusum_threshold(np.zeros(5), 1)


@given(SERIES, st.sampled_from([0.05, 0.3, 1.0]))
def test_neither_unit_nor_direction_matters(
    values: np.ndarray[tuple[int], np.dtype[np.float64]], share: float
) -> None:
    rounded = np.round(values, 3)
    assert cusum(rounded, share) == cusum(8.0 * rounded, share) == cusum(-rounded, share)


def test_smaller_windows_are_more_sensitive_to_an_abrupt_step() -> None:
    rng = np.random.default_rng(1)
    values = make_history(400, rng, steps=[LevelStep(250, 0.3)]).levels * np.exp(rng.normal(0, 0.004, 400))
    found = cusum_by_window(values)
    assert found[1.0] == []
    assert found[0.05] == [250]
    assert steadiest_cusum(values) == [250]


@pytest.mark.parametrize("detector", EVERY, ids=["pelt", *DETECTORS])
def test_every_search_finds_clear_steps_and_up_then_down(detector: Detector) -> None:
    rng = np.random.default_rng(2)
    history = make_history(120, rng, steps=[LevelStep(30, 0.3)], excursions=[Excursion(70, 80, 0.5)])
    measured = history.measure(range(120), rng, noise=0.005)
    found = find_change_points(measured, detector=detector)
    # A sum over differences has one threshold for all: beside a larger change it passes the smaller over.
    expected = [70, 81] if detector is DETECTORS[CUSUM] else [30, 70, 81]
    assert [change.bracket_after for change in found.changes] == expected
    assert find_change_points(measured, detector=detector) == found


@pytest.mark.parametrize("detector", EVERY, ids=["pelt", *DETECTORS])
def test_no_search_claims_a_change_where_there_is_too_little_data(detector: Detector) -> None:
    measured = make_history(3, np.random.default_rng(3)).measure(range(3), np.random.default_rng(3))
    found = find_change_points(measured, detector=detector)
    assert not found.enough_data
    assert not found.changes
    assert found.probability == 0.5
