"""The iterative analysis: few configurations, the same partitions from wherever it starts."""

from itertools import product
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.whitebox.decisions import Decision, Extensions, partitions_from
from analytics.whitebox.exploration import Exploration, next_configuration, unseen_subspaces
from tests.analytics.strategies import every_configuration
from tests.analytics.whitebox.whole_exploration import explore, with_run

if TYPE_CHECKING:
    from analytics.configurations.validity import ValidConfigurations

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
EXPECTED = {
    "bar": {"!A & !C", "!A & C", "A & !C", "A & C"},
    "foo": {"!A", "A & !B", "A & B"},
    "main": {"!A", "A"},
}


def figure_2(configuration: IntArray) -> list[Decision]:
    """What tracing the running example of the ICSE 2021 paper (Fig. 2) tells."""

    def reached(region: str, data: set[int], control: set[int]) -> Decision:
        return Decision.reached(region, region, data, control, configuration)

    called = [reached("foo", {1}, {0})] if configuration[0] else []
    return [reached("main", {0}, set()), reached("bar", {2}, {0}), *called]


def written(state: Exploration) -> dict[str, set[str]]:
    return {region: set(part.formulas) for region, (part,) in state.partitions.items()}


@pytest.mark.parametrize("start", list(product((0, 1), repeat=4)))
def test_figure_2_takes_4_of_16_configurations_from_any_start(start: tuple[int, ...]) -> None:
    first = np.array(start, dtype=np.int8)
    state = explore(figure_2, with_run(Exploration(SPACE), first, figure_2(first)))
    assert len(state.executed) == 4
    assert written(state) == EXPECTED
    assert not unseen_subspaces(state)


def test_without_a_start_the_reference_configuration_is_the_first() -> None:
    assert explore(figure_2, Exploration(SPACE)).executed[0] == (0, 0, 0, 0)


def test_a_budget_ends_it_with_subspaces_unseen() -> None:
    state = explore(figure_2, Exploration(SPACE), budget=2)
    assert len(state.executed) == 2
    assert unseen_subspaces(state)


@st.composite
def programs(draw: st.DrawFn, depth: int = 3) -> tuple[Any, ...] | None:
    """A nest of decisions: (region, option, what runs if it is on, what runs if it is off)."""
    if depth == 0 or draw(st.booleans()):
        return None
    return (
        draw(st.sampled_from("rs")),
        draw(st.integers(0, 3)),
        draw(programs(depth - 1)),
        draw(programs(depth - 1)),
    )


def run(program: object, configuration: IntArray, control: frozenset[int] = frozenset()) -> list[Decision]:
    if not isinstance(program, tuple):
        return []
    region, option, yes, no = program
    here = Decision.reached(region, "1", {option}, control, configuration)
    return [here, *run(yes if configuration[option] else no, configuration, control | {option})]


@given(programs(), st.permutations(list(range(16))))
def test_neither_start_nor_order_changes_the_partitions(program: object, order: list[int]) -> None:
    everything = every_configuration(SPACE)
    first = everything[order[0]]
    state = explore(lambda one: run(program, one), with_run(Exploration(SPACE), first, run(program, first)))
    pooled = partitions_from(SPACE, [one for at in order for one in run(program, everything[at])])
    assert {region: [part.key for part in parts] for region, parts in state.partitions.items()} == {
        region: [part.key for part in parts] for region, parts in pooled.items()
    }


class NeverBoth:
    """A and B exclude each other."""

    space = SPACE

    def complete(self, partial: dict[int, int], prefer: str = "reference") -> IntArray | None:
        if partial.get(0) == 1 and partial.get(1) == 1:
            return None
        found = np.zeros(4, dtype=np.int8)
        for position, level in partial.items():
            found[position] = level
        return found


def test_subspaces_without_a_valid_configuration_are_not_waited_for() -> None:
    valid = cast("ValidConfigurations", NeverBoth())
    state = explore(figure_2, Exploration(SPACE), valid)
    assert all(not (run[0] and run[1]) for run in state.executed)
    assert [part.formulas[int(mask.argmax())] for part, mask in unseen_subspaces(state)] == ["A & B"]
    assert next_configuration(state, valid) is None


@pytest.mark.parametrize("together", [range(20), range(10)])
def test_many_options_are_grown_from_compatible_subspaces(together: range) -> None:
    space = OptionSpace(tuple(Option(f"o{at}", (False, True)) for at in range(40)))

    def trace(configuration: IntArray) -> list[Decision]:
        return [Decision.reached(f"r{at}", "1", {at, at + 1}, (), configuration) for at in together]

    state = explore(trace, Exploration(space, extensions=Extensions(cap=64)))
    assert not unseen_subspaces(state)
    assert len(state.executed) < 12
