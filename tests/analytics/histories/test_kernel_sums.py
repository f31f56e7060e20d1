"""Kernels add, one interface answers for all of them, and a value that is left out is predicted by the others alone."""

import numpy as np
import pytest

from analytics.histories.brownian import RandomWalkSolver, predict_levels
from analytics.histories.dense import covariance
from analytics.histories.errors import HistoryError
from analytics.histories.fitted import Hyperparameters
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.posteriors import KernelPosterior, Standard, leave_one_out
from analytics.histories.settings import HistorySettings, Kernel, NoisePolicy

POSITIONS = np.array([0, 4, 9, 15, 22, 30, 39])
VALUES = np.array([1.0, 1.02, 1.05, 1.2, 1.22, 1.18, 1.21])
SETTINGS = {"noise": NoisePolicy.KNOWN, "known_noise": 0.01, "length": 40}
POINTS = Measurements.of(POSITIONS, VALUES)


def density(y: float, mean: float, variance: float) -> float:
    """The log density of a normal distribution, in nats."""
    return float(-0.5 * (np.log(2 * np.pi * variance) + (y - mean) ** 2 / variance))


def test_the_covariance_of_a_sum_is_the_sum_of_covariances() -> None:
    x = np.linspace(0, 1, 5)
    first, second = Hyperparameters(1.2, 0.0, 0.3), Hyperparameters(0.7, 0.0)
    both = covariance(
        (Kernel.RBF, Kernel.LINEAR), Hyperparameters(1.2, 0.0, 0.3, plus=(second,)), x[:, None], x
    )
    alone = covariance((Kernel.RBF,), first, x[:, None], x)
    alone += covariance((Kernel.LINEAR,), second, x[:, None], x)
    np.testing.assert_allclose(both, alone)


@pytest.mark.parametrize("kernels", [(Kernel.MATERN32,), (Kernel.RBF, Kernel.LINEAR)])
def test_a_value_left_out_is_predicted_by_the_others(kernels: tuple[Kernel, ...]) -> None:
    parameters = Hyperparameters(0.8, 1e-4, 0.3, plus=(Hyperparameters(0.5, 1e-4),) * (len(kernels) - 1))
    settings = HistorySettings(kernel=kernels[0], plus=kernels[1:], **SETTINGS)  # type: ignore[arg-type]
    fitted = fit(POINTS, settings, parameters=parameters)
    y, noise = fitted.scale.forward(VALUES), fitted.noise_variances
    standard = Standard(POSITIONS, y, settings.noise_floor * fitted.unit)
    expected = []
    for one in range(len(y)):
        rest = np.arange(len(y)) != one
        others = KernelPosterior(kernels, parameters, (POSITIONS[rest], y[rest], noise[rest]), standard)
        mean, variance, _ = others.at(POSITIONS[[one]].astype(np.float64))
        expected.append(density(y[one], mean[0], variance[0] + noise[one]))
    np.testing.assert_allclose(leave_one_out(fitted), expected, atol=1e-6)


def test_brownian_motion_leaves_a_value_out_in_the_same_way() -> None:
    fitted = fit(POINTS, HistorySettings(**SETTINGS))  # type: ignore[arg-type]
    y, noise, step = fitted.scale.forward(VALUES), fitted.noise_variances, fitted.hyperparameters.variance
    expected = []
    for one in range(len(y)):
        rest = np.arange(len(y)) != one
        levels = RandomWalkSolver(np.diff(POSITIONS[rest]), y[rest]).posterior(
            noise[rest][None, :], np.array([step])
        )
        parts = (levels[0][0], levels[1][0], levels[2][0])
        mean, *spread = predict_levels(POSITIONS[rest], parts, step, POSITIONS[[one]].astype(np.float64))
        expected.append(density(y[one], mean[0], spread[0][0] + spread[1][0] + noise[one]))
    np.testing.assert_allclose(leave_one_out(fitted), expected, atol=1e-6)


def test_two_values_are_too_few_to_leave_one_out() -> None:
    fitted = fit(Measurements.of([0, 5], [1.0, 1.1]), HistorySettings(**SETTINGS))  # type: ignore[arg-type]
    with pytest.raises(HistoryError, match="at least 3"):
        leave_one_out(fitted)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_gpy_fits_a_sum_and_the_posterior_is_read_without_it() -> None:
    settings = HistorySettings(kernel=Kernel.EXPONENTIAL, plus=(Kernel.LINEAR,), **SETTINGS)  # type: ignore[arg-type]
    fitted = fit(POINTS, settings)
    assert len(fitted.hyperparameters.plus) == 1
    again = fit(POINTS, settings, parameters=fitted.hyperparameters)
    np.testing.assert_allclose(predict(again, [7, 60]).upper_95, predict(fitted, [7, 60]).upper_95)
    assert np.isfinite(leave_one_out(fitted)).all()
