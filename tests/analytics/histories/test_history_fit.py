"""A fitted history: its scale, its noise, its band, and what few points can claim."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.histories.errors import HistoryError
from analytics.histories.history import fit, predict
from analytics.histories.measurements import Measurements
from analytics.histories.scale import ValueScale
from analytics.histories.settings import HistorySettings, NoisePolicy
from studies.synthetic import Excursion, LevelStep, SyntheticHistory, make_history


def coverage(history: SyntheticHistory, measured: Measurements) -> float:
    """The share of revisions whose true level lies in the 95 % band."""
    band = predict(fit(measured), np.arange(len(history.levels)))
    return float(np.mean((band.lower_95 <= history.levels) & (history.levels <= band.upper_95)))


@pytest.mark.parametrize("revisions", [5, 10, 40, 300])
@pytest.mark.parametrize("repetitions", [1, 5])
def test_the_band_covers_simulated_walks_as_often_as_it_says(revisions: int, repetitions: int) -> None:
    """Also where a few single runs leave open what is noise and what is a step."""
    rng = np.random.default_rng(5)
    shares = []
    for _ in range(60):
        history = make_history(300, rng, base=20.0, walk=0.01)
        places = rng.choice(300, revisions, replace=False)
        shares.append(coverage(history, history.measure(places, rng, repetitions=repetitions)))
    assert 0.90 <= np.mean(shares) <= 0.98


def test_the_band_covers_a_steady_drift_of_single_runs() -> None:
    rng = np.random.default_rng(9)
    histories = [make_history(300, rng, drift=0.5) for _ in range(20)]
    shares = [coverage(history, history.measure(range(300), rng, repetitions=1)) for history in histories]
    assert np.mean(shares) >= 0.93


def test_the_band_covers_steps_and_excursions() -> None:
    rng = np.random.default_rng(6)
    shares = []
    for _ in range(40):
        history = make_history(
            300,
            rng,
            steps=[LevelStep(int(rng.integers(30, 270)), 0.3)],
            excursions=[Excursion(100, 140, 0.5)],
        )
        shares.append(coverage(history, history.measure(rng.choice(300, 60, replace=False), rng)))
    assert 0.90 <= np.mean(shares) <= 0.99


@given(st.lists(st.floats(0.5, 5.0), min_size=1, max_size=8), st.integers(1, 6))
@settings(max_examples=20)
def test_the_band_is_ordered_and_widens_away_from_measurements(values: list[float], gap: int) -> None:
    positions = np.arange(len(values)) * 2 * gap
    fitted = fit(Measurements.of(positions, values))
    last = int(positions[-1])
    band = predict(fitted, range(-5, last + 6))
    for narrow, wide in ((band.lower_50, band.lower_95), (band.median, band.lower_50)):
        assert np.all(wide <= narrow)
    for narrow, wide in ((band.upper_50, band.upper_95), (band.median, band.upper_50)):
        assert np.all(wide >= narrow)
    assert np.all(np.diff(band.sd[-6:]) > 0)
    assert np.all(np.diff(band.sd[:6]) < 0)


def test_only_the_positions_asked_for_are_answered() -> None:
    """Revisions that do not build are gaps: they get no value."""
    band = predict(fit(Measurements.of([1, 9], [1.0, 2.0])), [9, 2, 1])
    assert band.positions.tolist() == [9, 2, 1]
    assert band.median.shape == (3,)


@given(st.floats(1e-6, 1e6))
@settings(max_examples=10)
def test_the_unit_of_the_metric_does_not_matter(factor: float) -> None:
    rng = np.random.default_rng(0)
    positions = np.arange(0, 60, 5)
    values = np.exp(np.cumsum(rng.normal(0, 0.1, len(positions))))
    plain = predict(fit(Measurements.of(positions, values)), range(60))
    scaled = predict(fit(Measurements.of(positions, values * factor)), range(60))
    np.testing.assert_allclose(scaled.median, plain.median * factor, rtol=1e-4)
    np.testing.assert_allclose(scaled.upper_95, plain.upper_95 * factor, rtol=1e-2)


def test_the_band_of_a_positive_metric_stays_positive() -> None:
    fitted = fit(Measurements.of([0, 50, 100], [1.0, 0.01, 1.0]))
    assert fitted.scale is ValueScale.LOG
    assert np.all(predict(fitted, range(-100, 200)).lower_95 > 0)


@pytest.mark.parametrize("values", [[0.02, -0.01, 0.0, 0.03], [0.0, 0.0, 0.0, 0.0], [-1.0, -1.1, -0.9, -1.0]])
def test_influences_that_are_not_positive_are_fitted_on_the_plain_scale(values: list[float]) -> None:
    fitted = fit(Measurements.of([0, 3, 6, 9], values))
    band = predict(fitted, range(10))
    assert fitted.scale is ValueScale.PLAIN
    assert np.all(np.isfinite(band.upper_95))
    assert np.all((band.lower_95[::3] <= np.mean(values)) & (np.mean(values) <= band.upper_95[::3]))


def test_relative_sizes_refer_to_the_reference_level_on_the_plain_scale() -> None:
    points = Measurements.of([0, 5, 10], [0.0, 1.0, -1.0])
    known = HistorySettings(reference_level=200.0, noise=NoisePolicy.KNOWN, known_noise=0.003)
    fitted = fit(points, known)
    assert fitted.unit == 200.0
    assert np.sqrt(fitted.noise_variances) == pytest.approx(np.full(3, 0.003 * 200.0))


def test_one_measurement_gives_a_band_that_widens_on_both_sides() -> None:
    known = HistorySettings(noise=NoisePolicy.KNOWN, known_noise=0.003)
    band = predict(fit(Measurements.of([10], [2.0]), known), [0, 10, 20, 110])
    assert band.median == pytest.approx(np.full(4, 2.0))
    assert band.sd[1] == pytest.approx(0.003)
    assert band.sd[0] == pytest.approx(band.sd[2])
    assert 0.05 < band.sd[3] < 1.0


def test_two_measurements_are_joined_by_a_line_on_the_scale() -> None:
    band = predict(fit(Measurements.of([0, 10], [1.0, 4.0])), [0, 5, 10])
    assert band.median[1] == pytest.approx(2.0, rel=0.01)
    assert band.sd[1] > 2 * band.sd[0]


def test_equal_measurements_do_not_claim_that_nothing_ever_changed() -> None:
    band = predict(fit(Measurements.of([0, 50, 100], [2.0, 2.0, 2.0])), [25, 50])
    assert band.median == pytest.approx([2.0, 2.0])
    assert band.sd[0] > band.sd[1] > 0.002


@pytest.mark.parametrize("policy", [NoisePolicy.REPETITIONS, NoisePolicy.BOUNDED])
def test_noise_never_falls_below_the_floor(policy: NoisePolicy) -> None:
    points = Measurements.of(range(8), [1.0] * 8, [3] * 8, [0.0] * 8)
    fitted = fit(points, HistorySettings(noise=policy, noise_floor=0.01))
    assert np.all(fitted.noise_variances >= 1e-4 * (1 - 1e-9))
    if policy is NoisePolicy.REPETITIONS:
        assert fitted.noise_variances == pytest.approx(np.full(8, 1e-4))


def test_more_repetitions_and_smaller_spread_mean_less_noise() -> None:
    points = Measurements.of(range(4), [1.0] * 4, [3, 30, 3, 3], [0.1, 0.1, 0.3, 0.1])
    many, wild, usual = (fit(points).noise_variances[i] for i in (1, 2, 3))
    assert many < usual < wild


def test_one_wild_revision_does_not_blur_the_others() -> None:
    calm = Measurements.of(range(20), [1.0] * 20, [5] * 20, [0.01] * 20)
    wild = Measurements.of(range(20), [1.0] * 20, [5] * 20, [0.01] * 19 + [5.0])
    assert fit(wild).noise_variances[0] == pytest.approx(fit(calm).noise_variances[0], rel=0.05)


def test_standard_errors_are_taken_as_they_are() -> None:
    points = Measurements.of(range(3), [1.0, 2.0, 4.0], errors=[0.1, 0.1, np.nan])
    assert fit(points).noise_variances == pytest.approx([0.01, 0.0025, 0.00625])


def test_known_noise_falls_with_repetitions() -> None:
    points = Measurements.of([0, 1], [1.0, 1.0], [1, 2])
    fitted = fit(points, HistorySettings(noise=NoisePolicy.KNOWN, known_noise=0.1))
    assert fitted.noise_variances == pytest.approx([0.01, 0.005])


def test_a_jump_between_clustered_measurements_is_not_read_as_noise() -> None:
    """Free maximum likelihood would smooth the jump away (the trap that bounded noise is for)."""
    positions = [0, 100, *range(195, 206), 300, 400]
    values = [1.0 if p < 200 else 2.0 for p in positions]
    wiggle = [1 + 0.002 * (-1) ** i for i in range(len(positions))]
    fitted = fit(Measurements.of(positions, np.array(values) * wiggle))
    band = predict(fitted, [199, 200])
    assert band.median[1] / band.median[0] > 1.95


@given(st.permutations(range(6)))
@settings(max_examples=10)
def test_the_order_of_the_measurements_does_not_matter(order: list[int]) -> None:
    positions, values = np.array([0, 2, 3, 7, 11, 12]), np.array([1.0, 1.1, 1.5, 1.4, 2.0, 2.1])
    shuffled: npt.NDArray[np.int64] = np.array(order)
    expected = predict(fit(Measurements.of(positions, values)), range(14))
    got = predict(fit(Measurements.of(positions[shuffled], values[shuffled])), range(14))
    np.testing.assert_array_equal(got.median, expected.median)
    np.testing.assert_array_equal(got.upper_95, expected.upper_95)


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise_floor": 0.0},
        {"expected_change": -1.0},
        {"length": 0},
        {"reference_level": float("nan")},
        {"known_noise": 0.1},
        {"noise": NoisePolicy.KNOWN},
    ],
)
def test_settings_without_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(HistoryError, match=next(iter(wrong))):
        HistorySettings(**wrong)  # type: ignore[arg-type]  # the values are wrong on purpose


def test_positions_must_be_whole_numbers() -> None:
    with pytest.raises(HistoryError, match=r"2\.5"):
        predict(fit(Measurements.of([1], [1.0])), [2.5])  # type: ignore[list-item]  # wrong on purpose


@given(
    st.lists(st.floats(-1e12, 1e12) | st.floats(1e-9, 1e-3), min_size=1, max_size=8),
    st.integers(1, 10**8),
    st.sampled_from([1e-9, 0.003, 0.5]),
)
@settings(max_examples=30)
def test_any_finite_values_give_a_finite_median_and_sd(values: list[float], gap: int, floor: float) -> None:
    positions = np.arange(len(values)) * gap
    fitted = fit(Measurements.of(positions, values), HistorySettings(noise_floor=floor))
    band = predict(fitted, [-gap, *positions.tolist(), int(positions[-1]) + gap])
    assert np.all(np.isfinite(band.median))
    assert np.all(band.sd > 0)
    assert np.all(np.isfinite(band.sd))
