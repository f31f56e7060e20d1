"""A region's subspaces have their values, whatever the text of its formulas."""

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import UnknownRegionError
from analytics.influence.models import fit
from tests.analytics.strategies import measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))


def test_a_region_has_a_value_for_each_measured_subspace() -> None:
    """Two regions mean the same and write it differently; the third subspace was never measured."""
    one = Partition.from_formulas(SPACE, ["!A", "A & !B", "A & B"])
    other = Partition.from_formulas(SPACE, ["A=off", "A & !B", "A & B"])
    runs = np.array([[1.0, 1.2], [3.0, 3.4]])
    model = fit(measured(SPACE, [one, other], SPACE.checked([[0, 1], [1, 0]]), np.stack([runs, 2 * runs])))
    local, row = model.local_of("R1")
    group = local.subspaces
    partition = model.times.partitions[group.regions[row]]
    assert partition.formulas == ("A=off", "A & !B", "A & B")
    assert partition.words()[2] == "A on and B on"
    assert group.values[row, :2] == pytest.approx([2.2, 6.4])
    assert group.assigned.tolist() == [0, 1]
    assert np.sqrt(group.variances[row, 1]) == pytest.approx(0.4)
    assert np.isnan(group.values[row, 2])


def test_an_unknown_region_is_named() -> None:
    """The message repeats the name."""
    part = Partition.from_formulas(SPACE, ["True"])
    model = fit(measured(SPACE, [part], SPACE.checked([[0, 0]]), np.ones((1, 1, 1))))
    with pytest.raises(UnknownRegionError, match="'main'"):
        model.local_of("main")
