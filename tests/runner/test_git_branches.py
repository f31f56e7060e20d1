"""Branches that are not merged: their newest commits, and where they left the history."""

from pathlib import Path

import pytest

from runner.errors import SelectionInvalid
from runner.revisions import list_branches, list_revisions, select_revisions
from runner.source_revisions import SourceRevision
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, git, write_subject

BRANCHED = SUBJECT.replace(
    'source = "folder"\npath = "program"',
    'source = "git"\nrepository = "program"\nrange = "main"\nbranches = ["topic/*"]\nexclude = ["*.md"]',
)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A subject whose program has four commits on the main line; topics left it at the second and the third.

    One topic is merged, one took in the main line once more, one changes a document alone, one shares nothing with it.
    """
    folder = write_subject(tmp_path, toml=BRANCHED)
    place = folder / "program"

    def commit(name: str, text: str, message: str) -> None:
        (place / name).write_text(text)
        git(place, "add", ".")
        git(place, "commit", "-m", message)

    git(place, "init")
    commit("tiny.py", "VERSION = 1\n", "First")
    commit("tiny.py", "VERSION = 2\n", "Second")
    git(place, "checkout", "-b", "topic/merged")
    commit("merged.py", "x = 1\n", "Merged work")
    git(place, "checkout", "-b", "topic/long", "main")
    commit("long.py", "x = 1\ny = 2\n", "Long work")
    git(place, "checkout", "main")
    git(place, "merge", "--no-ff", "-m", "Merge", "topic/merged")
    git(place, "checkout", "topic/long")
    git(place, "merge", "--no-ff", "-m", "Main line once more", "main")
    git(place, "checkout", "-b", "topic/document", "main~1")
    commit("notes.md", "words\n", "A document")
    git(place, "checkout", "-b", "aside", "main~1")
    commit("aside.py", "x = 1\n", "Of no topic")
    git(place, "checkout", "--orphan", "topic/orphan")
    commit("orphan.py", "x = 1\n", "Of no history")
    git(place, "checkout", "main")
    commit("tiny.py", "VERSION = 4\n", "Fourth")
    return folder


def both(folder: Path, state: RunnerState) -> tuple[tuple[SourceRevision, ...], tuple[SourceRevision, ...]]:
    """The commits of the history, and those of branches."""
    subject = load_subject(folder)
    listed = list_revisions(subject, state)
    return listed, list_branches(subject, state, listed)


def test_a_branch_is_its_newest_commit_with_the_last_one_of_the_history_that_it_holds(
    checkout: Path, state: RunnerState
) -> None:
    listed, branches = both(checkout, state)
    messages = {one.identifier: one.message for one in listed}
    assert list(messages.values()) == ["First", "Second", "Merge", "Fourth"]
    assert {one.branch: (one.message, messages[one.base], one.changed_lines) for one in branches} == {
        "topic/long": ("Main line once more", "Merge", 2),
        "topic/document": ("A document", "Second", 0),
    }
    contents = {one.message: one.content for one in (*listed, *branches)}
    assert contents["A document"] == contents["Second"]
    assert contents["Main line once more"] not in {one.content for one in listed}


def test_a_branch_that_is_merged_is_none_any_more(checkout: Path, state: RunnerState) -> None:
    git(checkout / "program", "merge", "--no-ff", "-m", "Merge it", "topic/long")
    assert [one.branch for one in both(checkout, state)[1]] == ["topic/document"]


def test_without_patterns_no_branch_is_listed(checkout: Path, state: RunnerState) -> None:
    subject = checkout / "subject.toml"
    subject.write_text(subject.read_text().replace('branches = ["topic/*"]\n', ""))
    assert both(checkout, state)[1] == ()


def test_a_branch_is_selected_by_name_alone(checkout: Path, state: RunnerState) -> None:
    listed, branches = both(checkout, state)
    known = (*branches, *listed)
    for expression in ("all", "last=9", "every=1", "first..latest"):
        assert select_revisions(known, [expression]) == listed
    assert select_revisions(known, ["latest"]) == listed[-1:]
    chosen = select_revisions(known, ["topic/long", "latest"])
    assert [one.message for one in chosen] == ["Fourth", "Main line once more"]
    assert select_revisions(known, [chosen[1].identifier[:10]]) == chosen[1:]
    with pytest.raises(SelectionInvalid, match="topic/long"):
        select_revisions(known, ["first..topic/long"])
    with pytest.raises(SelectionInvalid):
        select_revisions(known, [""])
