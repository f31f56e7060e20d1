"""What comparisons can tell on a machine, from runs of one program that did not change."""

import numpy as np
import pytest
from scipy.stats import binom

from analytics.bisection import FloatArray
from analytics.power import (
    alarm_share,
    at_one_speed,
    changes_of_speed,
    differ,
    differing_comparisons,
    in_turns,
    most_alarms,
    one_after_the_other,
    slow_runs,
    smallest_difference,
)


def steady(noise: float, runs: int = 200, seed: int = 1) -> FloatArray:
    """Independent log-normal times about one second."""
    return np.asarray(np.exp(np.random.default_rng(seed).normal(0, noise, runs)))


def switching(runs: int = 200, every: int = 13, apart: float = 0.5, seed: int = 2) -> FloatArray:
    """Times at two speeds, `every` so many runs the other one."""
    return steady(0.01, runs, seed) * np.where(np.arange(runs) // every % 2, 1 + apart, 1.0)


def test_turns_give_each_side_as_many_runs_and_cancel_a_drift() -> None:
    sides = in_turns(8)
    assert sides.tolist() == [0, 1, 1, 0, 0, 1, 1, 0]
    assert (np.arange(8) * (2 * sides - 1)).sum() == 0
    assert one_after_the_other(6).tolist() == [0, 0, 0, 1, 1, 1]


def test_independent_noise_alarms_in_about_one_of_a_hundred_comparisons() -> None:
    """2,000 comparisons of ten runs: chance alone lets up to 33 of them differ (1 in 1,000 times)."""
    generator = np.random.default_rng(3)
    told = sum(differ(*np.exp(generator.normal(0, 0.02, (2, 5)))) for _ in range(2000))
    assert told <= 33


def test_a_machine_of_two_speeds_alarms_unless_runs_take_turns() -> None:
    """Speeds that last as long as a block of runs pass for a change of the program."""
    times = switching(every=20)
    assert alarm_share(times, one_after_the_other(40)) > 0.5
    assert alarm_share(times, in_turns(40)) <= 0.05


def test_the_smallest_difference_is_that_of_a_t_test_and_falls_with_more_runs() -> None:
    """Independent normal noise of 2 %: (2.88 + 0.86) * 0.02 * sqrt(2 / 10) = 3.3 % with ten runs of each."""
    times = steady(0.02)
    found = [smallest_difference(times, runs) for runs in (5, 10, 40)]
    assert found == sorted(found, key=lambda one: -(one or 0))
    assert found[1] == pytest.approx(0.033, rel=0.35)


def test_a_difference_that_is_never_shown_is_none() -> None:
    """Times that scatter by a factor of seven hide a threefold one in two runs of each."""
    assert smallest_difference(steady(2.0, 40), 2) is None


def test_two_speeds_are_told_from_one() -> None:
    times = switching()
    slow = slow_runs(times)
    assert slow is not None
    assert slow.tolist() == (np.arange(200) // 13 % 2 == 1).tolist()
    assert changes_of_speed(slow) == 15
    assert at_one_speed(times, slow).std() < 0.02


@pytest.mark.parametrize("seed", range(20))
def test_noise_of_one_speed_is_no_second_one(seed: int) -> None:
    """Neither normal noise, nor evenly spread times, nor a few runs that something disturbed."""
    generator = np.random.default_rng(seed)
    disturbed = np.exp(generator.normal(0, 0.02, 100) + 0.5 * (np.arange(100) % 20 == 7))
    for times in (steady(0.05, 100, seed), generator.uniform(1.0, 1.2, 100), disturbed):
        assert slow_runs(times) is None


def test_speeds_that_differ_by_less_than_two_percent_are_one() -> None:
    assert slow_runs(steady(0.0001) * np.where(np.arange(200) % 2, 1.01, 1.0)) is None


def test_comparisons_of_identical_runs_share_none_and_are_in_turns() -> None:
    """Of fourteen runs two comparisons of three and three are made; in the second one side is slower."""
    times = 1 + 0.001 * np.arange(14)
    times[6:12] += in_turns(6)
    assert differing_comparisons(times, 3) == (1, 2)


def test_identical_runs_seldom_differ() -> None:
    """Forty comparisons on each of twenty machines with noise of 2 %: about 1 % differ."""
    found = [differing_comparisons(steady(0.02, 400, seed), 5) for seed in range(20)]
    assert {comparisons for _, comparisons in found} == {40}
    assert sum(differing for differing, _ in found) < 0.02 * 800


def test_what_was_seen_bounds_how_often_comparisons_differ() -> None:
    """None of twenty: the rule of three; the bound is the share of which chance shows so few in one case of twenty."""
    assert most_alarms(0, 20) == pytest.approx(0.139, abs=0.001)
    assert most_alarms(20, 20) == 1.0
    assert binom.cdf(3, 50, most_alarms(3, 50)) == pytest.approx(0.05)
