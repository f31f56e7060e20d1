"""Standard errors and intervals of terms say what the repetitions tell."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.models import fit
from analytics.influence.subspaces import median_inflation
from analytics.influence.times import Aggregator, FloatArray, RegionTimes
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))
SWITCH = Partition.from_formulas(SPACE, ["!A", "A"])
BOTH = Partition.exhaustive(SPACE, "AB")
OFF_ON = SPACE.checked([[0, 0], [1, 0]])


def by_mean(times: RegionTimes) -> RegionTimes:
    """The same measurements, aggregated by means throughout."""
    return replace(times, aggregate_repetitions="mean", aggregate_configurations="mean")


def test_one_option_by_means_is_the_t_test_of_welch() -> None:
    """Two configurations, five and three runs: SciPy gives the same interval."""
    rng = np.random.default_rng(1)
    off, on = rng.normal(1.0, 0.1, 5), rng.normal(1.3, 0.4, 3)
    values = np.zeros((1, 2, 5))
    values[0, 0], values[0, 1, :3] = off, on
    times = by_mean(measured(SPACE, [SWITCH], OFF_ON, values))
    ran = np.ones((2, 5), dtype=bool)
    ran[1, 3:] = False
    terms = fit(replace(times, ran=ran)).terms
    oracle = stats.ttest_ind(on, off, equal_var=False)
    interval = oracle.confidence_interval(0.95)
    assert terms.coefficients[1] == pytest.approx(on.mean() - off.mean())
    assert terms.degrees_of_freedom[1] == pytest.approx(oracle.df)
    estimate = terms.estimates()[1]
    assert [estimate.low, estimate.high] == pytest.approx([interval.low, interval.high])


def test_values_of_runs_that_did_not_happen_are_ignored() -> None:
    """By the median as well: three values of which the last is none."""
    values = np.array([[[1.0, 3.0, np.nan], [5.0, 6.0, 9.0]]])
    ran = np.array([[True, True, False], [True, True, True]])
    times = replace(measured(SPACE, [SWITCH], OFF_ON, np.ones_like(values)), values=values, ran=ran)
    assert fit(times).terms.coefficients.tolist() == [2.0, 4.0]


def test_what_a_run_moves_between_regions_leaves_no_doubt_about_their_sum() -> None:
    """A profiler that takes from one region what it gives to another."""
    noise = np.random.default_rng(2).normal(0, 0.1, (2, 5))
    model = fit(by_mean(measured(SPACE, [SWITCH, SWITCH], OFF_ON, np.stack([1 + noise, 2 - noise]))))
    assert model.terms.standard_errors == pytest.approx([0, 0], abs=1e-12)
    assert (model.local_model("R0").standard_errors > 0.01).all()
    assert (model.local_model("R1").standard_errors > 0.01).all()


def test_a_slow_run_that_is_slow_everywhere_counts_in_full() -> None:
    """Errors of regions in step add up; they do not average out."""
    noise = np.random.default_rng(3).normal(0, 0.1, (2, 5))
    one = fit(measured(SPACE, [SWITCH], OFF_ON, (1 + noise)[np.newaxis])).terms
    four = fit(measured(SPACE, [SWITCH] * 4, OFF_ON, np.stack([1 + noise] * 4))).terms
    assert four.standard_errors == pytest.approx(4 * one.standard_errors)
    assert four.degrees_of_freedom == pytest.approx(one.degrees_of_freedom)


def test_a_configuration_that_ran_once_leaves_its_terms_without_interval() -> None:
    """The others keep theirs."""
    values = np.random.default_rng(4).normal(1, 0.1, (1, 4, 3))
    times = measured(SPACE, [BOTH], every_configuration(SPACE), values)
    ran = times.ran.copy()
    ran[3, 1:] = False
    model = fit(replace(times, ran=ran))
    for table in (model.terms, model.local_model("R0")):
        assert np.isnan(table.standard_errors).tolist() == [False, False, False, True]
        assert np.isnan(table.margins).tolist() == [False, False, False, True]
        assert table.determined.all()


def test_regions_that_never_differ_leave_no_doubt() -> None:
    """A region that no run shows is zero without an interval around it."""
    terms = fit(measured(SPACE, [SWITCH], OFF_ON, np.zeros((1, 2, 3)))).terms
    assert terms.standard_errors.tolist() == [0, 0]
    assert [(one.low, one.high, one.may_be_zero) for one in terms.estimates()] == [(0, 0, True)] * 2


def test_may_be_zero_is_where_the_interval_holds_zero() -> None:
    """A large and a lost influence."""
    noise = np.array([-0.1, 0.05, 0.0, -0.05, 0.1])
    values = np.stack([1 + noise, 2 + noise, 1.01 + noise, 2.01 + noise])[np.newaxis]
    terms = fit(measured(SPACE, [BOTH], SPACE.checked([[0, 0], [1, 0], [0, 1], [1, 1]]), values)).terms
    assert [one.may_be_zero for one in terms.estimates()] == [False, False, True, True]


@pytest.mark.parametrize(
    ("n", "variance"),
    [(1, 1.0), (2, 0.5), (3, 0.44867), (4, 0.29820), (5, 0.28683), (6, 0.21474), (20, 0.07344)],
)
def test_a_median_of_normal_values_varies_as_order_statistics_say(n: int, variance: float) -> None:
    """Within 1.2 % of the exact variance of the median of n standard normal values."""
    assert median_inflation(np.array(n)) / n == pytest.approx(variance, rel=0.012)


def test_configurations_that_clearly_differ_do_not_move_the_median() -> None:
    """Of 1, 5 and 100 seconds the error is that of 5 alone; of three alike it is smaller."""
    space = OptionSpace((Option("D", (0, 1, 2)),))
    noise = np.array([-0.1, 0.0, 0.1])
    whole = Partition.from_formulas(space, ["True"])
    apart = measured(
        space, [whole], every_configuration(space), np.stack([1 + noise, 5 + noise, 100 + noise])[None]
    )
    alike = measured(space, [whole], every_configuration(space), np.stack([5 + noise] * 3)[None])
    one = np.sqrt(noise.var(ddof=1) / 3 * median_inflation(np.array(3)))
    assert fit(apart).terms.standard_errors == pytest.approx([one])
    assert fit(alike).terms.standard_errors == pytest.approx(
        [one * np.sqrt(median_inflation(np.array(3)) / 3)]
    )


def simulated(rng: np.random.Generator, truth: FloatArray, common: float) -> FloatArray:
    """Five noisy runs of every configuration; the share `common` of the noise hits all regions alike."""
    shared = rng.normal(size=(1, truth.shape[1], 5))
    own = rng.normal(size=(*truth.shape, 5))
    return np.asarray(truth[:, :, np.newaxis] + 0.05 * (np.sqrt(common) * shared + np.sqrt(1 - common) * own))


@pytest.mark.parametrize("how", ["median", "mean"])
@pytest.mark.parametrize("disagreement", [0.0, 0.05])
def test_about_95_percent_of_the_intervals_hold_the_truth(how: Aggregator, disagreement: float) -> None:
    """Over 300 seeded simulations: no term below 88 %, and not all of them above 99 %.

    Regions share noise; configurations of one subspace agree, or differ by as much as single runs do.
    """
    rng = np.random.default_rng(5)
    space = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
    parts = [
        Partition.from_formulas(space, ["True"]),
        Partition.from_formulas(space, ["!A", "A & !B", "A & B"]),
        Partition.from_formulas(space, ["!A & !C", "A & !C", "!A & C", "A & C"]),
    ]
    configurations = every_configuration(space)
    seconds = [np.array([1.0]), np.array([0.0, 1.0, 4.0]), np.array([2.0, 5.0, 3.0, 9.0])]
    truth = np.stack([own[part.assign(configurations)] for own, part in zip(seconds, parts, strict=True)])
    truth = truth + disagreement * rng.normal(size=truth.shape)
    times = replace(
        measured(space, parts, configurations, truth[:, :, np.newaxis]),
        aggregate_repetitions=how,
        aggregate_configurations=how,
    )
    true = fit(times).terms.coefficients
    hits = []
    for _ in range(300):
        values = simulated(rng, truth, common=0.7)
        terms = fit(replace(times, values=values, ran=np.ones(values.shape[1:], dtype=bool))).terms
        hits.append(np.abs(terms.coefficients - true) <= terms.margins)
    coverage = np.mean(hits, axis=0)
    assert coverage.min() >= 0.88, coverage
    assert coverage.mean() <= 0.985, coverage


def test_the_difference_of_a_region_between_two_configurations_is_the_t_test_of_welch() -> None:
    """In a subspace of both it is exactly none; where a side ran only once there is no interval."""
    rng = np.random.default_rng(2)
    off, on = rng.normal(1.0, 0.1, 5), rng.normal(1.3, 0.4, 5)
    values = np.stack([np.stack([off, on])] * 2)
    one = Partition.from_formulas(SPACE, ["True"])
    model = fit(by_mean(measured(SPACE, [SWITCH, one], OFF_ON, values)))
    switched, same = (
        group.differences(*OFF_ON)[0]
        for group in (model.local_of(name)[0].subspaces for name in ("R0", "R1"))
    )
    interval = stats.ttest_ind(on, off, equal_var=False).confidence_interval(0.95)
    assert [switched.low, switched.high] == pytest.approx([interval.low, interval.high])
    assert (same.value, same.margin) == (0.0, 0.0)
    single = fit(by_mean(measured(SPACE, [SWITCH], OFF_ON, values[:1, :, :1])))
    (alone,) = single.local_of("R0")[0].subspaces.differences(*OFF_ON)
    assert alone.value == pytest.approx(on[0] - off[0])
    assert alone.margin is None
