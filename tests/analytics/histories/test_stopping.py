"""Measuring stops where another measurement is not worth it."""

import numpy as np
import pytest

from analytics.histories import HistoryError, Measurements, fit, suggest
from analytics.histories.stopping import Stop, StopRule, reason_to_stop, threshold_of

CANDIDATES = list(range(101))


def stopped(rule: StopRule, *, spent: float = 0.0, next_cost: float = 0.0) -> Stop | None:
    """The reason to stop after three equal measurements of a hundred revisions."""
    fitted = fit(Measurements.of([0, 50, 100], [1.0, 1.0, 1.0]))
    (best,) = suggest(fitted, CANDIDATES, count=1)
    return reason_to_stop(rule, fitted, CANDIDATES, best, spent=spent, next_cost=next_cost)


def test_without_limits_it_goes_on_until_nothing_is_left() -> None:
    assert stopped(StopRule()) is None
    fitted = fit(Measurements.of([0, 1], [1.0, 1.0]))
    assert reason_to_stop(StopRule(), fitted, [0, 1], None, spent=0.0) is Stop.NOTHING_LEFT


def test_the_next_measurement_must_fit_into_the_budget() -> None:
    rule = StopRule(budget=100.0)
    assert stopped(rule, spent=60.0, next_cost=40.0) is None
    assert stopped(rule, spent=60.0, next_cost=41.0) is Stop.BUDGET


def test_it_stops_where_no_bracket_promises_enough() -> None:
    assert stopped(StopRule(smallest_gain=0.5)) is Stop.GAIN
    assert stopped(StopRule(smallest_gain=1e-9)) is None


def test_it_stops_where_every_revision_is_as_sure_as_repeated_measurements() -> None:
    assert stopped(StopRule(largest_sd=1.0)) is Stop.VARIANCE
    assert stopped(StopRule(largest_sd=1e-6)) is None


def test_the_threshold_is_the_relative_spread_of_repeated_measurements() -> None:
    repeated = 3.0 * np.exp([-0.01, 0.0, 0.01])
    assert threshold_of(repeated) == pytest.approx(0.01)
    with pytest.raises(HistoryError, match="at least 2"):
        threshold_of(np.array([1.0]))


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(HistoryError, match="budget"):
        StopRule(budget=-1.0)
