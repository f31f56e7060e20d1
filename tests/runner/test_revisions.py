"""Revisions come in order, and a person's own checkout is only read."""

import subprocess
from pathlib import Path

import pytest

from runner.errors import RepositoryGone, RevisionsUnavailable, SelectionInvalid
from runner.releases import archive_date
from runner.revisions import list_revisions, notices, select_revisions
from runner.source_revisions import SourceRevision
from runner.sources import place_source
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, git, prepared_subject, write_subject

GIT = SUBJECT.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')
RELEASES = tuple(SourceRevision(name, None, "") for name in ("1.0", "1.1", "2.0", "2.1", "3.0"))


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A subject whose program is a repository: three commits on the main line, one merged from a side."""
    folder = write_subject(tmp_path, toml=GIT)
    place = folder / "program"

    git(place, "init")
    for number in (1, 2):
        (place / "tiny.py").write_text(f"VERSION = {number}\n")
        git(place, "add", ".")
        git(place, "commit", "-m", f"Version {number}", "--date", f"2020-01-0{number}T00:00:00Z")
    git(place, "tag", "v2")
    git(place, "checkout", "-b", "side")
    (place / "side.py").write_text("x = 1\n")
    git(place, "add", ".")
    git(place, "commit", "-m", "Aside")
    git(place, "checkout", "main")
    git(place, "merge", "--no-ff", "-m", "Merge side", "side")
    (place / "tiny.py").write_text("VERSION = 'not committed'\n")
    return folder


def test_commits_come_oldest_first_with_message_date_and_tags(checkout: Path, state: RunnerState) -> None:
    found = list_revisions(load_subject(checkout), state)
    assert [revision.message for revision in found] == ["Version 1", "Version 2", "Merge side"]
    assert [revision.names for revision in found] == [(), ("v2",), ()]
    assert all(revision.released_at is not None and len(revision.identifier) == 40 for revision in found)


def test_an_author_is_told_by_name_and_never_by_address(checkout: Path, state: RunnerState) -> None:
    assert {revision.author for revision in list_revisions(load_subject(checkout), state)} == {"A"}
    for name in ("jo.doe@example.org", "Jo  Doe jo@example.org", "@jo"):
        settings = ("-c", f"user.name={name}", "-c", "user.email=jo@example.org")
        command = ["git", *settings, "-C", str(checkout / "program")]
        subprocess.run([*command, "commit", "--allow-empty", "-m", "More"], check=True, capture_output=True)
    last = list_revisions(load_subject(checkout), state)[-3:]
    assert [revision.author for revision in last] == ["jo.doe", "Jo Doe jo", "@jo"]


def test_a_message_may_hold_any_character(checkout: Path, state: RunnerState) -> None:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    command = [
        "git",
        *settings,
        "-C",
        str(checkout / "program"),
        "commit",
        "--allow-empty",
        "-m",
        "One\u2028two\x0c",
    ]
    subprocess.run(command, check=True, capture_output=True)
    assert list_revisions(load_subject(checkout), state)[-1].message.startswith("One\u2028two")


def test_all_history_has_side_lines_too_and_a_range_leaves_out(checkout: Path, state: RunnerState) -> None:
    toml = GIT.replace(
        'repository = "program"', 'repository = "program"\nhistory = "all"\nrange = "v2..HEAD"'
    )
    (checkout / "subject.toml").write_text(toml)
    found = list_revisions(load_subject(checkout), state)
    assert [revision.message for revision in found] == ["Aside", "Merge side"]


def test_a_commit_is_run_from_a_copy_and_the_checkout_stays_as_it_is(
    checkout: Path, state: RunnerState
) -> None:
    prepared = prepared_subject(load_subject(checkout), state)
    assert prepared.source is not None
    assert (prepared.source / "tiny.py").read_text() == "VERSION = 2\n"
    assert (checkout / "program" / "tiny.py").read_text() == "VERSION = 'not committed'\n"
    said = subprocess.run(
        ["git", "-C", str(checkout / "program"), "worktree", "list"], check=True, capture_output=True
    )
    assert len(said.stdout.splitlines()) == 1


def test_a_checkout_in_the_subjects_folder_may_change_and_vanish(checkout: Path, state: RunnerState) -> None:
    """The subject stays the same: what is measured comes from the commits. Nothing of the checkout is on its path."""
    before = load_subject(checkout)
    (checkout / "program" / "tiny.py").write_text("VERSION = 'edited'\n")
    assert load_subject(checkout).digest == before.digest
    assert not (prepared_subject(before, state).files / "program").exists()
    (checkout / "program").rename(checkout.parent / "moved")
    try:
        assert load_subject(checkout).digest == before.digest
    finally:
        (checkout.parent / "moved").rename(checkout / "program")


def test_an_address_is_cloned_once_and_fetched_again(checkout: Path, state: RunnerState) -> None:
    address = (checkout / "program").as_uri()
    toml = GIT.replace('repository = "program"', f'repository = "{address}"')
    (checkout / "subject.toml").write_text(toml)
    for _ in range(2):
        assert len(list_revisions(load_subject(checkout), state)) == 3


def test_a_range_that_does_not_exist_says_what_git_said(checkout: Path, state: RunnerState) -> None:
    toml = GIT.replace('repository = "program"', 'repository = "program"\nrange = "v7"')
    (checkout / "subject.toml").write_text(toml)
    with pytest.raises(RevisionsUnavailable, match="v7"):
        list_revisions(load_subject(checkout), state)


def test_a_folder_is_one_revision_named_after_its_content(tmp_path: Path, state: RunnerState) -> None:
    subject = load_subject(write_subject(tmp_path))
    (before,) = list_revisions(subject, state)
    (tmp_path / "program" / "tiny.py").write_text("y = 2\n")
    (after,) = list_revisions(subject, state)
    assert before.identifier != after.identifier


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["all"], "1.0 1.1 2.0 2.1 3.0"),
        (["latest"], "3.0"),
        (["first"], "1.0"),
        (["last=2"], "2.1 3.0"),
        (["every=2"], "1.0 2.0 3.0"),
        (["every=3"], "1.1 3.0"),
        (["1.1..2.1"], "1.1 2.0 2.1"),
        (["3.0", "1.0", "first"], "1.0 3.0"),
    ],
)
def test_a_selection_of_revisions_keeps_their_order(words: list[str], expected: str) -> None:
    assert " ".join(one.identifier for one in select_revisions(RELEASES, words)) == expected


@pytest.mark.parametrize("word", ["4.0", "last=0", "last=x", "1.0..4.0", "2"])
def test_a_word_that_names_no_revision_is_refused(word: str) -> None:
    with pytest.raises(SelectionInvalid, match=r"1\.|2\.|3\."):
        select_revisions(RELEASES, [word])


def test_commits_and_tags_can_be_named_shortly() -> None:
    commits = (SourceRevision("a" * 40, None, ""), SourceRevision("ab" * 20, None, "", ("v1",)))
    assert select_revisions(commits, ["abababa", "v1"]) == commits[1:]


def test_a_file_that_is_no_archive_has_no_date(tmp_path: Path) -> None:
    (tmp_path / "x.whl").write_text("no")
    assert archive_date(tmp_path / "x.whl") is None


def test_commits_with_the_same_code_have_the_same_content(checkout: Path, state: RunnerState) -> None:
    """A changed document makes no new content, a changed program does, and its exact revert leads back."""
    place = checkout / "program"

    def commit(name: str, text: str) -> None:
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(text)
        for words in (["add", name], ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-m", name]):
            subprocess.run(["git", "-C", str(place), *words], check=True, capture_output=True)

    subprocess.run(["git", "-C", str(place), "checkout", "--", "."], check=True, capture_output=True)
    commit("docs/guide.md", "how")
    commit("tiny.py", "VERSION = 3\n")
    commit("tiny.py", "VERSION = 2\n")
    found = list_revisions(load_subject(checkout), state)
    contents = [revision.content for revision in found]
    merged, documented, changed, reverted = contents[2:]
    assert merged == documented == reverted != changed
    assert len(set(contents)) == 4
    # One line each: replaced, added by the merge, none in a document, replaced and replaced back.
    assert [revision.changed_lines for revision in found] == [None, 2, 1, 0, 2, 2]

    (checkout / "subject.toml").write_text(
        GIT.replace('repository = "program"', 'repository = "program"\ninclude = ["docs/**"]\nexclude = []')
    )
    contents = [revision.content for revision in list_revisions(load_subject(checkout), state)]
    assert [content != contents[0] for content in contents] == [False, False, False, True, True, True]


def test_names_of_files_may_hold_any_sign_that_ends_a_line_elsewhere(
    checkout: Path, state: RunnerState
) -> None:
    """A line separator, with a repository that has git print names as they are."""
    place = checkout / "program"
    name = "tiny\N{LINE SEPARATOR}two.py"
    (place / name).write_text("VERSION = 9\n")
    for words in (
        ["config", "core.quotePath", "false"],
        ["add", name],
        ["-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-m", "two"],
    ):
        subprocess.run(["git", "-C", str(place), *words], check=True, capture_output=True)
    *_, before, last = list_revisions(load_subject(checkout), state)
    assert before.content != last.content
    assert last.changed_lines == 1


def test_a_repository_that_is_gone_is_named(tmp_path: Path, state: RunnerState) -> None:
    """No clone is tried of a path."""
    subject = load_subject(write_subject(tmp_path, toml=GIT.replace('"program"', '"elsewhere"')))
    with pytest.raises(RevisionsUnavailable, match="no repository at elsewhere"):
        list_revisions(subject, state)


def test_a_shallow_clone_says_how_to_get_what_is_missing(checkout: Path, state: RunnerState) -> None:
    """What is there can be measured; a range that begins before it names the remedy."""
    whole = checkout / "program"
    place = checkout / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", whole.as_uri(), str(place)], check=True)
    toml = GIT.replace('"program"', '"shallow"')
    (checkout / "subject.toml").write_text(toml)
    subject = load_subject(checkout)
    assert len(list_revisions(subject, state)) == 1
    assert "git fetch --unshallow" in notices(subject, state)[0]
    (checkout / "subject.toml").write_text(toml.replace('"shallow"', '"shallow"\nrange = "v2..HEAD"'))
    with pytest.raises(RevisionsUnavailable, match="--unshallow"):
        list_revisions(load_subject(checkout), state)
    (checkout / "subject.toml").write_text(GIT)
    assert notices(load_subject(checkout), state) == ()


def test_a_mirror_is_used_when_its_address_is_gone_and_asked_for_when_revisions_are_listed(
    checkout: Path, state: RunnerState
) -> None:
    """A measurement that has begun does not need the address; a new list does."""
    address = (checkout / "program").as_uri()
    (checkout / "subject.toml").write_text(GIT.replace('repository = "program"', f'repository = "{address}"'))
    subject = load_subject(checkout)
    newest = list_revisions(subject, state)[-1]
    (checkout / "program").rename(checkout / "moved")
    assert place_source(subject, newest.identifier, checkout / "copy", state) is not None
    with pytest.raises(RepositoryGone, match="cannot be reached"):
        list_revisions(subject, state)


def test_in_a_history_full_of_merges_the_first_parents_are_the_steps(
    checkout: Path, state: RunnerState
) -> None:
    """What came by a merge changes at the merge, whatever the side line did; all commits stand parents first."""
    place = checkout / "program"

    def git(*arguments: str) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        return subprocess.run(
            ["git", *who, "-C", str(place), *arguments], check=True, capture_output=True, text=True
        ).stdout

    git("checkout", "--", ".")
    for number in range(4):
        git("checkout", "-b", f"side{number}", "main")
        for step in range(2):
            (place / f"side{number}.py").write_text(f"x = {step}\n")
            git("add", ".")
            git("commit", "-m", f"Side {number}, step {step}")
        git("checkout", "main")
        git("merge", "--no-ff", "-m", f"Merge {number}", f"side{number}")
    first = list_revisions(load_subject(checkout), state)
    assert [one.message for one in first][-4:] == [f"Merge {number}" for number in range(4)]
    assert len({one.content for one in first}) == len(first)
    assert [one.changed_lines for one in first][-4:] == [1] * 4
    (checkout / "subject.toml").write_text(
        GIT.replace('repository = "program"', 'repository = "program"\nhistory = "all"')
    )
    every = [one.identifier for one in list_revisions(load_subject(checkout), state)]
    assert len(every) == len(first) + 9
    for at, commit in enumerate(every):
        assert set(git("rev-parse", f"{commit}^@").split()) <= set(every[:at])
