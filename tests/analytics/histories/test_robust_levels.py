"""The single best value: steps stay steps, wild runs are passed over, and the median is that of a Cauchy bridge."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from analytics.histories.change_prior import ChangePrior
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.robust_levels import (
    bridge_medians,
    point_estimates,
    robust_levels,
    step_middles,
)
from analytics.histories.settings import HistorySettings, NoisePolicy

EXACT = HistorySettings(noise=NoisePolicy.KNOWN, known_noise=0.001, noise_floor=0.001)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.85])
@pytest.mark.parametrize("step", [0.1, 1.0, 7.0, 300.0])
def test_half_of_the_bridge_lies_below_its_median(share: float, step: float) -> None:
    found = step * float(bridge_medians(np.array(share), np.array(step)))

    def density(v: float) -> float:
        return 1 / ((share**2 + v**2) * ((1 - share) ** 2 + (step - v) ** 2))

    def change_prior(low: float, high: float) -> float:
        return float(quad(density, low, high, limit=500)[0])

    below = change_prior(-np.inf, 0) + (change_prior(0, found / 2) + change_prior(found / 2, found))
    above = (
        change_prior(found, (found + step) / 2)
        + change_prior((found + step) / 2, step)
        + change_prior(step, np.inf)
    )
    assert below == pytest.approx(above, rel=1e-5)


@given(st.floats(0.001, 0.999), st.floats(0, 1e6))
def test_a_step_is_made_forwards_and_backwards_alike(share: float, step: float) -> None:
    there, back = bridge_medians(np.array([share, 1 - share]), np.array([step, step]))
    assert 0 <= there <= 1
    assert there + back == pytest.approx(1, abs=1e-6)


def test_a_small_difference_is_a_slope_and_a_large_one_a_step_in_the_middle() -> None:
    shares = np.array([0.25, 0.45, 0.55, 0.75])
    np.testing.assert_allclose(bridge_medians(shares, np.array(0.01)), shares)
    np.testing.assert_allclose(bridge_medians(shares, np.array(1e4)), [0, 0, 1, 1], atol=1e-3)


def test_a_step_is_kept_where_a_straight_line_would_blur_it() -> None:
    points = Measurements.of([0, 20, 40, 60, 80, 100], [1.0, 1.0, 1.0, 1.5, 1.5, 1.5])
    found = point_estimates(fit(points, EXACT), [45, 55])
    np.testing.assert_allclose(found, [1.0, 1.5], rtol=0.01)


def test_single_runs_of_one_level_are_drawn_together() -> None:
    """Each is told to be exact to 0.1 %; that they scatter by 1 % is found out."""
    off, raw = [], []
    for seed in range(5):
        values = np.exp(np.random.default_rng(seed).normal(0, 0.01, 60))
        found = point_estimates(fit(Measurements.of(np.arange(60) * 10, values), EXACT), np.arange(591))
        off.append(np.abs(np.log(found)).mean())
        raw.append(np.abs(np.log(values)).mean())
    assert np.mean(off) < 0.7 * np.mean(raw)


def test_the_step_lies_where_mass_says_that_others_changed() -> None:
    points = Measurements.of([0, 25, 50, 75, 100], [1.0, 1.0, 2.0, 2.0, 2.0])
    found = point_estimates(
        fit(points, EXACT, change_prior=ChangePrior.of_changes(0, np.full(100, np.nan), [(29, 30)])), [29, 30]
    )
    np.testing.assert_allclose(found, [1.0, 2.0], rtol=0.01)


@pytest.mark.parametrize("positions", [[5], [5, 9]], ids=["one", "two"])
def test_few_measurements_are_their_own_best_values(positions: list[int]) -> None:
    fitted = fit(Measurements.of(positions, [2.0] * len(positions)))
    np.testing.assert_allclose(point_estimates(fitted, [0, 5, 20]), 2.0)


def test_values_without_logarithm_are_taken_as_they_are() -> None:
    fitted = fit(Measurements.of([0, 10, 20], [-1.0, 0.0, 1.0]))
    np.testing.assert_allclose(point_estimates(fitted, [0, 20]), [-1, 1], atol=0.05)


def test_the_levels_of_a_straight_sampling_do_not_depend_on_its_direction() -> None:
    y = np.random.default_rng(0).normal(0, 1, 30).cumsum()
    places, noise = np.arange(30.0), np.full(30, 0.01)
    forwards = robust_levels(places, y, noise, expected_scale=0.1)
    backwards = robust_levels(places, y[::-1], noise, expected_scale=0.1)
    np.testing.assert_allclose(forwards[0], backwards[0][::-1], rtol=1e-8)
    assert forwards[2] == pytest.approx(backwards[2], rel=1e-9)


def test_a_level_that_stands_alone_holds_for_few_revisions_and_a_lasting_one_for_half_of_the_gap() -> None:
    places = [0, 50, 100, 150, 200]
    alone = point_estimates(
        fit(Measurements.of(places, [1.0, 1.0, 1.5, 1.0, 1.0]), EXACT), [80, 98, 102, 120]
    )
    np.testing.assert_allclose(alone, [1.0, 1.5, 1.5, 1.0], rtol=0.02)
    lasting = point_estimates(fit(Measurements.of(places, [1.0, 1.0, 1.5, 1.5, 1.5]), EXACT), [70, 80])
    np.testing.assert_allclose(lasting, [1.0, 1.5], rtol=0.02)


@given(st.lists(st.integers(1, 200), min_size=2, max_size=9), st.data())
def test_steps_are_made_in_the_middle_but_beside_lone_levels(lengths: list[int], data: st.DataObject) -> None:
    """However long the gaps: a lone level holds for at least half a revision and at most half of a gap."""
    flags = st.lists(st.booleans(), min_size=len(lengths), max_size=len(lengths))
    told = np.array(data.draw(flags))
    level = np.array(data.draw(flags))[1:]
    gaps = np.array(lengths, dtype=float)
    middles = step_middles(told, level, gaps)
    assert (middles[~told] == 0.5).all()
    assert ((middles > 0) & (middles < 1)).all()
    assert (np.minimum(middles, 1 - middles) * gaps >= np.minimum(0.5, gaps / 2) - 1e-9).all()


def test_levels_are_numbers_where_noise_is_far_larger_than_what_values_differ_by() -> None:
    """As those of a term that a model tells badly: its interval is thousands of times what it moved by."""
    y = np.array([-1501.513, -1500.9514, -1500.5714])
    noise = np.array([8786.243, 8783.738, 8783.692]) ** 2
    levels, sds, scale = robust_levels(np.arange(3.0), y, noise, expected_scale=1e-7)
    assert np.isfinite([*levels, *sds, scale]).all()
    assert levels == pytest.approx(y, abs=1.0)
