"""Releases in words: what a commit is called, and in which release a change came first."""

from dataclasses import replace

import pytest

from dashboard.figures.histories_words import place_text, revision_text, revision_title, shortened
from dashboard.figures.release_words import released_text
from dashboard.release_names import naming_releases
from dashboard.selectors.histories.first_releases import first_releases
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from tests.dashboard.figures.test_histories import CHANGE

COMMITS = tuple(f"{at:040x}" for at in range(1, 9))


def order(*released: str) -> OrderedRevisions:
    """Commits in line, each with its first release."""
    places = tuple(
        RevisionPlace(at, COMMITS[at], at, COMMITS[at], "", None, released_in=one)
        for at, one in enumerate(released)
    )
    return OrderedRevisions("first-parent", places)


def test_a_release_is_called_by_its_tag_where_its_system_is_told_of() -> None:
    with naming_releases(lambda: {COMMITS[0]: "1.4.0"}):
        assert revision_text(COMMITS[0]) == "1.4.0"
        assert revision_title(COMMITS[0], "Faster") == f"1.4.0 {COMMITS[0][:10]} Faster"
        assert shortened(f"at {COMMITS[0]} and {COMMITS[1]}") == f"at 1.4.0 and {COMMITS[1][:10]}"
    assert revision_text(COMMITS[0]) == COMMITS[0][:10]


def test_names_are_read_once_and_only_where_a_commit_is_told() -> None:
    read: list[int] = []

    def names() -> dict[str, str]:
        read.append(1)
        return {}

    with naming_releases(names):
        revision_text("2.0")
        assert not read
        revision_text(COMMITS[0])
        revision_text(COMMITS[1])
    assert read == [1]


@pytest.mark.parametrize(
    ("releases", "words"),
    [
        ((), ""),
        (("",), "in no known release yet"),
        (("1.4",), "first released in 1.4"),
        (("1.3", "1.4"), "first released in 1.3 or 1.4"),
        (("1.3", ""), "first released in 1.3, or not yet"),
        (("1.2", "1.3", "1.4"), "first released in 1.2, 1.3 or 1.4"),
        (("1.1", "1.2", "1.3", "1.4"), "first released in one of 4 releases, 1.1 to 1.4"),
    ],
)
def test_of_a_bracket_all_releases_are_told_that_it_may_have_come_with(
    releases: tuple[str, ...], words: str
) -> None:
    assert released_text(releases) == words


def test_the_release_of_a_bracket_is_that_of_what_lies_behind_its_first_revision() -> None:
    found = order("1.0", "1.0", "1.1", "1.1", "1.2", "", "")
    at = found.revisions
    assert first_releases(found, at[1], at[3]) == ("1.1",)
    assert first_releases(found, at[0], at[4]) == ("1.0", "1.1", "1.2")
    assert first_releases(found, at[3], at[5]) == ("1.2", "")
    assert first_releases(found, at[5], at[6]) == ("",)


def test_where_a_release_is_not_known_of_one_nothing_is_told() -> None:
    found = order("1.0", "", "1.1")
    assert first_releases(found, *found.revisions[::2]) == ()
    untagged = order("", "", "")
    assert first_releases(untagged, *untagged.revisions[:2]) == ()


def test_a_release_that_is_an_end_itself_is_told_once() -> None:
    change = replace(CHANGE, probability=0.9, released_in=("1.4.0",))
    names = {change.after.name: "1.4.0"}
    assert place_text(change).endswith(", first released in 1.4.0")
    with naming_releases(lambda: names):
        assert revision_text(change.after.name) == change.after.name
        assert place_text(change).count("1.4.0") == 0
