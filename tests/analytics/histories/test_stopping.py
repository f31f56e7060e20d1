"""Measuring stops where another measurement is not worth it, and not while a gap hides a step."""

import pytest

from analytics.histories.active_sampling import StopReason, StopRule, next_or_stop
from analytics.histories.errors import HistoryError
from analytics.histories.gaps import Suggestion
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings

CANDIDATES = list(range(101))


def after_equal_measurements(rule: StopRule) -> Suggestion | StopReason:
    """What follows on three equal measurements of a hundred revisions."""
    return next_or_stop(fit(Measurements.of([0, 50, 100], [1.0, 1.0, 1.0])), CANDIDATES, rule)


def after_a_step_between_neighbours(
    size: float, rule: StopRule, noise: float = 0.001
) -> Suggestion | StopReason:
    """What follows where 8 revisions of 10,000 hide a step: too few to move the mean error."""
    places = [0, 3000, 5000, 5009, 7000, 9999]
    points = Measurements.of(places, [1.0, 1.0, 1.0, 1 + size, 1 + size, 1 + size], [3] * 6, [noise] * 6)
    return next_or_stop(fit(points, HistorySettings(length=10_000)), range(10_000), rule)


def test_without_limits_it_goes_on_until_nothing_is_left() -> None:
    assert isinstance(after_equal_measurements(StopRule(smallest_gain=None)), Suggestion)
    fitted = fit(Measurements.of([0, 1], [1.0, 1.0]))
    assert next_or_stop(fitted, [0, 1], StopRule()) is StopReason.NOTHING_LEFT


def test_the_next_measurement_must_fit_into_the_budget() -> None:
    rule = StopRule(budget=100.0)
    assert rule.spent(9, 60.0, 40.0) is None
    assert rule.spent(9, 60.0, 41.0) is StopReason.BUDGET
    assert rule.spent(9, 100.0) is StopReason.BUDGET


def test_it_stops_at_the_count_that_was_asked_for() -> None:
    assert StopRule(most=10).spent(9, 1e9) is None
    assert StopRule(most=10).spent(10, 0.0) is StopReason.COUNT


def test_it_stops_where_no_gap_promises_enough() -> None:
    assert after_equal_measurements(StopRule(smallest_gain=0.5)) is StopReason.GAIN
    assert isinstance(after_equal_measurements(StopRule(smallest_gain=1e-9)), Suggestion)


def test_a_gap_that_hides_a_step_is_narrowed_however_small_its_gain() -> None:
    found = after_a_step_between_neighbours(0.1, StopRule(smallest_gain=0.01))
    assert isinstance(found, Suggestion)
    assert 5000 < found.position < 5009
    assert found.expected_gain < 0.01


@pytest.mark.parametrize(("size", "noise"), [(0.1, 0.1), (0.01, 0.001)], ids=["in the noise", "too small"])
def test_a_difference_within_the_noise_or_too_small_does_not_keep_it_going(size: float, noise: float) -> None:
    assert after_a_step_between_neighbours(size, StopRule(smallest_gain=0.05), noise) is StopReason.GAIN


def test_a_step_between_two_neighbours_cannot_be_narrowed() -> None:
    points = Measurements.of([0, 50, 51, 100], [1.0, 1.0, 1.5, 1.5])
    assert next_or_stop(fit(points), CANDIDATES, StopRule(smallest_gain=0.5)) is StopReason.GAIN


def test_a_gap_that_is_too_long_is_looked_into_without_any_sign_of_a_step() -> None:
    """Between two measurements of three there are 49 others."""
    found = after_equal_measurements(StopRule(smallest_gain=0.5, longest_gap=48))
    assert isinstance(found, Suggestion)
    assert found.unmeasured == 49
    assert after_equal_measurements(StopRule(smallest_gain=0.5, longest_gap=49)) is StopReason.GAIN


def test_it_stops_where_every_revision_is_as_sure_as_repeated_measurements() -> None:
    assert after_equal_measurements(StopRule(largest_sd=1.0)) is StopReason.VARIANCE
    assert isinstance(after_equal_measurements(StopRule(largest_sd=1e-6)), Suggestion)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(HistoryError, match="budget"):
        StopRule(budget=-1.0)
