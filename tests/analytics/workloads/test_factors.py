"""A configuration by another one in each workload: measured values are kept, and intervals of the others hold."""

from dataclasses import replace

import numpy as np
import pytest

from analytics.workloads.effects import workload_effects
from analytics.workloads.factors import WorkloadModel
from tests.analytics.workloads.samples import SPACE, sample_of, without_interaction


def test_what_was_measured_in_both_is_told_as_it_is() -> None:
    sample = without_interaction(np.random.default_rng(1), 40, 5)
    model = WorkloadModel.over(workload_effects(SPACE, sample).levels, sample)
    found = model.factors(sample.configurations[3], sample.configurations[7])
    first = [
        np.flatnonzero((sample.configurations == sample.configurations[at]).all(axis=1))[0] for at in (3, 7)
    ]
    assert found.measured
    assert found.values == pytest.approx(np.log(sample.values[first[0]] / sample.values[first[1]]))
    assert not found.margins.any()


@pytest.mark.parametrize("unknown", [1, 2])
@pytest.mark.parametrize("noise", ["equal", "heavy"])
def test_intervals_hold_what_is_measured_of_configurations_that_were_left_out(
    noise: str, unknown: int
) -> None:
    """Also where terms leave interactions of three untold."""
    held = []
    for seed in range(30):
        whole = without_interaction(np.random.default_rng(seed), 110, 6, noise)
        _, once = np.unique(whole.configurations, axis=0, return_index=True)
        left, stayed = once[:10], once[10:]
        known = sample_of(whole.configurations[stayed], whole.values[stayed])
        model = WorkloadModel.over(workload_effects(SPACE, known).levels, known)
        for at, target in enumerate(left):
            base = stayed[0] if unknown == 1 else left[at - 1]
            found = model.factors(whole.configurations[target], whole.configurations[base])
            assert not found.measured
            true = np.log(whole.values[target] / whole.values[base])
            held.append(np.abs(found.values - true) <= found.margins)
    assert 0.9 <= np.concatenate(held).mean() <= 0.99


def test_of_a_level_that_was_never_measured_nothing_is_known() -> None:
    sample = without_interaction(np.random.default_rng(2), 40, 4)
    rows = sample.configurations.copy()
    rows[:, 2] = 0
    sample = replace(sample, configurations=rows)
    model = WorkloadModel.over(workload_effects(SPACE, sample).levels, sample)
    other = rows[0].copy()
    other[2] = 1
    assert model.knows(rows[0])
    assert not model.knows(other)
