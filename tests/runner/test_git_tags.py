"""Tags: which commits they name, and the first release that holds a commit."""

from pathlib import Path

import pytest

from runner.revisions import list_branches, list_revisions, select_revisions
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, git, write_subject

TAGGED = SUBJECT.replace(
    'source = "folder"\npath = "program"',
    'source = "git"\nrepository = "program"\nrange = "main"\nbranches = ["topic"]',
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A subject whose program has six commits on the main line; 1.0 was made of the second, on a branch of its own."""
    folder = write_subject(tmp_path, toml=TAGGED)
    place = folder / "program"
    git(place, "init")
    for number in (1, 2):
        _commit(place, number)
    git(place, "checkout", "-b", "maintained")
    _commit(place, 3, "Bump to 1.0")
    git(place, "tag", "-a", "-m", "The first one", "v1.0")
    git(place, "checkout", "main")
    for number in (3, 4, 5, 6):
        _commit(place, number)
    return folder


def _commit(place: Path, number: int, message: str = "") -> None:
    """A commit of an hour of its own, in the order of the numbers."""
    (place / "tiny.py").write_text(f"VERSION = {number}\n")
    git(place, "add", ".")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_COMMITTER_DATE", f"2020-01-01T{number:02}:00:00Z")
        git(place, "commit", "-m", message or f"Version {number}")


def _first(folder: Path, state: RunnerState) -> dict[str, str]:
    return {one.message: one.released_in for one in list_revisions(load_subject(folder), state)}


def _tag(folder: Path, name: str, commit: str) -> None:
    git(folder / "program", "tag", "--force", name, commit)


def test_a_release_holds_what_it_was_made_of_on_whatever_branch(checkout: Path, state: RunnerState) -> None:
    assert [*_first(checkout, state).values()] == ["v1.0", "v1.0", "", "", "", ""]
    _tag(checkout, "v1.1", "main~1")
    assert [*_first(checkout, state).values()] == ["v1.0", "v1.0", "v1.1", "v1.1", "v1.1", ""]


def test_a_pre_release_counts_where_no_release_holds_the_commit(checkout: Path, state: RunnerState) -> None:
    _tag(checkout, "v1.1.0rc1", "main~2")
    assert _first(checkout, state)["Version 3"] == "v1.1.0rc1"
    _tag(checkout, "v1.1.0", "main~1")
    assert _first(checkout, state)["Version 3"] == "v1.1.0"


def test_tags_without_a_version_are_names_and_no_releases(checkout: Path, state: RunnerState) -> None:
    for name in ("nightly", "deploy-2020-01-01", "nightly-2020.01.05"):
        _tag(checkout, name, "main~1")
    found = {one.message: one for one in list_revisions(load_subject(checkout), state)}
    assert found["Version 5"].names == ("deploy-2020-01-01", "nightly", "nightly-2020.01.05")
    assert found["Version 3"].released_in == "nightly-2020.01.05"
    _tag(checkout, "v2", "main")
    _tag(checkout, "v2.0.0", "main")
    assert _first(checkout, state)["Version 3"] == "v2.0.0"


def test_a_subject_says_which_tags_are_releases(checkout: Path, state: RunnerState) -> None:
    _tag(checkout, "other-3.0", "main~2")
    _tag(checkout, "stable", "main~1")
    subject = checkout / "subject.toml"
    subject.write_text(subject.read_text().replace("branches", 'releases = ["stable"]\nbranches'))
    assert [*_first(checkout, state).values()] == [*["stable"] * 5, ""]


def test_a_tag_that_moves_and_one_that_goes_are_followed(checkout: Path, state: RunnerState) -> None:
    _tag(checkout, "v1.1", "main~3")
    assert _first(checkout, state)["Version 4"] == ""
    _tag(checkout, "v1.1", "main")
    assert _first(checkout, state)["Version 4"] == "v1.1"
    git(checkout / "program", "tag", "-d", "v1.1")
    assert _first(checkout, state)["Version 4"] == ""


def test_what_is_no_commit_has_no_tag(checkout: Path, state: RunnerState) -> None:
    tree = git(checkout / "program", "rev-parse", "main^{tree}").strip()
    _tag(checkout, "tree-1.0", tree)
    assert {name for one in list_revisions(load_subject(checkout), state) for name in one.names} == set()


def test_of_a_shallow_clone_no_release_is_told(checkout: Path, state: RunnerState, tmp_path: Path) -> None:
    """One that it lacks may be the first."""
    _tag(checkout, "v1.1", "main")
    place = checkout / "program"
    place.rename(tmp_path / "whole")
    git(tmp_path, "clone", "--depth=2", f"file://{tmp_path / 'whole'}", "program")
    found = list_revisions(load_subject(checkout), state)
    assert [(one.names, one.released_in) for one in found] == [((), ""), (("v1.1",), "")]


def test_the_range_may_begin_in_the_midst(checkout: Path, state: RunnerState) -> None:
    _tag(checkout, "v1.1", "main~1")
    subject = checkout / "subject.toml"
    subject.write_text(subject.read_text().replace('range = "main"', 'range = "main~3..main"'))
    assert _first(checkout, state) == {"Version 4": "v1.1", "Version 5": "v1.1", "Version 6": ""}


def test_a_tag_selects_its_commit_on_a_branch_too(checkout: Path, state: RunnerState) -> None:
    place = checkout / "program"
    git(place, "checkout", "-b", "topic")
    _commit(place, 7)
    _tag(checkout, "v2.0.0a1", "topic")
    _tag(checkout, "v1.1", "main~1")
    subject = load_subject(checkout)
    listed = list_revisions(subject, state)
    known = (*listed, *list_branches(subject, state, listed))
    chosen = select_revisions(known, ["v1.1", "v2.0.0a1"])
    assert [one.message for one in chosen] == ["Version 5", "Version 7"]
    assert select_revisions(known, ["v1.1..latest"]) == listed[4:]
