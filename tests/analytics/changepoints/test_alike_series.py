"""What long series tell of the noise of a short one beside them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.changepoints import (
    ChangePointError,
    ChangePoints,
    ChangePointSettings,
    find_change_points,
    noise_of_alike,
)
from analytics.changepoints.drifts import WALKS
from analytics.changepoints.evidence import LOG_DETERMINANTS, SeriesLikelihood
from analytics.changepoints.running_products import PHIS
from analytics.histories.measurements import FloatArray, Measurements
from benchmarks.noise_kinds import KEPT_ASIDE, TUNED, gaussian

ALONE = ChangePointSettings(autocorrelation=0.0)
STEADY = ChangePointSettings(autocorrelation=0.0, wander=0.1)


def search(logarithms: FloatArray, chosen: ChangePointSettings = ALONE) -> ChangePoints:
    return find_change_points(Measurements.of(np.arange(len(logarithms)), np.exp(logarithms)), chosen)


@pytest.mark.parametrize(
    "kind", ["Gaussian", "Student t, 3 degrees", "AR(1) 0.3", "AR(1) 0.6", "Laplace", "weekly"]
)
def test_noise_around_levels_does_not_wander(kind: str) -> None:
    """Autocorrelated noise does not either, nor does a step make it so."""
    rng = np.random.default_rng(31)
    told = []
    for step in np.log([1.0, 1.1]):
        series = [(TUNED | KEPT_ASIDE)[kind](rng, 150) + step * (np.arange(150) >= 70) for _ in range(15)]
        told += [search(one).wanders for one in series]
    assert sum(map(bool, told)) <= 3
    assert None not in told


@pytest.mark.parametrize("kind", ["settling from 10 %", "bend of 10 %", "random walk", "two bursts"])
def test_drifts_walks_and_bursts_of_a_long_series_are_seen(kind: str) -> None:
    rng = np.random.default_rng(32)
    assert sum(bool(search(TUNED[kind](rng, 150)).wanders) for _ in range(20)) >= 17


def test_what_a_series_ends_with_is_no_burst() -> None:
    values = gaussian(np.random.default_rng(33), 120)
    ended, passed = values.copy(), values.copy()
    ended[-3:] += 0.3
    passed[60:63] += 0.3
    assert [search(one).wanders for one in (values, ended, passed)] == [False, False, True]


def test_few_points_tell_neither_autocorrelation_nor_wander() -> None:
    found = search(gaussian(np.random.default_rng(34), 99))
    assert (found.autocorrelation, found.wanders) == (None, None)


def test_a_share_of_alike_series_is_told_by_the_rule_of_succession() -> None:
    short = search(gaussian(np.random.default_rng(35), 40))
    one, other = (replace(short, autocorrelation=phi, wanders=phi > 0.5) for phi in (0.2, 0.8))
    assert noise_of_alike([one, one, other]) == (0.2, 2 / 5)
    assert noise_of_alike([one] * 8) == (0.2, 1 / 10)
    assert noise_of_alike([one, one, short]) == (None, None)
    for wrong in (0.0, 1.1):
        with pytest.raises(ChangePointError, match="wander must lie"):
            ChangePointSettings(wander=wrong)


def test_beside_steady_series_most_steps_of_forty_points_are_facts() -> None:
    """And noise without a step alarms no more often."""
    rng = np.random.default_rng(36)
    alone = steady = alarms = 0
    for _ in range(60):
        values, at = gaussian(rng, 40), int(rng.integers(10, 31))
        alarms += any(not one.is_candidate for one in search(values, STEADY).changes)
        values[at:] += np.log(1.05)
        for chosen in (ALONE, STEADY):
            found = search(values, chosen).changes
            is_told = any(not one.is_candidate and abs(one.bracket_after - at) <= 2 for one in found)
            alone, steady = alone + (is_told and chosen is ALONE), steady + (is_told and chosen is STEADY)
    assert alarms <= 1
    assert alone < 0.7 * 60 < 0.75 * 60 <= steady


@pytest.mark.parametrize(("points", "wander"), [(40, 1 / 3), (40, 1.0), (100, 0.1)])
def test_series_that_wander_as_often_as_usual_change_nothing(points: int, wander: float) -> None:
    """Nor do any change what a series of 100 points tells by itself."""
    rng = np.random.default_rng(37)
    for _ in range(10):
        values = gaussian(rng, points)
        values[points // 2 :] += np.log(1.05)
        assert search(values, replace(ALONE, wander=wander)) == search(values)


@given(st.integers(0, 2**32 - 1), st.floats(0.03, 0.12), st.floats(0.01, 1.0), st.floats(0.01, 1.0))
@settings(max_examples=30)
def test_the_fewer_alike_series_wander_the_surer_is_a_step(
    seed: int, size: float, one: float, other: float
) -> None:
    values = gaussian(np.random.default_rng(seed), 40)
    values[20:] += size
    often, rarely = (
        search(values, replace(ALONE, wander=wander)).changes for wander in sorted((one, other), reverse=True)
    )
    if len(often) == len(rarely) == 1 and often[0].bracket_after == rarely[0].bracket_after:
        assert rarely[0].certainty >= often[0].certainty
        assert rarely[0].chance <= often[0].chance
    assert rarely or not often


def test_a_walk_below_several_levels_wins_as_its_density_says() -> None:
    """Twice the logarithm of the density of all contrasts within levels, beyond that of autocorrelated noise around them."""
    rng = np.random.default_rng(38)
    y = np.cumsum(rng.normal(size=50)) * 0.4 + rng.normal(size=50)
    bounds = [0, 18, 19, 50]
    walks, noises = np.zeros((2, len(WALKS))), np.zeros((2, len(PHIS)))
    for start, end in ((0, 18), (18, 19), (19, 50)):
        some, n = y[start:end], end - start
        contrasts = np.linalg.svd(np.eye(n) - 1.0 / n)[0][:, : n - 1]
        steps = np.minimum.outer(np.arange(n), np.arange(n))
        lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        for at, ratio in enumerate(WALKS):
            covariance = contrasts.T @ (np.eye(n) + ratio * steps) @ contrasts
            walks[0, at] += some @ contrasts @ np.linalg.solve(covariance, contrasts.T @ some)
            walks[1, at] += np.linalg.slogdet(covariance)[1]
        for at, phi in enumerate(PHIS):
            inverse = np.linalg.inv(phi**lags / (1 - phi**2))
            noises[0, at] += some @ inverse @ some - (inverse.sum(axis=0) @ some) ** 2 / inverse.sum()
            noises[1, at] -= LOG_DETERMINANTS[at]
    deviances = [50 * np.log(squares) + more for squares, more in (walks, noises)]
    expected = (deviances[0][0] - deviances[0].min()) - (deviances[1][0] - deviances[1].min())
    found = SeriesLikelihood(y, np.ones(50), 1e-9).wander_of_levels(bounds)
    assert found == pytest.approx(expected, abs=1e-6)
