"""Decisions of traced runs become partitions, whatever the order they were seen in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.errors import TooManyCellsError
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.whitebox.decisions import Decision, Extensions, partitions_from
from tests.analytics.strategies import every_configuration, option_spaces


def switches(names: str) -> OptionSpace:
    return OptionSpace(tuple(Option(name, (False, True)) for name in names))


ABC = switches("ABC")


@st.composite
def decisions(draw: st.DrawFn, space: OptionSpace) -> Decision:
    positions = st.sets(st.integers(0, len(space.options) - 1), max_size=2)
    configuration = draw(st.sampled_from(list(every_configuration(space))))
    return Decision.reached("r", "1", draw(positions), draw(positions), configuration)


def test_a_nested_decision_gives_three_subspaces_not_four() -> None:
    """Comprex, ICSE 2021, Sec. III-A: foo's decision has td = {B} and tc = {A}, reached with A selected."""
    seen = Decision.reached("foo", "16", {1}, {0}, np.array([1, 0, 0], dtype=np.int8))
    (partition,) = partitions_from(ABC, [seen])["foo"]
    assert partition.formulas == ("!A", "A & !B", "A & B")


def test_a_region_whose_decisions_mention_no_option_has_no_partition() -> None:
    assert partitions_from(ABC, [Decision("r", "1", (), ())]) == {}


def test_options_in_control_taints_are_no_data() -> None:
    assert Decision.reached("r", "1", {0, 1}, {0}, ABC.reference).data == (1,)


def test_levels_are_split_one_by_one() -> None:
    space = OptionSpace((Option("mode", ("fast", "slow", "very slow")), Option("A", (False, True))))
    seen = [Decision.reached("r", "1", {1}, {0}, np.array([1, 0], dtype=np.int8))]
    (partition,) = partitions_from(space, seen)["r"]
    assert partition.formulas == ("!mode=slow", "mode=slow & !A", "mode=slow & A")


@given(st.data())
def test_the_order_of_decisions_makes_no_difference(data: st.DataObject) -> None:
    space = data.draw(option_spaces())
    seen = data.draw(st.lists(decisions(space), max_size=5))
    shuffled = data.draw(st.permutations(seen))
    one, other = partitions_from(space, seen), partitions_from(space, shuffled * 2)
    assert {name: [part.formulas for part in parts] for name, parts in one.items()} == {
        name: [part.formulas for part in parts] for name, parts in other.items()
    }


@given(st.data())
def test_formulas_read_back_give_the_same_partition(data: st.DataObject) -> None:
    space = data.draw(option_spaces())
    for parts in partitions_from(space, data.draw(st.lists(decisions(space), max_size=4))).values():
        for part in parts:
            again = Partition.from_formulas(space, part.formulas)
            everything = every_configuration(space)
            assert (again.assign(everything) == part.assign(everything)).all()


@given(st.data())
def test_together_means_that_every_decision_says_the_same(data: st.DataObject) -> None:
    """The cross product by its definition: pairwise intersection of what each decision tells apart."""
    space = data.draw(option_spaces(max_options=3))
    seen = data.draw(st.lists(decisions(space), min_size=1, max_size=4))

    def said(decision: Decision, configuration: np.ndarray) -> object:
        if any(configuration[position] != level for position, level in decision.control):
            return None
        return tuple(int(configuration[position]) for position in decision.data)

    everything = every_configuration(space)
    expected = [tuple(said(one, configuration) for one in seen) for configuration in everything]
    parts = partitions_from(space, seen)
    if not parts:
        assert len(set(expected)) == 1
        return
    found = parts["r"][0].assign(everything)
    assert (
        len(set(zip(expected, found.tolist(), strict=True))) == len(set(expected)) == len(set(found.tolist()))
    )


def test_more_subspaces_than_the_cap_are_split_pair_wise() -> None:
    seen = [Decision.reached("r", "1", {0, 1, 2}, (), ABC.reference)]
    whole = partitions_from(ABC, seen)["r"]
    assert [part.n_subspaces for part in whole] == [8]
    capped = partitions_from(ABC, seen, Extensions(cap=7))["r"]
    assert [part.options for part in capped] == [(0, 1), (0, 2), (1, 2)]


def test_too_many_options_need_a_cap() -> None:
    space = switches("ABCDEFGHIJKLMNOPQRSTU")
    seen = [Decision.reached("r", "1", range(21), (), space.reference)]
    with pytest.raises(TooManyCellsError, match="21 options"):
        partitions_from(space, seen)
    assert len(partitions_from(space, seen, Extensions(cap=100))["r"]) == 210


def test_excluded_regions_have_no_partition() -> None:
    seen = [
        Decision.reached("parse", "1", {0, 1, 2}, (), ABC.reference),
        Decision.reached("r", "2", {0}, (), ABC.reference),
        Decision.reached("r", "3", {1}, (), ABC.reference),
    ]
    assert list(partitions_from(ABC, seen, Extensions(excluded=frozenset({"parse"})))) == ["r"]
