"""Covers and what they cover."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.configurations import covers
from analytics.configurations.covers import covered, distinct_partitions, distinct_subspaces, greedy_cover
from analytics.configurations.formulas import parse
from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from tests.analytics.configurations.formula_truth import satisfied
from tests.analytics.strategies import every_configuration, option_spaces, partitions

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABC"))


def _partition(*formulas: str) -> Partition:
    return Partition.from_formulas(SPACE, formulas)


@pytest.mark.parametrize("candidates", [1, 1 << 18])
@given(data=st.data())
def test_a_greedy_cover_covers_every_subspace_and_wastes_no_configuration(
    data: st.DataObject, candidates: int
) -> None:
    """Listing candidates or intersecting subspaces, and each configuration adds something."""
    space = data.draw(option_spaces())
    parts = data.draw(st.lists(partitions(space), max_size=4))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(covers, "MAX_CANDIDATES", candidates)
        cover = greedy_cover(space, parts)
    assert all(covered(part, cover).all() for part in parts)
    for last in range(1, len(cover)):
        before = sum(int(covered(part, cover[:last]).sum()) for part in parts)
        assert before < sum(int(covered(part, cover[: last + 1]).sum()) for part in parts)


def test_independent_options_are_covered_together() -> None:
    """Three regions with one option each need two configurations, not eight (Velez et al., Sec. III)."""
    parts = [_partition(name, f"!{name}") for name in "ABC"]
    assert len(greedy_cover(SPACE, parts)) == 2


def test_options_that_nothing_mentions_stay_at_their_reference() -> None:
    """A cover varies no more than it must."""
    assert greedy_cover(SPACE, [_partition("B", "!B")]).tolist() == [[0, 0, 0], [0, 1, 0]]
    assert greedy_cover(SPACE, [_partition("True")]).tolist() == [[0, 0, 0]]
    assert greedy_cover(SPACE, []).shape == (0, 3)


def test_subspaces_are_told_apart_by_their_configurations_not_by_their_text() -> None:
    """Order, double negation and options without effect make no difference."""
    parts = [
        _partition("A & B", "!(A & B)"),
        _partition("!A | !B", "B & A"),
        _partition("A&B&C", "A&B&!C", "!A|!B"),
    ]
    assert distinct_subspaces(parts) == 4
    assert len(distinct_partitions([parts[0], parts[0], parts[1]])) == 2


@given(st.data())
def test_distinct_subspaces_agree_with_comparing_them_on_all_configurations(data: st.DataObject) -> None:
    """Brute force over the whole space."""
    space = data.draw(option_spaces(max_options=3))
    parts = data.draw(st.lists(partitions(space), max_size=4))
    everything = every_configuration(space)
    sets = {satisfied(parse(text), space, everything).tobytes() for part in parts for text in part.formulas}
    assert distinct_subspaces(parts) == len(sets)
    some = everything[: data.draw(st.integers(0, len(everything)))]
    seen = {
        holding.tobytes()
        for part in parts
        for text in part.formulas
        if (holding := satisfied(parse(text), space, everything))[: len(some)].any()
    }
    assert distinct_subspaces(parts, some) == len(seen)


def test_covered_tells_the_subspaces_that_were_reached() -> None:
    """And with that the ones that were not."""
    partition = _partition("A & B", "A & !B", "!A")
    assert covered(partition, SPACE.checked([[1, 0, 0], [0, 1, 1]])).tolist() == [False, True, True]


def test_a_greedy_cover_of_a_full_interaction_is_the_full_factorial() -> None:
    """No two configurations share a subspace then."""
    cover = greedy_cover(SPACE, [Partition.exhaustive(SPACE, SPACE.names)])
    assert len(cover) == 8
    assert all((one != other).any() for one, other in combinations(cover, 2))
