"""The partition of the whole program."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import TooManyCellsError
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from studies.papers.comprex_system import program_subspaces
from tests.analytics.strategies import every_configuration, option_spaces, partitions


@given(data=st.data())
def test_the_number_is_that_of_the_different_combinations_of_subspaces(data: st.DataObject) -> None:
    """Counting over groups of linked options gives what listing every configuration gives."""
    space = data.draw(option_spaces())
    parts = data.draw(st.lists(partitions(space), max_size=4))
    configurations = every_configuration(space)
    unsplit = Partition.from_formulas(space, ["True"])
    assigned = np.array([part.assign(configurations) for part in (unsplit, *parts)])
    assert program_subspaces(parts) == len(np.unique(assigned, axis=1).T)


def test_too_many_linked_options_are_refused_with_their_number() -> None:
    """21 switches, each region linking two of them, have 2^21 combinations."""
    space = OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(21)))
    chain = [Partition.exhaustive(space, [f"o{number}", f"o{number + 1}"]) for number in range(20)]
    with pytest.raises(TooManyCellsError, match="21 options"):
        program_subspaces(chain)
    assert program_subspaces(chain[::2]) == 2**20
