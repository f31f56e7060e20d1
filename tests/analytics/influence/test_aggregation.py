"""Medians and means of repetitions and of configurations give different models; both are as NumPy has them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.subspaces import subspace_times
from analytics.influence.times import Aggregator
from tests.analytics.strategies import every_configuration, measured, option_spaces, partitions

OF: dict[Aggregator, Callable[..., Any]] = {"median": np.median, "mean": np.mean}
HOW = st.sampled_from(["median", "mean"])


@given(st.data(), HOW, HOW)
def test_subspace_values_aggregate_repetitions_then_configurations(
    data: st.DataObject, repetitions: Aggregator, configurations: Aggregator
) -> None:
    """Against a loop over regions and subspaces, with runs missing and configurations left out."""
    space = data.draw(option_spaces(max_options=3))
    parts = data.draw(st.lists(partitions(space), min_size=1, max_size=3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows = every_configuration(space)[: data.draw(st.integers(1, 12))]
    ran = rng.random((len(rows), 4)) < 0.7
    ran[:, rng.integers(4)] = True
    values = rng.gamma(1.0, 1.0, (len(parts), len(rows), 4)).round(1)
    times = replace(
        measured(space, parts, rows, values),
        ran=ran,
        aggregate_repetitions=repetitions,
        aggregate_configurations=configurations,
    )
    for group in subspace_times(times):
        for row, region in enumerate(group.regions):
            assigned = parts[region].assign(rows)
            for subspace in range(parts[region].n_subspaces):
                own = [
                    OF[repetitions](values[region, c][ran[c]]) for c in np.flatnonzero(assigned == subspace)
                ]
                expected = OF[configurations](own) if own else np.nan
                assert group.values[row, subspace] == pytest.approx(expected, nan_ok=True)
                assert group.covered[subspace] == bool(own)


def test_regions_with_equal_partitions_are_kept_together() -> None:
    """Also when their formulas are written differently: one transform serves them all."""
    space = OptionSpace((Option("A", (False, True)),))
    parts = [Partition.from_formulas(space, ["!A", "A"]), Partition.from_formulas(space, ["True"])]
    parts.append(Partition.from_formulas(space, ["A=off", "!!A"]))
    groups = subspace_times(measured(space, parts, every_configuration(space), np.ones((3, 2, 1))))
    assert [group.regions.tolist() for group in groups] == [[0, 2], [1]]
