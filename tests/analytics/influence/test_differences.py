"""What one configuration takes more than another, with the interval of that difference."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.learned import learn_linear
from analytics.influence.models import InfluenceModel, fit
from analytics.influence.stored import LearnedModel
from analytics.influence.terms import Estimate
from tests.analytics.strategies import every_configuration, measured

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (1, 2, 3)), Option("C", (False, True))))
EVERY = every_configuration(SPACE)
PARTITIONS = [
    Partition.exhaustive(SPACE, "A"),
    Partition.exhaustive(SPACE, "BC"),
    Partition.exhaustive(SPACE, "AC"),
]
seeds = st.integers(0, 2**32 - 1)
places = st.integers(0, len(EVERY) - 1)


def composed(seed: int, repetitions: int = 4) -> InfluenceModel:
    """Three regions, each run slow or quick everywhere."""
    rng = np.random.default_rng(seed)
    values = rng.uniform(1, 2, (3, len(EVERY), 1)) + rng.normal(0, 0.1, (1, len(EVERY), repetitions))
    return fit(measured(SPACE, PARTITIONS, EVERY, values))


def learned(seed: int, *, is_multiplicative: bool) -> LearnedModel:
    """Of terms of single options, from all configurations."""
    values = np.random.default_rng(seed).uniform(1, 2, len(EVERY))
    return learn_linear(SPACE, terms_up_to(SPACE, 1), EVERY, values, is_multiplicative=is_multiplicative)


@given(seeds, places, places)
def test_it_is_the_difference_of_both_predictions(seed: int, before: int, after: int) -> None:
    whole = composed(seed)
    added, multiplied = (learned(seed, is_multiplicative=how) for how in (False, True))
    for difference, predict in (
        (whole.difference, whole.predict),
        (added.difference, added.model.predict),
        (multiplied.difference, multiplied.model.predict),
    ):
        first, second = predict(EVERY[[before, after]])
        there = difference(EVERY[before], EVERY[after])
        back = difference(EVERY[after], EVERY[before])
        assert there.value == pytest.approx(second - first, abs=1e-12)
        assert back.value == pytest.approx(first - second, abs=1e-12)
        assert there.margin == pytest.approx(back.margin)


@given(seeds, places, st.integers(0, 2), st.integers(1, 2))
def test_of_one_option_in_a_composed_model_it_is_the_term_of_its_change(
    seed: int, before: int, option: int, step: int
) -> None:
    after: IntArray = EVERY[before].copy()
    after[option] = (after[option] + step) % SPACE.sizes[option]
    model = composed(seed)
    term = next(iter(model.between(EVERY[before], after).terms.estimates()[1:]), Estimate(0.0, 0.0))
    told = model.difference(EVERY[before], after)
    assert told.value == pytest.approx(term.value)
    assert told.margin == pytest.approx(term.margin)


@given(seeds)
def test_of_several_options_by_means_it_is_the_t_test_of_welch(seed: int) -> None:
    """Regions that share runs are summed first: SciPy gives the same interval for whole runs."""
    rng = np.random.default_rng(seed)
    whole = [Partition.exhaustive(SPACE, "ABC")] * 2
    times = measured(SPACE, whole, EVERY, rng.uniform(1, 2, (2, len(EVERY), 5)))
    means = replace(times, aggregate_repetitions="mean", aggregate_configurations="mean")
    told = fit(means).difference(EVERY[0], EVERY[-1])
    runs = times.values.sum(axis=0)
    interval = stats.ttest_ind(runs[-1], runs[0], equal_var=False).confidence_interval(0.95)
    assert [told.low, told.high] == pytest.approx([interval.low, interval.high])


def test_of_a_composed_model_the_intervals_hold() -> None:
    """Regions follow their partitions; runs are slow or quick everywhere, and each region by itself."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(150):
        levels = [rng.uniform(1, 2, one.n_subspaces)[one.assign(EVERY)] for one in PARTITIONS]
        noise = rng.normal(0, 0.05, (1, len(EVERY), 4)) + rng.normal(0, 0.03, (3, len(EVERY), 4))
        model = fit(measured(SPACE, PARTITIONS, EVERY, np.array(levels)[:, :, np.newaxis] + noise))
        before, after = rng.choice(len(EVERY), 2, replace=False)
        told = model.difference(EVERY[before], EVERY[after])
        assert told.margin is not None
        truth = float(sum(one[after] - one[before] for one in levels))
        held.append(abs(told.value - truth) <= told.margin)
    assert 0.9 <= np.mean(held) <= 0.99


def test_what_ran_once_has_no_interval() -> None:
    assert composed(0, repetitions=1).difference(EVERY[0], EVERY[-1]).margin is None


@pytest.mark.parametrize("is_multiplicative", [False, True])
def test_of_configurations_that_a_learned_model_did_not_see_the_intervals_hold(
    *,
    is_multiplicative: bool,
) -> None:
    """Every option interacts with every other one, which the terms do not say: each prediction is off by itself."""
    space = OptionSpace(tuple(Option(f"O{number}", (False, True)) for number in range(10)))
    every = every_configuration(space)
    held = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        truth = 20 + design_matrix(terms_up_to(space, 2), every) @ rng.normal(0, 1, 56)
        order = rng.permutation(len(every))
        seen, others = order[:60], order[60:160]
        found = learn_linear(
            space, terms_up_to(space, 1), every[seen], truth[seen], is_multiplicative=is_multiplicative
        )
        for before, after in others.reshape(-1, 2).tolist():
            told = found.difference(every[before], every[after])
            assert told.low is not None
            assert told.high is not None
            held.append(told.low <= truth[after] - truth[before] <= told.high)
    assert 0.9 <= np.mean(held) <= 0.98


def test_between_what_is_the_same_there_is_surely_nothing() -> None:
    found = learned(0, is_multiplicative=False)
    told = found.difference(EVERY[0], EVERY[0])
    assert (told.value, told.margin) == (0.0, 0.0)
    nothing_held_back = replace(found, margin=None)
    assert nothing_held_back.difference(EVERY[0], EVERY[-1]).margin is None


def test_an_option_without_a_term_may_still_matter() -> None:
    """That a model names no term of an option is no proof that it does nothing."""
    values = np.random.default_rng(0).uniform(1, 2, len(EVERY))
    found = learn_linear(SPACE, terms_up_to(SPACE, 0), EVERY, values)
    told = found.difference(EVERY[0], EVERY[-1])
    assert told.value == 0.0
    assert told.margin is not None
    assert told.margin > 0.5
