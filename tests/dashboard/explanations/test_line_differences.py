"""Lines of two versions: each version can be read out of the difference."""

from hypothesis import given
from hypothesis import strategies as st

from dashboard.selectors.explanations.sources import line_differences

_TEXTS = st.lists(st.sampled_from(["a", "b", "    c", "d"]), max_size=12)


@given(_TEXTS, _TEXTS)
def test_both_versions_are_in_the_difference_in_their_order(before: list[str], after: list[str]) -> None:
    found = list(line_differences(before, after))
    assert [one.before for one in found if one.before is not None] == [*range(len(before))]
    assert [one.after for one in found if one.after is not None] == [*range(len(after))]
    assert all(before[one.before or 0] == after[one.after or 0] for one in found if one.told == "kept")


@given(_TEXTS)
def test_equal_versions_have_no_difference(text: list[str]) -> None:
    assert {one.told for one in line_differences(text, text)} <= {"kept"}


def test_what_went_stands_before_what_came() -> None:
    told = [one.told for one in line_differences(["a", "b", "c"], ["a", "x", "y", "c"])]
    assert told == ["kept", "removed", "added", "added", "kept"]


def test_blanks_at_the_end_of_a_line_are_no_difference() -> None:
    assert [one.told for one in line_differences(["a  "], ["a"])] == ["kept"]
