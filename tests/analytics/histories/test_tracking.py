"""One-step updates are exact, and a history can be tracked from nothing but what was measured."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from analytics.histories import Measurements, mix
from analytics.histories.tracking import TrackedLevels, measure_actively
from analytics.synthetic import Step, make_history


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


def track(values: npt.NDArray[np.float64], samples: int) -> npt.NDArray[np.int64]:
    """Track a history whose every revision can be measured."""
    last = len(values) - 1
    start = np.array([0, last // 2, last])
    return measure_actively(
        lambda place: float(values[place]), start, np.arange(len(values)), mix, samples=samples
    )


def test_tracking_measures_each_revision_once_and_brackets_the_step() -> None:
    history = make_history(2000, np.random.default_rng(1), steps=[Step(1300, 0.3)])
    order = track(history.levels, 30)
    assert len(set(order.tolist())) == 30
    places = np.sort(order)
    after = int(np.searchsorted(places, 1300))
    assert places[after] - places[after - 1] <= 3


def test_tracking_ends_where_everything_is_measured() -> None:
    assert sorted(track(np.linspace(1, 2, 7), 50).tolist()) == list(range(7))


def test_a_value_that_has_no_logarithm_changes_the_scale_on_the_way() -> None:
    values = np.where(np.arange(100) < 37, 1.0, -0.5)
    order = track(values, 20)
    assert {36, 37} <= set(order.tolist())
    assert len(Measurements.of(order, values[order])) == 20
