"""Work: what weights are learned from samples, what a region weighs that came later, and which regions a change lies in."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.work import CountWeights, learned_weights, moved_regions

COUNTS = st.dictionaries(st.sampled_from(["a:f", "a:g", "b:f", "b:h"]), st.integers(0, 2**40))


def test_without_weights_work_is_how_often_anything_was_counted() -> None:
    assert CountWeights({}).work({"a:f": 3, "b:g": 4}) == {"a:f": 3.0, "b:g": 4.0}


def test_a_later_region_weighs_as_the_median_of_its_module_else_of_all() -> None:
    weights = CountWeights({"a:f": 1.0, "a:g": 2.0, "a:h": 9.0, "b:f": 0.5})
    assert [weights.of(key) for key in ("a:f", "a:new", "b:new", "c:new")] == [1.0, 2.0, 0.5, 1.5]


def test_weights_follow_what_a_count_costs_and_their_mean_is_one() -> None:
    """With many samples a region that takes ten times as long for each count weighs ten times as much."""
    counts = {"a:cheap": 100_000, "a:dear": 10_000}
    weights = learned_weights({"a:cheap": 5_000.0, "a:dear": 5_000.0}, counts)
    assert weights["a:dear"] / weights["a:cheap"] == pytest.approx(10.0, rel=0.01)
    assert CountWeights(weights).work(counts) == pytest.approx(
        {"a:cheap": 55_000, "a:dear": 55_000}, rel=0.01
    )


def test_learned_weights_find_simulated_costs() -> None:
    generator = np.random.default_rng(71)
    costs = {f"m:{at}": float(cost) for at, cost in enumerate(generator.lognormal(0.0, 1.0, 30))}
    counts = dict.fromkeys(costs, 20000)
    samples = {region: float(generator.poisson(0.02 * costs[region] * counts[region])) for region in costs}
    weights = learned_weights(samples, counts)
    mean = math.fsum(costs.values()) / len(costs)
    for region, cost in costs.items():
        assert weights[region] == pytest.approx(cost / mean, rel=0.3)


def test_a_region_that_was_never_sampled_still_weighs_something() -> None:
    weights = learned_weights({"a:f": 500.0}, {"a:f": 1000, "a:leaf": 1000})
    assert 0 < weights["a:leaf"] < 0.01 < weights["a:f"]


def test_too_few_samples_tell_no_weights() -> None:
    assert learned_weights({"a:f": 99.0}, {"a:f": 10}) == {}
    assert learned_weights({"a:f": 500.0}, {}) == {}


@given(COUNTS, COUNTS)
def test_the_moves_of_regions_sum_to_the_change_and_are_signed(
    before: dict[str, int], after: dict[str, int]
) -> None:
    moved = moved_regions(before, after)
    assert sum(size for _, size in moved) == sum(after.values()) - sum(before.values())
    sizes = [abs(size) for _, size in moved]
    assert sizes == sorted(sizes, reverse=True)
    assert {region for region, _ in moved} == {
        region for region in {*before, *after} if before.get(region, 0) != after.get(region, 0)
    }
