"""Of at least 20 points, noise of any kind is no change, and a step in it is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.changepoints import ChangePointError, ChangePoints, ChangePointSettings, find_change_points
from analytics.changepoints.drift_squares import beside_drifts
from analytics.changepoints.drifts import WALKS, drifts, log_product, wander_gains, waves_of
from analytics.changepoints.places import split_gains
from analytics.changepoints.robust import autocorrelation, clipped
from analytics.changepoints.running_products import PHIS, RunningProducts
from analytics.histories.measurements import FloatArray, Measurements
from benchmarks.noise_kinds import HELD_OUT, TUNED, autoregressive, gaussian


def found_in(logarithms: FloatArray, **chosen: float) -> ChangePoints:
    points = Measurements.of(np.arange(len(logarithms)), np.exp(logarithms))
    return find_change_points(points, ChangePointSettings(**chosen))  # type: ignore[arg-type]  # numbers only


@pytest.mark.parametrize("kind", [name for name in TUNED | HELD_OUT if name != "random walk"])
def test_what_does_not_step_has_no_change(kind: str) -> None:
    """No change is certain, and few are candidates; random walks are told from steps in part only."""
    rng = np.random.default_rng(4)
    told = [found_in((TUNED | HELD_OUT)[kind](rng, 150)).changes for _ in range(30)]
    assert sum(any(not one.is_candidate for one in changes) for changes in told) <= 1
    assert sum(map(bool, told)) <= 5


@pytest.mark.parametrize(
    ("kind", "share"), [("Gaussian", 0.9), ("Student t, 3 degrees", 0.9), ("AR(1) 0.3", 0.8)]
)
def test_a_step_of_five_percent_is_found(kind: str, share: float) -> None:
    rng = np.random.default_rng(5)
    found = 0
    for _ in range(30):
        values, at = TUNED[kind](rng, 150), int(rng.integers(40, 110))
        values[at:] += np.log(1.05)
        found += any(abs(one.bracket_after - at) <= 2 for one in found_in(values).changes)
    assert found / 30 >= share


def test_the_interval_of_a_size_holds_under_autocorrelated_noise() -> None:
    rng = np.random.default_rng(6)
    covered = total = 0
    for _ in range(150):
        values = autoregressive(rng, 120, 0.5)
        values[60:] += np.log(1.12)
        changes = found_in(values).changes
        if len(changes) == 1:
            total += 1
            covered += changes[0].relative_low <= 0.12 <= changes[0].relative_high
    assert total > 120
    assert covered / total >= 0.88


def test_fewer_false_alarms_are_asked_for_by_their_rate() -> None:
    rng = np.random.default_rng(7)
    values = gaussian(rng, 60)
    values[30:] += np.log(1.04)
    assert found_in(values).changes
    assert not found_in(values, false_alarm_rate=1e-9).changes
    with pytest.raises(ChangePointError, match="between 0 and 1"):
        ChangePointSettings(false_alarm_rate=0.0)
    with pytest.raises(ChangePointError, match="below 1"):
        ChangePointSettings(autocorrelation=1.0)


def test_alike_series_tell_the_noise_of_a_short_one() -> None:
    rng = np.random.default_rng(8)
    alone = pooled = 0
    for _ in range(200):
        values = gaussian(rng, 40)
        values[20:] += np.log(1.05)
        alone += bool(found_in(values).changes)
        pooled += bool(found_in(values, autocorrelation=0.0).changes)
    assert pooled > alone


def test_a_level_of_few_points_that_comes_back_is_no_change() -> None:
    rng = np.random.default_rng(9)
    values = gaussian(rng, 120)
    values[50:59] += 0.3
    values[90:] += 0.1
    found = found_in(values)
    assert [one.bracket_after for one in found.changes] == [90]
    assert [(one.first, one.last, one.went_away) for one in found.undecided] == [(50, 58, True)]


def test_the_last_points_may_be_the_beginning_of_a_level() -> None:
    values = gaussian(np.random.default_rng(10), 60)
    values[-3:] += 0.3
    found = found_in(values)
    assert not found.changes
    assert [(one.first, one.last, one.went_away) for one in found.undecided] == [(57, 59, False)]


@given(st.integers(20, 80), st.floats(1e-3, 1e3), st.integers(0, 2**32 - 1))
@settings(max_examples=25)
def test_changes_do_not_depend_on_the_unit(points: int, unit: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = gaussian(rng, points)
    values[points // 2 :] += 0.2
    one, other = found_in(values), found_in(values + np.log(unit))
    assert [(c.bracket_before, c.bracket_after) for c in one.changes] == [
        (c.bracket_before, c.bracket_after) for c in other.changes
    ]
    for change in one.changes:
        assert 0 <= change.certainty <= 1
        assert change.is_candidate == (change.certainty < 0.9)


@pytest.mark.parametrize("phi", [0.0, 0.3, 0.6])
def test_autocorrelation_is_told_from_differences_beside_steps(phi: float) -> None:
    rng = np.random.default_rng(11)
    told = []
    for _ in range(20):
        values = autoregressive(rng, 400, phi)
        values[100:] += 0.2
        told.append(autocorrelation(clipped(values, 1e-6), 1e-6)[0])
    assert np.mean(told) == pytest.approx(phi, abs=0.1)


def test_the_squares_of_a_stretch_are_those_of_generalized_least_squares() -> None:
    rng = np.random.default_rng(12)
    y, variances = rng.normal(size=12), rng.uniform(0.5, 2.0, 12)
    weights = np.sqrt(variances.mean() / variances)
    sums = RunningProducts(weights, (y - y.mean()) * weights)
    level, step = sums.level_and_step(*np.array([[0], [5], [12]]))
    whitener = np.eye(12) / np.sqrt(variances / variances.mean())
    columns = np.column_stack((np.ones(12), np.where(np.arange(12) >= 5, 1.0, 0.0)))
    for at, phi in enumerate(PHIS):
        differences = np.eye(12) - phi * np.eye(12, k=-1)
        differences[0, 0] = np.sqrt(1 - phi**2)
        matrix, values = differences @ whitener @ columns, differences @ whitener @ y
        squares = [_squares_left(matrix[:, :columns_used], values) for columns_used in (1, 2)]
        assert [level[0, at], step[0, at]] == pytest.approx(squares)
        assert sums.split_gains(float(phi), 0, 12)[4] == pytest.approx(squares[0] - squares[1])


def _squares_left(matrix: FloatArray, values: FloatArray) -> float:
    left = values - matrix @ np.linalg.lstsq(matrix, values, rcond=None)[0]
    return float(left @ left)


@pytest.mark.parametrize("phi", [0.0, 0.3, 0.94])
def test_running_sums_give_the_gains_of_every_split_of_a_stretch(phi: float) -> None:
    rng = np.random.default_rng(15)
    y, variances = 5.0 + rng.normal(size=400), rng.uniform(0.5, 2.0, 400)
    weights = np.sqrt(variances.mean() / variances)
    found = RunningProducts(weights, (y - y.mean()) * weights).split_gains(phi, 130, 290)
    expected = split_gains(y[130:290], variances[130:290], phi) * variances.mean()
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def test_of_changes_told_as_certain_nine_in_ten_are_there() -> None:
    rng = np.random.default_rng(13)
    told = []
    for kind in HELD_OUT.values():
        for _ in range(30):
            values, at = kind(rng, 40), int(rng.integers(5, 36))
            is_stepped = bool(rng.random() < 0.5)
            values[at:] += is_stepped * rng.uniform(0.05, 0.15)
            changes = [one for one in found_in(values).changes if not one.is_candidate]
            told += [is_stepped and abs(one.bracket_after - at) <= 5 for one in changes]
    assert len(told) > 25
    assert np.mean(told) >= 0.9


def test_a_random_walk_wins_over_a_level_as_its_density_says() -> None:
    """Twice the logarithm of the density of all contrasts of the values, with the variance that makes it largest."""
    rng = np.random.default_rng(14)
    y = np.cumsum(rng.normal(size=30)) * 0.7 + rng.normal(size=30)
    contrasts = np.linalg.svd(np.eye(30) - 1.0 / 30)[0][:, :29]
    walk = np.minimum.outer(np.arange(30.0), np.arange(30.0))
    step = contrasts.T @ (np.arange(30) >= 12)
    deviances = []
    for ratio in WALKS:
        covariance = contrasts.T @ (np.eye(30) + ratio * walk) @ contrasts
        values, inverse = contrasts.T @ y, np.linalg.inv(covariance)
        beyond = (values @ inverse @ step) ** 2 / (step @ inverse @ step)
        squares = values @ inverse @ values
        deviances.append(
            [30 * np.log(some) + np.linalg.slogdet(covariance)[1] for some in (squares, squares - beyond)]
        )
    alone, both = np.array(deviances).T
    assert wander_gains(y, 12, 0.0) == pytest.approx((alone[0] - alone.min(), alone.min() - both.min()))


def test_drifts_of_more_points_have_more_shapes() -> None:
    few, many = drifts(40), drifts(150)
    assert few.rows.shape[1] == 40
    assert few.alone < many.alone
    assert len(few.rows) - few.alone < len(many.rows) - many.alone


@pytest.mark.parametrize("points", [40, 150])
def test_the_squares_that_drifts_leave_are_those_of_generalized_least_squares(points: int) -> None:
    """Of the best line, curve, other shape and wave, alone and with a step, under each autocorrelation."""
    rng = np.random.default_rng(16)
    ones, y, middle = rng.uniform(0.5, 2.0, points), rng.normal(size=points), points // 3
    y[middle:] += 1.0
    shapes = drifts(points)
    found = beside_drifts(shapes, ones, y, middle)
    step = np.where(np.arange(points) >= middle, ones, 0.0)
    single = [[shape] for shape in shapes.rows[: shapes.alone]]
    pairs = [[*two] for two in shapes.rows[shapes.alone :].reshape(-1, 2, points)]
    kinds = [[pairs[0][:1]], pairs[:1], single, pairs[1:]]
    for at, phi in enumerate(PHIS):
        whitener = np.eye(points) - phi * np.eye(points, k=-1)
        whitener[0, 0] = np.sqrt(1 - phi**2)
        for kind, several in enumerate(kinds):
            for known, beside in enumerate(([ones], [ones, step])):
                least = min(
                    _squares_left(
                        whitener @ np.column_stack([*beside, *(ones * one for one in some)]), whitener @ y
                    )
                    for some in several
                )
                assert found[known, kind, at] == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("points", [2, 3, 60])
def test_the_product_of_all_waves_is_a_polynomial_of_chebyshev(points: int) -> None:
    added = np.array([0.0, 1e-5, 0.3, 1e3])
    expected = np.log(waves_of(points) + added[:, None]).sum(axis=1)
    assert log_product(added, points) == pytest.approx(expected, abs=1e-10)
