"""Where revisions are shown in the web: by the host of a repository, and never at an address that may do harm."""

import subprocess
from pathlib import Path

import pytest

from runner.errors import SubjectInvalid
from runner.host_links import address_of, commit_pattern, problem_of
from runner.revisions import host_link
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, write_subject

GIT = SUBJECT.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')
COMMIT = "0123456789" * 4
PATTERN = "https://example.org/p/{commit}"


@pytest.mark.parametrize(
    ("repository", "found"),
    [
        ("https://github.com/psf/requests.git", "https://github.com/psf/requests/commit/{commit}"),
        ("git@github.com:psf/requests.git", "https://github.com/psf/requests/commit/{commit}"),
        ("https://gitlab.com/a/b/c/", "https://gitlab.com/a/b/c/-/commit/{commit}"),
        ("ssh://git@gitlab.example.org:2222/a/b.git", "https://gitlab.example.org/a/b/-/commit/{commit}"),
        ("https://bitbucket.org/a/b", "https://bitbucket.org/a/b/commits/{commit}"),
        ("https://codeberg.org/a/b", "https://codeberg.org/a/b/commit/{commit}"),
        ("http://gitea.example.org:3000/a/b.git", "http://gitea.example.org:3000/a/b/commit/{commit}"),
        ("https://git.sr.ht/~a/b", "https://git.sr.ht/~a/b/commit/{commit}"),
        ("https://example.org/cgit/b.git", "https://example.org/cgit/b.git/commit/?id={commit}"),
    ],
)
def test_known_hosts_address_commits_in_their_own_ways(repository: str, found: str) -> None:
    assert commit_pattern(repository) == found
    assert not problem_of(found)


@pytest.mark.parametrize("repository", ["https://me:secret@github.com/a/b", "https://github.com/a/b?x=<y>#z"])
def test_what_is_not_the_place_of_a_repository_is_left_out(repository: str) -> None:
    assert commit_pattern(repository) == "https://github.com/a/b/commit/{commit}"


@pytest.mark.parametrize(
    "repository",
    [
        "program",
        "../program",
        "C:/program/here",
        "https://example.org/a/b",
        "file:///srv/github.com/a",
        "javascript:alert(1)//github.com/a/b",
        "https://github.com",
        "https://[::1/a/b",
        "https://github.com/" + "a/" * 300 + "b",
    ],
)
def test_of_unknown_hosts_and_places_no_address_is_told(repository: str) -> None:
    assert commit_pattern(repository) == ""


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("javascript:alert('{commit}')", "is no address"),
        ("data:text/html,{commit}", "is no address"),
        ("//example.org/{commit}", "is no address"),
        ("https://{commit}.example.org/", "is no address"),
        ("https://[::1/{commit}", "is no address"),
        ("https://me:secret@example.org/{commit}", "holds a name or password"),
        ('https://example.org/"{commit}', "holds blanks"),
        ("https://example.org/ {commit}", "holds blanks"),
        ("https://example.org/\u202e{commit}", "holds blanks"),
        ("https://example.org/" + "a" * 400 + "{commit}", "is longer than"),
        ("https://example.org/", "does not say where the commit stands"),
        ("https://example.org/{commit}/{revision}", "does not say where the commit stands"),
    ],
)
def test_a_pattern_that_is_no_plain_address_is_refused(pattern: str, problem: str) -> None:
    assert problem_of(pattern).startswith(problem)
    assert address_of(pattern, name="1.0", commit=COMMIT) == ""


def test_an_address_holds_the_commit_or_the_quoted_name() -> None:
    assert address_of(PATTERN, name="1.0", commit=COMMIT) == f"https://example.org/p/{COMMIT}"
    assert address_of("https://example.org/{revision}/", name="1/0 a", commit="") == (
        "https://example.org/1%2F0%20a/"
    )


@pytest.mark.parametrize("commit", ["", "main", "../../other", "0123456789 ", "ABCDEF0123"])
def test_what_is_no_commits_hash_gets_no_address(commit: str) -> None:
    assert address_of(PATTERN, name=COMMIT, commit=commit) == ""


def test_a_clone_on_this_machine_is_addressed_as_its_origin(tmp_path: Path) -> None:
    folder = write_subject(tmp_path, toml=GIT)
    git = ["git", "-C", str(folder / "program")]
    subprocess.run([*git, "init", "--quiet"], check=True)
    assert host_link(load_subject(folder)) == ""
    subprocess.run([*git, "remote", "add", "origin", "git@github.com:a/b.git"], check=True)
    assert host_link(load_subject(folder)) == "https://github.com/a/b/commit/{commit}"


def test_a_subject_says_itself_how_its_revisions_are_addressed(tmp_path: Path) -> None:
    toml = GIT.replace('"program"', f'"program"\nlink = "{PATTERN}"')
    assert host_link(load_subject(write_subject(tmp_path, toml=toml))) == PATTERN
    wrong = toml.replace("https://", "ftp://")
    with pytest.raises(SubjectInvalid, match=r"revisions.link.*begin it with https://"):
        load_subject(write_subject(tmp_path, toml=wrong))
