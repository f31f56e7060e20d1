"""Replays compare estimates with the whole truth in the ways that they say."""

import numpy as np
import numpy.typing as npt
import pytest

from analytics.changepoints import ChangePointSettings
from analytics.histories.active_sampling import StopRule, usual_rule
from analytics.histories.errors import HistoryError
from analytics.histories.history import fit
from analytics.histories.measurements import Measurements
from analytics.histories.settings import HistorySettings, NoisePolicy
from studies.replay.playing import ReplaySettings, located_jumps, measure_actively, replay
from studies.replay.scoring import Score, compare, matches, mean_score, score
from studies.synthetic import LevelStep, make_history


def stepped(length: int = 200) -> Measurements:
    """A fully measured history with one step."""
    history = make_history(length, np.random.default_rng(1), steps=[LevelStep(130, 0.5)])
    return history.measure(range(length), np.random.default_rng(2), repetitions=1, noise=0.002)


def test_change_points_match_once_within_five_revisions() -> None:
    assert matches([10, 40], [15, 16, 60]) == 1
    assert matches([10, 12], [11]) == 1
    assert matches([10, 20], [5, 26]) == 1
    assert matches([], [3]) == 0


def test_jumps_are_located_between_neighbours_whose_levels_differ_beyond_the_noise() -> None:
    points = Measurements.of([0, 25, 50, 75, 100], [1.0, 1.0, 1.5, 1.51, 1.5])
    exact = HistorySettings(noise=NoisePolicy.KNOWN, known_noise=0.001, noise_floor=0.001)
    assert located_jumps(fit(points, exact)) == [(25, 50)]


def test_the_two_errors_divide_by_truth_and_by_prediction() -> None:
    truth = Measurements.of(range(4), [2.0, 2.0, 2.0, 2.0])
    found = score(truth, np.full(4, 4.0), 3, ChangePointSettings())
    assert found.mape == pytest.approx(100)
    assert found.mape_paper == pytest.approx(50)


def test_the_truth_itself_scores_without_error() -> None:
    truth = stepped()
    found = score(truth, np.asarray(truth.values), 200, ChangePointSettings())
    assert (found.mape, found.precision, found.recall, found.f1) == (0.0, 1.0, 1.0, 1.0)


def test_samples_are_three_and_a_share_of_all_revisions_rounded_down() -> None:
    truth = stepped()
    assert ReplaySettings(shares=(0.01, 0.05), total=1151).samples(truth) == (14, 60)
    assert ReplaySettings(shares=(0.01, 0.29), total=None).samples(truth) == (5, 61)
    assert ReplaySettings(shares=(1.0,), total=1151).samples(truth) == (200,)


def test_measuring_everything_leaves_no_error() -> None:
    (found,) = replay(stepped(), "gap", ReplaySettings(shares=(1.0,))).values()
    assert found.mape < 0.1
    assert found.samples == 200


def test_the_default_stops_as_the_product_does_where_nothing_is_worth_measuring() -> None:
    truth, settings = stepped(), ReplaySettings(shares=(0.05, 1.0))
    early, late = replay(truth, "mix", settings).values()
    assert early.samples == 13
    assert late.samples == len(measure_actively(truth, usual_rule(200))) < 60
    assert late.f1 == 1


def measured(values: npt.NDArray[np.float64], samples: int) -> npt.NDArray[np.int64]:
    """The positions in the order of measuring, whatever the gain."""
    truth = Measurements.of(np.arange(len(values)), values)
    return measure_actively(truth, StopRule(smallest_gain=None, most=samples))


def test_each_revision_is_measured_once_and_the_step_is_bracketed() -> None:
    history = make_history(2000, np.random.default_rng(1), steps=[LevelStep(1300, 0.3)])
    order = measured(history.levels, 30)
    assert len(set(order.tolist())) == 30
    places = np.sort(order)
    after = int(np.searchsorted(places, 1300))
    assert places[after] - places[after - 1] == 1


def test_measuring_ends_where_everything_is_measured() -> None:
    assert sorted(measured(np.linspace(1, 2, 7), 50).tolist()) == list(range(7))


def test_a_value_that_has_no_logarithm_changes_the_scale_on_the_way() -> None:
    values = np.where(np.arange(100) < 37, 1.0, -0.5)
    order = measured(values, 20)
    assert {36, 37} <= set(order.tolist())
    assert len(Measurements.of(order, values[order])) == 20


def test_choosing_beats_drawing_on_a_history_with_a_step() -> None:
    settings = ReplaySettings(shares=(0.05,), seeds=5)
    mixed, drawn = (replay(stepped(), name, settings)[0.05] for name in ("mix", "random"))
    assert mixed.mape < 0.5 * drawn.mape
    assert mixed.f1 == 1


def test_undefined_figures_are_left_out_of_means() -> None:
    nan = float("nan")
    means = mean_score([Score(1.0, 2.0, 3, nan, nan, nan), Score(3.0, 2.0, 5, 0.5, nan, 1.0)])
    assert (means.mape, means.samples, means.precision, means.f1) == (2.0, 4.0, 0.5, 1.0)
    assert np.isnan(means.recall)


def test_tests_are_paired_over_series() -> None:
    def own(error: float) -> dict[float, Score]:
        return {0.05: Score(error, error, 3, 1.0, 1.0, 1.0)}

    scores = {str(k): {"a": own(1.0 + k), "b": own(2.0 + k), "c": own(1.0 + k)} for k in range(8)}
    found = {(test.first, test.second): test for test in compare(scores)}
    assert found["a", "b"].difference == pytest.approx(-1)
    assert found["a", "b"].p_value < 0.01
    assert found["a", "c"].p_value == 1


def test_too_short_series_and_unknown_acquisitions_are_refused() -> None:
    with pytest.raises(HistoryError, match="at least 3"):
        replay(Measurements.of([0, 1], [1.0, 1.0]), "mix", ReplaySettings())
    with pytest.raises(HistoryError, match="no acquisition 'best'"):
        replay(stepped(), "best", ReplaySettings())
