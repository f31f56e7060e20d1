"""Brownian regression agrees with the state-space form, with dense algebra, and with its own derivatives."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.tsa.statespace.structural import UnobservedComponents

from analytics.histories.brownian import RandomWalkSolver, predict_levels

FloatArray = npt.NDArray[np.float64]
Levels = tuple[FloatArray, FloatArray, FloatArray]
Case = tuple[npt.NDArray[np.int64], FloatArray, FloatArray, float]


def posterior(positions: npt.NDArray[np.int64], y: FloatArray, variances: FloatArray, step: float) -> Levels:
    """The levels for one pair of variances."""
    found = RandomWalkSolver(np.diff(positions), y).posterior(variances[None, :], np.array([step]))
    return found[0][0], found[1][0], found[2][0]


def log_evidence(
    positions: npt.NDArray[np.int64], y: FloatArray, variances: FloatArray, step: float
) -> float:
    """The restricted log-likelihood of one pair of variances."""
    solver = RandomWalkSolver(np.diff(positions), y)
    return float(solver.log_evidence(variances[None, :], np.array([step]))[0])


@st.composite
def walks(draw: st.DrawFn) -> Case:
    """Positions with gaps, values, variances of each value, and a step variance."""
    gaps = draw(st.lists(st.integers(1, 9), min_size=1, max_size=12))
    positions = np.cumsum([draw(st.integers(0, 5)), *gaps])
    n = len(positions)
    y = np.array(draw(st.lists(st.floats(-3, 3), min_size=n, max_size=n)))
    variances = np.array(draw(st.lists(st.floats(0.01, 2), min_size=n, max_size=n)))
    return positions, y, variances, draw(st.floats(0.01, 2))


def dense_oracle(
    positions: npt.NDArray[np.int64], y: FloatArray, variances: FloatArray, step: float, wanted: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and covariance by universal kriging: a flat prior on the start, no recursion."""
    start = positions[0] - 50.0
    places = np.append(positions, wanted) - start
    prior = step * np.minimum(places[:, None], places[None, :])
    n = len(positions)
    inverse = np.linalg.inv(prior[:n, :n] + np.diag(variances))
    ones = np.ones(n)
    level = ones @ inverse @ y / (ones @ inverse @ ones)
    cross = prior[:n, n:]
    means = level + cross.T @ inverse @ (y - level)
    rest = 1 - cross.T @ inverse @ ones
    covariance = prior[n:, n:] - cross.T @ inverse @ cross + np.outer(rest, rest) / (ones @ inverse @ ones)
    return means, covariance


def test_it_is_statsmodels_local_level_with_exact_diffuse_start() -> None:
    rng = np.random.default_rng(1)
    length, measured = 120, np.sort(rng.choice(120, 40, replace=False))
    y = np.full(length, np.nan)
    y[measured] = np.cumsum(rng.normal(0, 1, length))[measured] + rng.normal(0, 0.5, 40)
    noise, step = 0.3, 0.8
    model = UnobservedComponents(y[measured[0] :], "llevel", use_exact_diffuse=True)
    smoothed = model.smooth([noise, step])
    levels = posterior(measured, y[measured], np.full(40, noise), step)
    wanted = np.arange(measured[0], length, dtype=np.float64)
    means, *variances = predict_levels(measured, levels, step, wanted)
    np.testing.assert_allclose(means, smoothed.smoothed_state[0], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sum(variances), smoothed.smoothed_state_cov[0, 0], rtol=1e-8, atol=1e-8)
    # The diffuse likelihood leaves out a constant for the flat prior; differences between parameters remain.
    own = log_evidence(measured, y[measured], np.full(40, noise), step)
    other = log_evidence(measured, y[measured], np.full(40, 2 * noise), step / 3)
    expected = model.loglike([2 * noise, step / 3]) - model.loglike([noise, step])
    assert other - own == pytest.approx(expected, abs=1e-8)


@given(walks())
def test_levels_agree_with_dense_algebra(walk: Case) -> None:
    positions, y, variances, step = walk
    levels = posterior(positions, y, variances, step)
    means, covariance = dense_oracle(positions, y, variances, step, positions.astype(float))
    np.testing.assert_allclose(levels[0], means, atol=1e-7)
    np.testing.assert_allclose(levels[1], np.diag(covariance), atol=1e-7)
    np.testing.assert_allclose(levels[2], np.diag(covariance, 1), atol=1e-7)


@given(walks())
def test_predictions_agree_with_dense_algebra_inside_gaps_and_outside(walk: Case) -> None:
    positions, y, variances, step = walk
    levels = posterior(positions, y, variances, step)
    wanted = np.arange(positions[0] - 4, positions[-1] + 5, dtype=np.float64)
    means, *spread = predict_levels(positions, levels, step, wanted)
    oracle_means, oracle_covariance = dense_oracle(positions, y, variances, step, wanted)
    np.testing.assert_allclose(means, oracle_means, atol=1e-7)
    np.testing.assert_allclose(sum(spread), np.diag(oracle_covariance), atol=1e-7)


@given(walks(), walks())
def test_several_pairs_of_variances_are_solved_as_if_each_were_alone(walk: Case, other: Case) -> None:
    positions, y, variances, step = walk
    pairs = np.stack([variances, variances * other[3], variances / 3])
    steps = np.array([step, other[3], 3 * step])
    together = RandomWalkSolver(np.diff(positions), y).posterior(pairs, steps)
    evidences = RandomWalkSolver(np.diff(positions), y).log_evidence(pairs, steps)
    for k in range(3):
        alone = posterior(positions, y, pairs[k], float(steps[k]))
        np.testing.assert_allclose(together[0][k], alone[0], atol=1e-9)
        np.testing.assert_allclose(together[1][k], alone[1], rtol=1e-9)
        np.testing.assert_allclose(together[2][k], alone[2], rtol=1e-9)
        own = log_evidence(positions, y, pairs[k], float(steps[k]))
        np.testing.assert_allclose(evidences[k], own, rtol=1e-9)


@given(walks())
def test_the_joint_covariance_of_neighbours_is_positive_semi_definite(walk: Case) -> None:
    positions, y, variances, step = walk
    levels = posterior(positions, y, variances, step)
    determinants = levels[1][:-1] * levels[1][1:] - levels[2] ** 2
    assert np.all(levels[1] > 0)
    assert np.all(determinants > 0)


@given(walks())
def test_vanishing_noise_interpolates(walk: Case) -> None:
    positions, y, variances, step = walk
    levels = posterior(positions, y, variances * 1e-12, step)
    np.testing.assert_allclose(levels[0], y, atol=1e-9)
    assert np.all(levels[1] < 1e-11)


@given(walks(), st.floats(0.01, 100))
@settings(max_examples=30)
def test_scaling_the_values_scales_the_levels(walk: Case, factor: float) -> None:
    positions, y, variances, step = walk
    levels = posterior(positions, y, variances, step)
    scaled = posterior(positions, y * factor, variances * factor**2, step * factor**2)
    np.testing.assert_allclose(scaled[0], levels[0] * factor, atol=1e-9 * factor)
    np.testing.assert_allclose(scaled[1], levels[1] * factor**2, rtol=1e-9)


@given(walks(), st.integers(2, 6))
def test_integer_weights_equal_repetition(walk: Case, times: int) -> None:
    """A value of variance v / k says as much as k equal values of variance v."""
    positions, y, variances, step = walk
    merged = variances.copy()
    merged[0] /= times
    levels = posterior(positions, y, merged, step)
    repeated = np.append(np.full(times - 1, positions[0]), positions)
    means, covariance = dense_oracle(
        repeated,
        np.append(np.full(times - 1, y[0]), y),
        np.append(np.full(times - 1, variances[0]), variances),
        step,
        positions.astype(float),
    )
    np.testing.assert_allclose(levels[0], means, atol=1e-6)
    np.testing.assert_allclose(levels[1], np.diag(covariance), atol=1e-6)
