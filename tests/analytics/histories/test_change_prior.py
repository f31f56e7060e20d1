"""Mass says where a history is thought to move; revisions that run the same code share a measurement."""

import numpy as np
import pytest

from analytics.histories.acquisition import mix
from analytics.histories.change_prior import ChangePrior, share_measurements
from analytics.histories.gaps import Evidence
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements


def test_even_mass_changes_nothing() -> None:
    points = Measurements.of([0, 10, 25, 60], [1.0, 1.2, 1.1, 2.0])
    even = ChangePrior.of_changes(0, np.full(60, 7.0))
    wanted = range(-5, 70)
    plain, weighed = predict(fit(points), wanted), predict(fit(points, change_prior=even), wanted)
    np.testing.assert_allclose(weighed.median, plain.median, rtol=1e-9)
    np.testing.assert_allclose(weighed.upper_95, plain.upper_95, rtol=1e-9)


def test_the_level_is_expected_to_change_where_others_changed() -> None:
    change_prior = ChangePrior.of_changes(0, np.full(100, np.nan), [(39, 40), (39, 40)])
    band = predict(fit(Measurements.of([0, 100], [1.0, 2.0]), change_prior=change_prior), [39, 40])
    assert band.median[1] / band.median[0] > 1.3


def test_bisection_goes_where_others_changed() -> None:
    change_prior = ChangePrior.of_changes(0, np.full(100, np.nan), [(77, 78)])
    evidence = Evidence(np.array([0, 100]), np.array([0.0, 0.5]), np.full(2, 1e-6), 1e-6, change_prior)
    best = mix(evidence, np.arange(1, 100))
    assert best is not None
    assert best.position in {77, 78}


def test_half_of_the_mass_stays_even() -> None:
    change_prior = ChangePrior.of_changes(0, np.full(10, np.nan), [(3, 4)])
    steps = np.diff(change_prior.cumulative)
    assert steps.sum() == pytest.approx(10)
    assert steps[3] == pytest.approx(0.5 + 5)
    assert np.delete(steps, 3) == pytest.approx(np.full(9, 0.5))


def test_brackets_outside_of_the_order_are_passed_over() -> None:
    assert np.diff(
        ChangePrior.of_changes(5, np.full(4, np.nan), [(0, 2), (20, 30)]).cumulative
    ) == pytest.approx(np.ones(4))


def test_revisions_of_one_group_share_their_pooled_measurement() -> None:
    points = Measurements.of([2, 5, 9], [1.0, 3.0, 7.0])
    shared = share_measurements(points, {2: 0, 3: 0, 5: 0, 7: 1, 8: 1})
    assert shared.positions.tolist() == [2, 3, 5, 9]
    assert shared.values.tolist() == [2.0, 2.0, 2.0, 7.0]
    assert shared.repetitions.tolist() == [2, 2, 2, 1]


def test_a_step_weighs_by_the_time_spent_in_what_it_touches_and_never_nothing() -> None:
    """Of equal lines: what touches half of the time eleven times as much as what touches nothing that runs."""
    shares = np.array([0.5, 0.0, 1.0])
    weights = np.diff(ChangePrior.of_changes(0, np.full(3, 9.0), shares=shares).cumulative)
    assert weights[0] / weights[1] == pytest.approx(11)
    assert weights[2] / weights[1] == pytest.approx(21)
    assert weights.mean() == pytest.approx(1)
