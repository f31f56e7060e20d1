"""The false-alarm rate: of a year and series, of a history, and of all series that are searched together."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.changepoints import (
    ChangePointError,
    ChangePoints,
    ChangePointSettings,
    find_change_points,
    series_rate,
)
from analytics.histories.measurements import Measurements


def test_five_years_have_five_times_the_rate_and_a_month_has_that_of_a_year() -> None:
    assert series_rate(0.01, years=5.0) == pytest.approx(0.049, abs=0.0005)
    assert series_rate(0.01, years=1 / 12) == pytest.approx(0.01)


@given(st.floats(1e-4, 0.2), st.floats(0.1, 30.0), st.integers(1, 10_000))
def test_series_of_a_suite_alarm_together_as_often_as_a_single_one(rate: float, years: float, n: int) -> None:
    each = series_rate(rate, years=years, series=n)
    assert 1.0 - (1.0 - each) ** n == pytest.approx(series_rate(rate, years=years), rel=1e-6)


def test_a_suite_has_at_least_one_series() -> None:
    with pytest.raises(ChangePointError, match="suite must be at least 1, got 0"):
        ChangePointSettings(suite=0)


def stepped(size: float, points: int) -> Measurements:
    rng = np.random.default_rng([20_266, points])
    values = np.exp(0.02 * rng.normal(size=points) + size * (np.arange(points) >= points // 2))
    return Measurements.of(np.arange(points), values)


def found_in(points: Measurements, suite: int = 1) -> ChangePoints:
    return find_change_points(points, ChangePointSettings(suite=suite))


@pytest.mark.parametrize("points", [12, 200])
def test_what_is_certain_of_one_series_may_be_chance_among_many(points: int) -> None:
    measured = stepped(0.2 if points == 12 else 0.03, points)
    (alone,) = found_in(measured).changes
    (among,) = found_in(measured, suite=10**30).changes
    assert (alone.is_candidate, among.is_candidate) == (False, True)
    assert replace(among, is_candidate=False) == alone


@pytest.mark.parametrize("points", [12, 200])
def test_a_step_that_is_clear_enough_is_a_fact_in_any_suite(points: int) -> None:
    (change,) = found_in(stepped(3.0, points), suite=20).changes
    assert not change.is_candidate


@pytest.mark.parametrize("points", [8, 16])
def test_chance_shows_changes_of_short_series_as_often_as_they_say(points: int) -> None:
    """Of 400 series of independent noise at most so many show a change of that chance, with three deviations."""
    rng = np.random.default_rng([20_266, points, 1])
    chances = [
        min((one.chance for one in found_in(measured).changes), default=1.0)
        for measured in (
            Measurements.of(np.arange(points), np.exp(0.02 * rng.normal(size=points))) for _ in range(400)
        )
    ]
    for rate in (0.01, 0.05):
        expected = 400 * rate
        assert sum(one <= rate for one in chances) <= expected + 3 * np.sqrt(expected)
