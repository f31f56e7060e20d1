"""What is told to differ between workloads does, and what is the same is seldom told to differ."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.influence.moebius import UNTOUCHED
from analytics.workloads.effects import RATE, WorkloadEffects, workload_effects
from analytics.workloads.sample import WorkloadSample
from tests.analytics.workloads.samples import SPACE, sample_of, without_interaction

DRAWS = 40


def alone(effects: WorkloadEffects, option: int) -> int:
    """The row of the term of one option alone."""
    (row,) = np.flatnonzero(
        ((effects.levels != UNTOUCHED).sum(axis=1) == 1) & (effects.levels[:, option] != UNTOUCHED)
    )
    return int(row)


@pytest.mark.parametrize("noise", ["equal", "unequal", "heavy"])
@pytest.mark.parametrize(("configurations", "workloads"), [(20, 3), (50, 12), (49, 50), (300, 6)])
def test_where_workloads_differ_by_a_factor_alone_few_terms_are_told_as_differing(
    configurations: int, workloads: int, noise: str
) -> None:
    """The share of terms is at most the stated rate, with equal and unequal noise, and though terms leave much untold."""
    told, small = [], []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        effects = workload_effects(SPACE, without_interaction(rng, configurations, workloads, noise))
        told.append(effects.differs)
        small.append(effects.probabilities < RATE)
    assert np.concatenate(told).mean() <= RATE
    # Also without the control of false discoveries: a share of the rate, and what forty draws scatter.
    assert np.concatenate(small).mean() <= RATE + 0.03


def test_terms_that_hardly_any_configuration_has_are_seldom_told_as_differing() -> None:
    told = []
    for seed in range(DRAWS):
        rng = np.random.default_rng(seed)
        sample = without_interaction(rng, 49, 20, "unequal")
        sample.configurations[:] = 0
        sample.configurations[np.arange(24), np.arange(24) % 8] = 1
        told.append(workload_effects(SPACE, sample).differs)
    assert np.concatenate(told).mean() <= RATE


def test_an_option_that_acts_in_some_workloads_alone_is_told_and_others_are_not() -> None:
    found = []
    for seed in range(10):
        sample = without_interaction(np.random.default_rng(seed), 100, 6)
        factors = np.where(np.arange(6) < 3, 0.2, 0.0)
        values = sample.values * np.exp(np.outer(sample.configurations[:, 5], factors))
        effects = workload_effects(SPACE, replace(sample, values=values))
        row = alone(effects, 5)
        assert effects.differs[row]
        spread, low, high = effects.spreads[row]
        assert low <= factors.std(ddof=1) <= high
        assert low <= spread <= high
        found.append(np.delete(effects.differs, row).mean())
    assert np.mean(found) <= RATE


def test_an_option_that_costs_in_one_workload_and_saves_in_another_reverses() -> None:
    sample = without_interaction(np.random.default_rng(3), 100, 4)
    own = np.where(np.arange(4) % 2, 0.3, -0.3) - 0.0
    values = sample.values * np.exp(np.outer(sample.configurations[:, 6], own))
    effects = workload_effects(SPACE, replace(sample, values=values))
    before = workload_effects(SPACE, sample)
    row = alone(effects, 6)
    assert effects.reverses[row] == (abs(before.means[alone(before, 6)]) < 0.25)
    assert not before.reverses.any()


def test_without_noise_the_effects_are_the_true_ones() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (40, 8)).astype(np.int8)
    true = rng.normal(size=(8, 3))
    effects = workload_effects(SPACE, sample_of(rows, np.exp(rows @ true + [0.0, 5.0, -3.0])))
    for option in range(8):
        np.testing.assert_allclose(effects.coefficients[alone(effects, option)], true[option], atol=1e-9)
    assert effects.differs.all()


@settings(max_examples=25, deadline=None)
@given(
    st.integers(0, 1000),
    st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=3),
    st.permutations(range(3)),
)
def test_units_levels_and_order_of_workloads_change_nothing(
    seed: int, factors: list[float], order: list[int]
) -> None:
    sample = without_interaction(np.random.default_rng(seed), 30, 3, "unequal")
    first = workload_effects(SPACE, sample)
    other = workload_effects(SPACE, sample_of(sample.configurations, (sample.values * factors)[:, order]))
    np.testing.assert_array_equal(first.levels, other.levels)
    np.testing.assert_allclose(first.coefficients[:, order], other.coefficients, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(first.probabilities, other.probabilities, rtol=1e-4, atol=1e-9)
    np.testing.assert_allclose(first.margins[:, order], other.margins, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(first.spreads, other.spreads, rtol=1e-3, atol=1e-6)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1000), st.floats(0, 3))
def test_what_terms_leave_untold_in_all_workloads_changes_no_difference(seed: int, size: float) -> None:
    """A model that fits badly is not taken for workloads that differ."""
    rng = np.random.default_rng(seed)
    sample = without_interaction(rng, 60, 4)
    rows = sample.configurations
    untold = size * rows[:, 0] * rows[:, 3] * rows[:, 5] * rows[:, 7]
    first = workload_effects(SPACE, sample)
    other = workload_effects(SPACE, replace(sample, values=sample.values * np.exp(untold)[:, np.newaxis]))
    for option in range(8):
        at, there = alone(first, option), alone(other, option)
        if len(first.levels) == len(other.levels) and (first.levels == other.levels).all():
            assert first.probabilities[at] == pytest.approx(other.probabilities[there], rel=1e-6, abs=1e-12)


def test_values_without_any_noise_and_difference_tell_none() -> None:
    rows = np.array([[int(bit) for bit in f"{number:08b}"] for number in range(64)], dtype=np.int8)
    values = np.outer(2.0 ** rows[:, 3], [1.0, 4.0])
    effects = workload_effects(SPACE, WorkloadSample(rows, values, ("a", "b")))
    assert not effects.differs.any()
    assert np.isfinite(effects.spreads).all()
