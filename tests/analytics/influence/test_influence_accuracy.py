"""Errors, corrections and thresholds on numbers that can be checked by hand."""

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.accuracy import (
    OverheadCorrection,
    PredictionQuality,
    accuracy,
    mape,
    mean_as_prediction,
    prediction_quality,
    reach_globally,
    reach_locally,
)
from analytics.influence.errors import InfluenceError
from analytics.influence.models import InfluenceModel, fit
from tests.analytics.influence.written_terms import written
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))
ALL = every_configuration(SPACE)


@pytest.fixture
def model() -> InfluenceModel:
    """A costs 0.5 s in one region and saves it in another; B costs 0.2 s in each of two."""
    a = Partition.from_formulas(SPACE, ["!A", "A"])
    b = Partition.from_formulas(SPACE, ["!B", "B"])
    seconds = ([1.0, 1.5], [2.0, 1.5], [0.1, 0.3], [0.1, 0.3])
    parts = [a, a, b, b]
    values = np.stack([np.array(own)[part.assign(ALL)] for own, part in zip(seconds, parts, strict=True)])
    return fit(measured(SPACE, parts, ALL, values[:, :, np.newaxis]))


def test_the_two_ways_of_thresholding_differ(model: InfluenceModel) -> None:
    """A cancels in the sum, B only adds up in it."""
    assert written(model.terms) == ["intercept", "A [off -> on]", "B [off -> on]"]
    assert reach_locally(model, 0.3).tolist() == [True, True, False]
    assert reach_globally(model, 0.3).tolist() == [True, False, True]


def test_a_threshold_is_reached_by_what_equals_it(model: InfluenceModel) -> None:
    """0.3 - 0.1 is a rounding error below 0.2; it still reaches 0.2."""
    assert reach_locally(model, 0.2)[2]
    assert reach_globally(model, 0.4)[2]
    assert not reach_globally(model, 0.401)[2]


def test_errors_are_divided_by_the_truth() -> None:
    """Not by the prediction."""
    assert mape(np.array([2.0, 3.0]), np.array([4.0, 2.0])) == 50.0


def test_accuracy_reports_original_and_corrected_errors(model: InfluenceModel) -> None:
    """Mean and deviation over the corrections drawn at random only."""
    truth = model.predict(ALL) / 2
    fits = (
        OverheadCorrection("all", 0.0, 1.0),
        OverheadCorrection("random_1", 0.0, 2.0),
        OverheadCorrection("random_2", 0.0, 4.0),
    )
    figures = accuracy(model, ALL, truth, fits, thresholds=(0.3,))
    assert figures.quality.error == pytest.approx(100)
    assert figures.mape_per_correction == pytest.approx({"all": 100, "random_1": 0, "random_2": 50})
    assert figures.mape_corrected_mean == pytest.approx(25)
    assert figures.mape_corrected_sd == pytest.approx(np.sqrt(1250))
    assert (figures.terms_local_threshold, figures.terms_global_threshold) == ({0.3: 2}, {0.3: 2})
    assert (figures.configurations, figures.regions, figures.distinct_subspaces) == (4, 4, 4)
    assert (figures.uncovered_subspaces, figures.cover_size) == (0, 2)


def test_without_ground_truth_or_corrections_there_are_no_errors(model: InfluenceModel) -> None:
    """None, not zero."""
    figures = accuracy(model, ALL[:0], np.zeros(0))
    assert figures.quality.error is None
    assert figures.mape_corrected_mean is None
    assert (
        accuracy(model, ALL, np.ones(4), [OverheadCorrection("random", 0.0, 1.0)]).mape_corrected_sd is None
    )


@pytest.mark.parametrize("truth", [[0.0], [np.nan], []])
def test_an_error_relative_to_nothing_is_refused(truth: list[float]) -> None:
    """Zero, no number, none at all."""
    with pytest.raises(InfluenceError, match="divides by the truth"):
        mape(np.ones(len(truth)), np.array(truth))


@pytest.mark.parametrize(("intercept", "slope"), [(0.0, 0.0), (np.nan, 1.0), (0.0, np.inf)])
def test_a_correction_that_cannot_be_undone_is_refused(intercept: float, slope: float) -> None:
    """The message names it."""
    with pytest.raises(InfluenceError, match="correction flat"):
        OverheadCorrection("flat", intercept, slope)


def test_regret_is_what_the_recommended_configuration_costs_over_the_best() -> None:
    """The second of three is promised to be best; it takes 3 s where 2 s are possible. Its order is that of the truth but for one swap."""
    found = prediction_quality(np.array([5.0, 1.0, 2.0]), np.array([9.0, 3.0, 2.0]))
    assert found.regret == pytest.approx(50)
    assert found.rank_correlation == pytest.approx(0.5)
    assert found.checked == 3


def test_of_a_metric_where_more_is_better_the_largest_prediction_is_recommended() -> None:
    found = prediction_quality(
        np.array([1.0, 3.0, 2.0]), np.array([10.0, 80.0, 100.0]), lower_is_better=False
    )
    assert found.regret == pytest.approx(20)


def test_equal_promises_are_worth_their_mean() -> None:
    """As if one of them were drawn by lot; a model that tells nothing apart has no rank correlation."""
    found = prediction_quality(np.ones(4), np.array([1.0, 2.0, 3.0, 6.0]))
    assert found.regret == pytest.approx(200)
    assert found.rank_correlation is None


def test_what_is_not_predicted_or_has_no_truth_is_not_judged() -> None:
    predicted, truth = np.array([np.nan, 2.0, 3.0, 1.0]), np.array([1.0, 2.0, np.nan, 0.0])
    assert prediction_quality(predicted, truth) == PredictionQuality(error=0.0, checked=1)


def test_the_interval_of_the_rank_correlation_is_known_from_ten_configurations_on() -> None:
    """By hand: atanh(0.5) = 0.549, and 1.96 sqrt(1.125 / 22) = 0.443."""
    within = PredictionQuality(error=1.0, rank_correlation=0.5, regret=0.0, checked=25).rank_interval
    assert within == pytest.approx((0.1055, 0.7586), abs=1e-3)
    assert PredictionQuality(error=1.0, rank_correlation=0.5, checked=9).rank_interval is None
    assert PredictionQuality(error=1.0, rank_correlation=1.0, checked=10).rank_interval == (1.0, 1.0)


def test_the_mean_of_the_others_is_expected_of_each() -> None:
    """Nine times 1 and once 2: of these 10/9 is expected, of that 1."""
    truth = np.array([1.0] * 9 + [2.0])
    assert mean_as_prediction(truth) == pytest.approx((9 * 100 / 9 + 50) / 10)
    assert mean_as_prediction(truth[1:]) is None


@given(st.lists(st.integers(1, 1000), min_size=3, max_size=30), st.randoms(use_true_random=False))
def test_rank_correlation_and_regret_are_spearmans_and_not_negative(
    values: list[int], random: Random
) -> None:
    """SciPy gives the same correlation, ties included."""
    truth = np.array(values, dtype=float)
    predicted = np.array(random.choices(values, k=len(values)), dtype=float)
    found = prediction_quality(predicted, truth)
    assert found.regret is not None
    assert found.regret >= 0
    if found.rank_correlation is not None:
        assert found.rank_correlation == pytest.approx(stats.spearmanr(predicted, truth).statistic)
    assert prediction_quality(truth, truth).regret == 0
