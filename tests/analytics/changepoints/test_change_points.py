"""Change points are found with bracket and size, and nothing is claimed where the data cannot tell."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from analytics.changepoints import ChangePointError, ChangePointSettings, Reference, find_change_points
from analytics.histories.errors import HistoryError
from analytics.histories.measurements import Measurements
from studies.synthetic import Excursion, LevelStep, make_history


def test_one_clear_step_of_35_releases_is_found_with_bracket_and_size() -> None:
    rng = np.random.default_rng(0)
    history = make_history(35, rng, base=0.25, steps=[LevelStep(17, 0.67)])
    found = find_change_points(history.measure(range(35), rng, noise=0.03))
    (change,) = found.changes
    assert (change.bracket_before, change.bracket_after) == (16, 17)
    assert change.relative_low < 0.67 < change.relative_high
    assert change.relative_size == pytest.approx(0.67, abs=0.05)
    assert change.reference == pytest.approx(0.25, rel=0.03)
    assert change.absolute_size == pytest.approx(0.25 * 0.67, rel=0.08)
    assert change.relative_size == pytest.approx(change.absolute_size / change.reference)
    assert change.location_probability > 0.99


def test_mild_steps_of_a_few_percent_are_found() -> None:
    rng = np.random.default_rng(2)
    steps = [LevelStep(6, -0.08), LevelStep(14, 0.06), LevelStep(20, 0.05), LevelStep(28, -0.1)]
    history = make_history(35, rng, steps=steps)
    found = find_change_points(history.measure(range(35), rng, noise=0.01))
    assert [c.bracket_after for c in found.changes] == [6, 14, 20, 28]
    for change, step in zip(found.changes, steps, strict=True):
        assert change.relative_low < step.relative_size < change.relative_high


@pytest.mark.parametrize("length", [40, 120])
def test_up_then_down_is_two_changes_of_a_few_repeated_runs_and_went_away_in_a_long_series(
    length: int,
) -> None:
    rng = np.random.default_rng(3)
    history = make_history(length, rng, excursions=[Excursion(20, 26, 0.4)])
    found = find_change_points(history.measure(range(length), rng, noise=0.02))
    if length < 100:
        up, down = found.changes
        assert (up.bracket_after, down.bracket_after) == (20, 27)
        assert up.relative_size > 0 > down.relative_size
    else:
        assert not found.changes
        (passed,) = found.undecided
        assert (passed.first, passed.last, passed.went_away) == (20, 26, True)
        assert passed.relative_size == pytest.approx(0.4, abs=0.05)


def test_levels_of_a_few_releases_are_changes_where_repetitions_explain_the_noise() -> None:
    rng = np.random.default_rng(5)
    steps = [LevelStep(8, 0.67), LevelStep(13, -0.09), LevelStep(19, 0.05), LevelStep(23, 0.085)]
    measured = make_history(38, rng, steps=steps).measure(range(38), rng, noise=0.015)
    assert [one.bracket_after for one in find_change_points(measured).changes] == [8, 13, 19, 23]


def test_brackets_are_the_neighbouring_measured_revisions() -> None:
    rng = np.random.default_rng(4)
    history = make_history(1000, rng, steps=[LevelStep(620, 0.3)])
    measured = [0, 90, 200, 400, 410, 555, 600, 640, 700, 810, 900, 999]
    (change,) = find_change_points(history.measure(measured, rng)).changes
    assert (change.bracket_before, change.bracket_after) == (600, 640)


@pytest.mark.parametrize("repetitions", [1, 5])
def test_pure_noise_rarely_shows_a_change(repetitions: int) -> None:
    rng = np.random.default_rng(5)
    settings = ChangePointSettings(minimum_effect=0.0)
    lengths = [4, 6, 10, 35] * 70
    alarms = 0
    for length in lengths:
        measured = make_history(length, rng).measure(range(length), rng, repetitions=repetitions, noise=0.02)
        alarms += bool(find_change_points(measured, settings).changes)
    assert alarms / len(lengths) <= 0.08


def test_scatter_between_revisions_counts_as_noise_even_where_repetitions_agree() -> None:
    rng = np.random.default_rng(6)
    values = np.exp(rng.normal(0, 0.05, 40))
    points = Measurements.of(range(40), values, [5] * 40, values * 0.001)
    found = find_change_points(points)
    assert found.noise == pytest.approx(0.05, rel=0.5)
    assert not found.changes


def test_the_size_interval_covers_the_true_size() -> None:
    rng = np.random.default_rng(7)
    covered = total = 0
    for _ in range(120):
        history = make_history(20, rng, steps=[LevelStep(8, 0.15)])
        changes = find_change_points(history.measure(range(20), rng, noise=0.03)).changes
        if len(changes) == 1:
            total += 1
            covered += changes[0].relative_low <= 0.15 <= changes[0].relative_high
    assert total > 100
    assert covered / total >= 0.93


def test_changes_below_the_minimum_effect_are_joined() -> None:
    rng = np.random.default_rng(8)
    history = make_history(60, rng, steps=[LevelStep(20, 0.015), LevelStep(40, 0.2)])
    points = history.measure(range(60), rng, noise=0.002)
    small = find_change_points(points, ChangePointSettings(minimum_effect=0.01))
    large = find_change_points(points, ChangePointSettings(minimum_effect=0.05))
    assert [c.bracket_after for c in small.changes] == [20, 40]
    assert [c.bracket_after for c in large.changes] == [40]


@given(st.lists(st.sampled_from([1.0, 1.01, 1.03, 1.2, 2.0]), min_size=1, max_size=25), st.integers(1, 4))
@settings(max_examples=60)
def test_what_is_reported_keeps_the_promises_of_the_settings(
    values: list[float], minimum_points: int
) -> None:
    settings = ChangePointSettings(minimum_effect=0.02, minimum_points=minimum_points)
    points = Measurements.of(range(0, 3 * len(values), 3), values)
    found = find_change_points(points, settings)
    for change in found.changes:
        assert abs(change.relative_size) >= 0.02
        assert change.bracket_before < change.bracket_after
    for one, next_one in pairwise(found.changes):
        assert one.bracket_after <= next_one.bracket_before
    aside = {at for one in found.undecided for at in range(one.first, one.last + 1)}
    starts = [0, *(change.bracket_after for change in found.changes)]
    ends = [*(change.bracket_before for change in found.changes), 3 * len(values)]
    for start, end in zip(starts, ends, strict=True) if found.changes else ():
        measured = [at for at in points.positions.tolist() if start <= at <= end and at not in aside]
        assert len(measured) >= minimum_points
    assert find_change_points(points, settings) == found


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0], [1.0, 1.0, 2.0]])
def test_too_few_points_are_not_enough_data(values: list[float]) -> None:
    found = find_change_points(
        Measurements.of(range(len(values)), values, [9] * len(values), [0.01] * len(values))
    )
    assert not found.enough_data
    assert not found.changes


def test_without_any_sign_of_the_noise_there_is_not_enough_data() -> None:
    settings = ChangePointSettings(minimum_points=1)
    assert not find_change_points(Measurements.of([0, 1], [1.0, 2.0]), settings).enough_data


def test_a_last_point_that_differs_is_undecided() -> None:
    values = [1.0] * 10 + [1.5]
    found = find_change_points(Measurements.of(range(11), values, [5] * 11, [0.01] * 11))
    assert not found.changes
    (undecided,) = found.undecided
    assert (undecided.first, undecided.last) == (10, 10)
    assert undecided.relative_size == pytest.approx(0.5, rel=0.01)


def test_an_outlier_does_not_split_a_level() -> None:
    values = [1.0] * 10 + [3.0] + [1.0] * 10
    found = find_change_points(Measurements.of(range(0, 42, 2), values))
    assert not found.changes
    assert [u.first for u in found.undecided] == [20], "revisions beside it are not measured"
    assert found.undecided[0].relative_size == pytest.approx(2.0, rel=0.01), "of the level around it"


def test_points_between_two_levels_of_few_points_widen_the_bracket() -> None:
    values = [1.0] * 8 + [1.2, 1.4, 1.6] + [2.0] * 8
    found = find_change_points(Measurements.of(range(19), values, [5] * 19, [0.01] * 19))
    (change,) = found.changes
    assert (change.bracket_before, change.bracket_after) == (7, 11)
    assert not found.undecided


def test_points_between_two_levels_do_not_hide_the_change() -> None:
    values = [1.0] * 10 + [1.2, 1.4, 1.6] + [2.0] * 10
    (change,) = find_change_points(Measurements.of(range(23), values, [5] * 23, [0.01] * 23)).changes
    assert 9 <= change.bracket_before < change.bracket_after <= 13
    assert change.relative_size == pytest.approx(1.0, abs=0.15)


def test_influences_may_be_negative_and_change_sign() -> None:
    rng = np.random.default_rng(9)
    values = np.repeat([-0.02, 0.03, 0.0], 10) + rng.normal(0, 0.001, 30)
    points = Measurements.of(range(30), values, errors=[0.001] * 30)
    found = find_change_points(points, ChangePointSettings(reference_level=0.5))
    assert found.relative_to is Reference.REFERENCE_LEVEL
    assert [c.bracket_after for c in found.changes] == [10, 20]
    assert found.changes[0].relative_size == pytest.approx(0.1, rel=0.05)
    assert found.changes[0].absolute_size == pytest.approx(0.05, rel=0.05)


def test_without_a_reference_sizes_refer_to_the_median_magnitude() -> None:
    values = [-1.0, -1.0, -1.0, 4.0, 4.0]
    found = find_change_points(Measurements.of(range(5), values, [5] * 5, [0.01] * 5))
    assert found.relative_to is Reference.MEDIAN_MAGNITUDE
    assert found.changes[0].reference == 1.0
    assert found.changes[0].relative_size == pytest.approx(5.0, rel=0.01)


@given(st.floats(1e-6, 1e6))
@settings(max_examples=20)
def test_the_unit_of_the_metric_does_not_matter(factor: float) -> None:
    rng = np.random.default_rng(10)
    history = make_history(30, rng, steps=[LevelStep(12, 0.2)])
    points = history.measure(range(30), rng)
    scaled = Measurements.of(
        points.positions, points.values * factor, points.repetitions, points.spreads * factor
    )
    (plain,), (other,) = find_change_points(points).changes, find_change_points(scaled).changes
    assert (other.bracket_before, other.bracket_after) == (plain.bracket_before, plain.bracket_after)
    assert other.relative_size == pytest.approx(plain.relative_size)
    assert other.absolute_size == pytest.approx(plain.absolute_size * factor)


def test_a_constant_series_has_no_change() -> None:
    found = find_change_points(Measurements.of(range(20), [2.0] * 20))
    assert found.enough_data
    assert not found.changes
    assert found.noise == pytest.approx(0.003)


@pytest.mark.parametrize(
    "wrong",
    [
        {"minimum_effect": -0.1},
        {"minimum_points": 0},
        {"noise_floor": 0.0},
        {"reference_level": float("inf")},
    ],
)
def test_settings_without_sense_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ChangePointError, match=next(iter(wrong))):
        ChangePointSettings(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_no_measurement_at_all_is_refused_where_measurements_are_made() -> None:
    with pytest.raises(HistoryError, match="not empty"):
        Measurements.of([], [])


@given(st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(0, 1e9)), min_size=4, max_size=12))
@example([(0.0, 0.0), (0.0, 0.0), (0.0, 0.0), (1.676236690396435e-154, 0.0)])
@example([(1.0, 0.0), (1.0, 0.0), (1.0, 0.0), (1.676236690396435e-154, 3.0)])
@settings(max_examples=40)
def test_any_finite_values_and_spreads_can_be_searched(runs: list[tuple[float, float]]) -> None:
    values, spreads = zip(*runs, strict=True)
    found = find_change_points(Measurements.of(range(len(runs)), values, [4] * len(runs), spreads))
    for change in found.changes:
        assert change.relative_low <= change.relative_size <= change.relative_high
        assert 0 <= change.location_probability <= 1
