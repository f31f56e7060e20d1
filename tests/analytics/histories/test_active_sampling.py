"""One-step updates are exact, and a history can be tracked from nothing but what was measured."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.histories import HistorySettings, Hyperparameters, Kernel, Measurements, mix
from analytics.histories.active_sampling import TrackedLevels, measure_actively
from analytics.histories.dense import DensePosterior, Standard
from analytics.histories.matern import TrackedMatern
from analytics.synthetic import LevelStep, make_history


@given(st.lists(st.integers(0, 60), min_size=2, max_size=12, unique=True), st.integers(0, 2**32 - 1))
def test_absorbing_a_measurement_equals_conditioning_on_all(places: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    y, noise = rng.normal(size=len(places)), rng.uniform(0.01, 2.0, len(places))
    step = float(rng.uniform(0.01, 2.0))

    def conditioned(count: int) -> TrackedLevels:
        order = np.argsort(places[:count])
        return TrackedLevels.of(
            np.array(places[:count], dtype=np.float64)[order], y[:count][order], noise[:count][order], step
        )

    levels = conditioned(1)
    for k in range(1, len(places)):
        levels = levels.absorb(places[k], float(y[k]), float(noise[k]))
    whole = conditioned(len(places))
    np.testing.assert_array_equal(levels.positions, whole.positions)
    np.testing.assert_allclose(levels.means, whole.means, atol=1e-9)
    np.testing.assert_allclose(levels.variances, whole.variances, atol=1e-9)
    np.testing.assert_allclose(levels.covariances, whole.covariances, atol=1e-9)


@pytest.mark.parametrize("kernel", [Kernel.MATERN32, Kernel.MATERN52])
@given(st.lists(st.integers(0, 60), min_size=4, max_size=12, unique=True), st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_absorbing_into_a_matern_history_equals_the_dense_algebra_on_all(
    kernel: Kernel, places: list[int], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    y, noise = rng.normal(size=len(places)), rng.uniform(0.05, 2.0, len(places))
    parameters = Hyperparameters(float(rng.uniform(0.1, 3)), 1.0, float(rng.uniform(0.05, 1)))
    x, order = np.array(places, dtype=np.float64), np.argsort(places)
    first = np.argsort(places[:3])
    standard = Standard.of(x[:3][first], y[:3], 0.01)
    levels = TrackedMatern.of(kernel, parameters, (x[:3][first], y[:3][first], noise[:3][first]), standard)
    for k in range(3, len(places)):
        levels = levels.absorb(x[k], float(y[k]), float(noise[k]))
    means, variances = DensePosterior.of(kernel, parameters, (x[order], y[order], noise[order]), standard).at(
        x[order]
    )
    np.testing.assert_allclose(levels.means, means, atol=1e-8)
    np.testing.assert_allclose(levels.variances, variances, atol=1e-8)


def test_a_history_with_a_matern_kernel_is_tracked_too() -> None:
    history = make_history(300, np.random.default_rng(1), steps=[LevelStep(130, 0.3)])
    order = measure_actively(
        lambda place: float(history.levels[place]),
        np.array([0, 150, 299]),
        np.arange(300),
        mix,
        samples=14,
        settings=HistorySettings(kernel=Kernel.MATERN32),
    )
    places = np.sort(order)
    after = int(np.searchsorted(places, 130))
    assert places[after] - places[after - 1] <= 5


def track(values: npt.NDArray[np.float64], samples: int) -> npt.NDArray[np.int64]:
    """Track a history whose every revision can be measured."""
    last = len(values) - 1
    start = np.array([0, last // 2, last])
    return measure_actively(
        lambda place: float(values[place]), start, np.arange(len(values)), mix, samples=samples
    )


def test_tracking_measures_each_revision_once_and_brackets_the_step() -> None:
    history = make_history(2000, np.random.default_rng(1), steps=[LevelStep(1300, 0.3)])
    order = track(history.levels, 30)
    assert len(set(order.tolist())) == 30
    places = np.sort(order)
    after = int(np.searchsorted(places, 1300))
    assert places[after] - places[after - 1] == 1


def test_tracking_ends_where_everything_is_measured() -> None:
    assert sorted(track(np.linspace(1, 2, 7), 50).tolist()) == list(range(7))


def test_a_value_that_has_no_logarithm_changes_the_scale_on_the_way() -> None:
    values = np.where(np.arange(100) < 37, 1.0, -0.5)
    order = track(values, 20)
    assert {36, 37} <= set(order.tolist())
    assert len(Measurements.of(order, values[order])) == 20
