"""How sure the place of a step is."""

import numpy as np
import pytest
from scipy.integrate import quad

from analytics.changepoints import find_change_points
from analytics.changepoints.detection import change_probability
from analytics.changepoints.places import location_probabilities, split_gains
from studies.synthetic import LevelStep, make_history


def test_a_clear_step_has_one_place() -> None:
    y = np.repeat([0.0, 1.0], [6, 4])
    probabilities = location_probabilities(np.arange(10), y, np.full(10, 0.01))
    assert probabilities.sum() == pytest.approx(1.0)
    assert probabilities[5] > 0.999


def test_without_a_step_wide_brackets_are_as_likely_as_their_revisions() -> None:
    """Levels that say nothing leave the prior: each revision alike, but for the fit of longer sides."""
    positions = np.array([0, 1, 2, 12])
    probabilities = location_probabilities(positions, np.zeros(4), np.full(4, 1e6))
    assert probabilities[2] / probabilities[0] == pytest.approx(10.0)


def test_probabilities_integrate_both_levels_out() -> None:
    """The same posterior by numerical integration over both levels."""
    y, variances = np.array([0.0, 0.3, 0.8, 1.1]), np.array([0.1, 0.2, 0.1, 0.3])
    positions = np.array([0, 2, 3, 7])

    def evidence(part: slice) -> float:
        def likelihood(level: float) -> float:
            return float(np.exp(-0.5 * np.sum((y[part] - level) ** 2 / variances[part])))

        return quad(likelihood, -20, 20, points=[0, 1], limit=200)[0]

    change_prior = np.array([evidence(slice(0, s)) * evidence(slice(s, 4)) for s in (1, 2, 3)]) * np.diff(
        positions
    )
    np.testing.assert_allclose(
        location_probabilities(positions, y, variances), change_prior / change_prior.sum(), rtol=1e-6
    )


def test_the_gain_of_a_split_is_what_the_squares_lose() -> None:
    rng = np.random.default_rng(0)
    y, variances = rng.normal(0, 1, 7), rng.uniform(0.5, 2, 7)

    def squares(part: slice) -> float:
        weights = 1 / variances[part]
        return float(weights @ (y[part] - np.average(y[part], weights=weights)) ** 2)

    expected = [squares(slice(0, 7)) - squares(slice(0, s)) - squares(slice(s, 7)) for s in range(1, 7)]
    np.testing.assert_allclose(split_gains(y, variances), expected)


def test_of_few_points_changes_are_as_often_there_as_they_say() -> None:
    """Half of the series have a step, of any size; the noise is estimated, too."""
    rng = np.random.default_rng(12)
    told, true = [], []
    for _ in range(400):
        length = int(rng.choice([8, 12, 16]))
        size = float(np.expm1(rng.normal(0, rng.choice([0.02, 0.06, 0.2]))))
        steps = [LevelStep(int(rng.integers(1, length)), size)] if rng.random() < 0.5 else []
        measured = make_history(length, rng, steps=steps).measure(range(length), rng, noise=0.02)
        for change in find_change_points(measured).changes:
            told.append(change.certainty)
            true.append(bool(steps))
    sure = np.array(told) > 0.95
    assert sure.sum() > 30
    assert np.mean(np.array(true)[sure]) > 0.95


def test_equal_values_are_unlikely_to_hide_a_change_and_a_large_step_is_certain() -> None:
    positions, noise = np.arange(30), np.full(30, 1e-4)
    flat = np.zeros(30)
    assert change_probability(positions, flat, noise) < 0.25
    assert change_probability(positions, np.where(positions < 11, 0.0, 0.2), noise) > 0.9999
    assert change_probability(positions[:1], flat[:1], noise[:1]) == 0.5


@pytest.mark.parametrize("phi", [0.0, 0.4, 0.8])
def test_gains_under_autocorrelated_noise_are_those_of_whitened_least_squares(phi: float) -> None:
    rng = np.random.default_rng(3)
    n = 9
    y, variances = rng.normal(0, 1, n), rng.uniform(0.5, 2, n)
    whitener = np.eye(n) - phi * np.eye(n, k=-1)
    whitener[0, 0] = np.sqrt(1 - phi**2)
    whitener = whitener / np.sqrt(variances)

    def squares(columns: list[np.ndarray[tuple[int], np.dtype[np.float64]]]) -> float:
        matrix, values = whitener @ np.column_stack(columns), whitener @ y
        fitted = matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0]
        return float(((values - fitted) ** 2).sum())

    ones = np.ones(n)
    expected = [squares([ones]) - squares([ones, np.repeat([0.0, 1.0], [at, n - at])]) for at in range(1, n)]
    np.testing.assert_allclose(split_gains(y, variances, phi), expected)
