"""Covers under constraints: every subspace that a valid configuration has is covered, by valid ones alone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations import covers
from analytics.configurations.covers import covered, greedy_cover
from analytics.configurations.feature_models.features import Constraint, Feature, FeatureModel
from analytics.configurations.feature_models.folding import fold
from analytics.configurations.feature_models.valid import valid_configurations
from analytics.configurations.partitions import Partition
from analytics.configurations.validity import ValidConfigurations
from tests.analytics.feature_model_samples import feature_models
from tests.analytics.strategies import option_spaces, partitions


@pytest.mark.parametrize("listed", [0, 1 << 18])
@given(data=st.data())
def test_a_cover_holds_all_that_valid_configurations_can_reach(data: st.DataObject, listed: int) -> None:
    valid = valid_configurations(fold(data.draw(feature_models())))
    parts = data.draw(st.lists(partitions(valid.space), max_size=4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covers, "MAX_CANDIDATES", listed)
        cover = greedy_cover(valid.space, parts, valid)
    assert valid.allows(cover).all()
    everything = valid.enumerate(10_000)
    for part in parts:
        np.testing.assert_array_equal(covered(part, cover), covered(part, everything))


@given(data=st.data())
def test_without_constraints_a_valid_cover_is_as_small_as_the_other(data: st.DataObject) -> None:
    space = data.draw(option_spaces())
    parts = data.draw(st.lists(partitions(space), max_size=4))
    assert (
        greedy_cover(space, parts, ValidConfigurations.unconstrained(space)).tolist()
        == greedy_cover(space, parts).tolist()
    )


def test_a_forbidden_combination_is_left_out() -> None:
    names = ("A", "B", "C")
    features = (Feature("root"), *(Feature(name, "root", optional=True) for name in names))
    valid = valid_configurations(fold(FeatureModel("pair", features, (Constraint("!A | !B"),))))
    part = Partition.exhaustive(valid.space, ("A", "B"))
    assert greedy_cover(valid.space, [part], valid).tolist() == [[0, 0, 0], [0, 1, 0], [1, 0, 0]]
