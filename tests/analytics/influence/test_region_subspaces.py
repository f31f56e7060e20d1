"""A region's subspaces are listed with their words, values and intervals."""

import numpy as np
import pytest
from scipy import stats

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.errors import UnknownRegionError
from analytics.influence.models import fit
from analytics.influence.regions import region_subspaces
from tests.analytics.strategies import measured

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))


def test_a_region_shows_its_own_formulas_with_value_and_interval() -> None:
    """Two regions mean the same and write it differently; the third subspace was never measured."""
    one = Partition.from_formulas(SPACE, ["!A", "A & !B", "A & B"])
    other = Partition.from_formulas(SPACE, ["A=off", "A & !B", "A & B"])
    runs = np.array([[1.0, 1.2], [3.0, 3.4]])
    model = fit(measured(SPACE, [one, other], SPACE.checked([[0, 1], [1, 0]]), np.stack([runs, 2 * runs])))
    off, on, both = region_subspaces(model, "R1")
    assert [row.formula for row in (off, on, both)] == ["A=off", "A & !B", "A & B"]
    assert both.words == "A on and B on"
    assert [row.value for row in (off, on)] == pytest.approx([2.2, 6.4])
    assert [row.configurations.tolist() for row in (off, on, both)] == [[0], [1], []]
    interval = stats.t.interval(0.95, 1, loc=6.4, scale=0.4)
    assert (on.lower, on.upper) == pytest.approx(interval)
    assert on.standard_error == pytest.approx(0.4)
    assert np.isnan([both.value, both.standard_error, both.lower, both.upper]).all()


def test_an_unknown_region_is_named() -> None:
    """The message repeats the name."""
    part = Partition.from_formulas(SPACE, ["True"])
    model = fit(measured(SPACE, [part], SPACE.checked([[0, 0]]), np.ones((1, 1, 1))))
    with pytest.raises(UnknownRegionError, match="'main'"):
        region_subspaces(model, "main")
