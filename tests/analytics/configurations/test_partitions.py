"""A partition gives every configuration exactly one subspace, or is refused."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import ConfigurationError, TooManyCellsError
from analytics.configurations.formulas import parse
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition, partitions_of
from tests.analytics.configurations.formula_truth import satisfied
from tests.analytics.strategies import every_configuration, option_spaces, partitions

SPACE = OptionSpace(
    (Option("A", (False, True)), Option("B", (False, True)), Option("mode", ("small", "big", "very big")))
)
MANY = OptionSpace(tuple(Option(f"O{index}", (False, True)) for index in range(21)))


@given(st.data())
def test_a_configuration_is_assigned_the_one_formula_that_it_satisfies(data: st.DataObject) -> None:
    """For every partition and configuration."""
    space = data.draw(option_spaces())
    partition = data.draw(partitions(space))
    configurations = every_configuration(space)
    held = np.array([satisfied(parse(text), space, configurations) for text in partition.formulas])
    assert (held.sum(axis=0) == 1).all()
    assert partition.assign(configurations).tolist() == held.argmax(axis=0).tolist()


@given(st.data())
def test_an_exhaustive_partition_has_one_subspace_per_combination(data: st.DataObject) -> None:
    """And its formulas, read again, make the same partition."""
    space = data.draw(option_spaces())
    partition = Partition.exhaustive(space, space.names)
    assert len(set(partition.assign(every_configuration(space)).tolist())) == partition.n_subspaces
    again = Partition.from_formulas(space, partition.formulas)
    assert again.table.tolist() == partition.table.tolist()


def test_overlapping_formulas_are_refused_with_a_witness() -> None:
    """Both formulas and a configuration that satisfies both."""
    with pytest.raises(
        ConfigurationError, match=re.escape("'A' and 'B | !A' overlap: both hold for A=on, B=on")
    ):
        Partition.from_formulas(SPACE, ["A", "B | !A"])


def test_a_missing_subspace_is_refused_with_a_witness() -> None:
    """A configuration that satisfies none."""
    with pytest.raises(ConfigurationError, match="holds for A=on, mode=small"):
        Partition.from_formulas(SPACE, ["!A", "A & mode"])
    with pytest.raises(ConfigurationError, match="the subspaces are none"):
        Partition.from_formulas(SPACE, [])


def test_a_formula_that_never_holds_is_refused() -> None:
    """No run could ever cover it."""
    with pytest.raises(ConfigurationError, match="'A & !A'"):
        Partition.from_formulas(SPACE, ["True", "A & !A"])


def test_more_cells_than_can_be_listed_are_refused() -> None:
    """21 switches have two million combinations."""
    names = " & ".join(MANY.names)
    with pytest.raises(TooManyCellsError, match="21 options has 2097152 combinations"):
        Partition.exhaustive(MANY, MANY.names)
    with pytest.raises(TooManyCellsError, match="21 options has 2097152 combinations"):
        Partition.from_formulas(MANY, [names, f"!({names})"])


def test_an_unknown_option_in_a_partition_is_named() -> None:
    """The message repeats the name."""
    with pytest.raises(ConfigurationError, match="'Z'"):
        Partition.from_formulas(SPACE, ["Z", "!Z"])


def test_true_alone_is_the_whole_space() -> None:
    """One subspace, no option."""
    partition = Partition.from_formulas(SPACE, ["True"])
    assert partition.options == ()
    assert partition.assign(every_configuration(SPACE)).tolist() == [0] * 12


def test_a_partition_is_said_in_words() -> None:
    """In the order of its subspaces."""
    partition = Partition.exhaustive(SPACE, ["mode", "A"])
    assert partition.words()[0] == "A off and mode is small"
    assert partition.words()[-1] == "A on and mode is very big"


def test_regions_with_the_same_formulas_share_one_partition() -> None:
    """Thousands of regions, dozens of partitions."""
    found = partitions_of(SPACE, {"R1": ["A", "!A"], "R2": ["A", "!A"], "R3": ["!A", "A"]})
    assert found["R1"] is found["R2"]
    assert found["R1"].key != found["R3"].key
