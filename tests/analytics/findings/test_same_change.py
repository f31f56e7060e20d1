"""Changes of many series at one revision are one finding; those that no revision explains together are several."""

from hypothesis import given
from hypothesis import strategies as st

from analytics.findings import SeriesChange, list_findings
from analytics.findings.same_change import same_changes
from tests.analytics.findings.changes import change


def groups(changes: list[SeriesChange]) -> list[list[int]]:
    return [sorted(one.series for one in members) for members, _, _ in same_changes(changes)]


def test_brackets_of_different_width_that_hold_one_revision_are_one_change() -> None:
    found = same_changes([change(1, (9, 10)), change(2, (4, 12)), change(3, (8, 30))])
    assert [(len(members), before, after) for members, before, after in found] == [(3, 9, 10)]


def test_neighbouring_brackets_hold_no_common_revision() -> None:
    assert groups([change(1, (9, 10)), change(2, (10, 11))]) == [[1], [2]]


def test_brackets_that_only_a_third_one_joins_are_two_changes() -> None:
    """The wide bracket overlaps both, which do not overlap: it goes where it is expected with more of others."""
    assert groups([change(1, (0, 5)), change(2, (4, 9)), change(3, (8, 12)), change(4, (8, 12))]) == [
        [1],
        [2, 3, 4],
    ]


def test_opposite_directions_are_two_changes() -> None:
    assert groups([change(1, (9, 10)), change(2, (9, 10), -0.1)]) == [[1], [2]]


def test_what_is_sure_only_within_many_revisions_joins_the_change_it_may_be() -> None:
    sure = [change(series, (49, 50)) for series in range(5)]
    vague = change(9, (52, 53), within=(40, 60))
    assert groups([*sure, vague]) == [[0, 1, 2, 3, 4, 9]]


spans = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda one: (one[0], one[0] + one[1]))


@given(st.lists(st.tuples(spans, st.booleans()), min_size=1, max_size=30))
def test_every_change_is_in_one_group_whose_revision_it_may_be(
    drawn: list[tuple[tuple[int, int], bool]],
) -> None:
    changes = [change(at, span, 0.1 if up else -0.1) for at, (span, up) in enumerate(drawn)]
    found = same_changes(changes)
    assert sorted(one.series for members, _, _ in found for one in members) == list(range(len(changes)))
    for members, before, after in found:
        assert before < after
        assert all(one.earliest <= before and after <= one.latest for one in members)
        assert len({one.is_worse for one in members}) == 1


def test_the_certain_and_largest_change_stands_for_all() -> None:
    (found,) = list_findings(
        [change(1, (9, 10), 0.05), change(2, (9, 10), 0.2), change(3, (9, 10), 0.9, is_candidate=True)]
    )
    assert [one.series for one in found.changes] == [2, 1, 3]
    assert found.verdict == "told"


def test_candidates_alone_are_not_told() -> None:
    candidates = [change(series, (9, 10), is_candidate=True) for series in (1, 2)]
    assert [found.verdict for found in list_findings(candidates)] == ["candidate"]
    assert [found.verdict for found in list_findings([*candidates, change(3, (9, 10))])] == ["told"]
