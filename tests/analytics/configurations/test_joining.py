"""Several partitions of one region as one, and as far as measured configurations tell its subspaces apart."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.joining import joint, joint_seen
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from tests.analytics.strategies import every_configuration

ABC = OptionSpace(tuple(Option(name, (False, True)) for name in "ABC"))
EVERY = np.array(list(every_configuration(ABC)))


def parts(*formulas: str) -> list[Partition]:
    return [Partition.from_formulas(ABC, one.split(", ")) for one in formulas]


FORMULAS = ("A, !A", "B & C, !B | !C", "A & B, !A | !B", "C, !C", "A & !C, !A | C")


@given(st.lists(st.sampled_from(FORMULAS), max_size=4))
def test_configurations_are_together_if_they_are_so_in_each(formulas: list[str]) -> None:
    found = joint(ABC, parts(*formulas))
    assert found is not None
    for one in EVERY:
        for other in EVERY:
            pair = np.stack([one, other])
            together = all(len(set(part.assign(pair))) == 1 for part in parts(*formulas))
            assert (len(set(found.assign(pair))) == 1) == together


def test_nothing_joined_is_one_subspace() -> None:
    found = joint(ABC, [])
    assert found is not None
    assert found.formulas == ("True",)


def test_too_many_options_are_not_joined() -> None:
    space = OptionSpace(tuple(Option(f"o{at}", (False, True)) for at in range(21)))
    assert joint(space, [Partition.exhaustive(space, [name]) for name in space.names]) is None


def test_no_subspace_of_what_was_seen_is_empty() -> None:
    both = parts("A, !A", "B, !B")
    assert joint_seen(ABC, both, EVERY).n_subspaces == 4
    assert joint_seen(ABC, both, EVERY[[0, -1]]).formulas == ("!A", "A")
    assert joint_seen(ABC, both, EVERY[:1]).formulas == ("True",)
