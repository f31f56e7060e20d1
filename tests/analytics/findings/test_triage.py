"""What people said of a change stays with it when a new fit finds it elsewhere."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from analytics.findings.triage import REACH, ChangePlace, same_places


@st.composite
def places(draw: st.DrawFn) -> list[ChangePlace]:
    """Changes of one series as a search may find them: their brackets follow one another."""
    ends = sorted(draw(st.lists(st.integers(0, 60), min_size=2, max_size=9, unique=True)))
    return [ChangePlace(before, after, draw(st.booleans())) for before, after in pairwise(ends)]


@given(places(), places())
def test_each_change_is_one_other_at_most_of_its_direction_and_within_reach(
    known: list[ChangePlace], found: list[ChangePlace]
) -> None:
    same = same_places(known, found)
    assert len(set(same.values())) == len(same)
    for index, at in same.items():
        assert known[at].is_worse == found[index].is_worse
        assert known[at].apart(found[index]) <= REACH


@given(places(), places())
def test_no_pair_that_is_left_would_rather_be_together(
    known: list[ChangePlace], found: list[ChangePlace]
) -> None:
    """A stable matching: of two that are no pair, one at least has a partner that is as near."""
    same = same_places(known, found)
    partner = {at: index for index, at in same.items()}
    for at, one in enumerate(known):
        for index, other in enumerate(found):
            if one.is_worse != other.is_worse or one.apart(other) > REACH:
                continue
            nearest = [one.apart(found[partner[at]])] if at in partner else []
            nearest += [known[same[index]].apart(other)] if index in same else []
            assert nearest
            assert min(nearest) <= one.apart(other)


@given(places())
def test_the_same_fit_finds_each_change_again(known: list[ChangePlace]) -> None:
    assert same_places(known, known) == {at: at for at in range(len(known))}


@given(places(), st.integers(-REACH, REACH))
def test_a_shift_of_up_to_five_revisions_loses_nothing_where_changes_lie_apart(
    known: list[ChangePlace], shift: int
) -> None:
    apart = [ChangePlace(20 * at, 20 * at + 1, one.is_worse) for at, one in enumerate(known)]
    moved = [ChangePlace(one.before + shift, one.after + shift, one.is_worse) for one in apart]
    assert same_places(apart, moved) == {at: at for at in range(len(apart))}


def test_six_revisions_further_on_is_another_change() -> None:
    # From (9, 10] to (15, 16] the bracket moved by six: five revisions may explain neither.
    assert same_places([ChangePlace(9, 10, True)], [ChangePlace(14, 15, True)]) == {0: 0}
    assert same_places([ChangePlace(9, 10, True)], [ChangePlace(15, 16, True)]) == {}


def test_a_bracket_that_became_narrower_is_the_same_change() -> None:
    assert same_places([ChangePlace(0, 40, True)], [ChangePlace(30, 31, True)]) == {0: 0}


def test_the_other_direction_and_a_drift_are_never_the_same() -> None:
    known = [ChangePlace(9, 10, True)]
    assert same_places(known, [ChangePlace(9, 10, False)]) == {}
    assert same_places(known, [ChangePlace(0, 20, True, is_slow=True)]) == {}
