"""A repository that somebody else made or may write to: its commits are read, nothing that it names is run."""

import subprocess
from pathlib import Path

import pytest

from runner.revisions import list_revisions
from runner.sources import place_source
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.test_revisions import GIT
from tests.runner.throwaway import write_subject

_SIGNED = """tree {tree}
author A <a@example.org> 1577836800 +0000
committer A <a@example.org> 1577836800 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
{blank}
 made up
 -----END PGP SIGNATURE-----

Signed
"""


def _git(place: Path, *arguments: str, given: str = "") -> str:
    settings = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    command = ["git", *settings, "-C", str(place), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, input=given).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A subject whose program is a repository with one commit, in it a folder `inner`."""
    folder = write_subject(tmp_path, toml=GIT)
    place = folder / "program"
    _git(place, "init")
    (place / "inner").mkdir()
    (place / "inner" / "deep.py").write_text("x = 1\n")
    (place / ".gitattributes").write_text("*.py filter=stranger\n")
    _git(place, "add", ".")
    _git(place, "commit", "-m", "One")
    return folder


def test_no_command_that_a_repository_names_is_run(checkout: Path, state: RunnerState) -> None:
    """Filters, the check of signatures, and the way to objects that a partial clone lacks: git runs as we do, in no sandbox."""
    place, mark = checkout / "program", checkout / "mark"
    signed = _SIGNED.format(blank=" ", tree=_git(place, "rev-parse", "HEAD^{tree}"))
    _git(place, "reset", _git(place, "hash-object", "-t", "commit", "-w", "--stdin", given=signed))
    stranger = checkout / "stranger"
    stranger.write_text(f"#!/bin/sh\ntouch '{mark}'\nexec true\n")
    stranger.chmod(0o755)
    for key, value in {
        "filter.stranger.smudge": str(stranger),
        "log.showSignature": "true",
        "gpg.program": str(stranger),
        "core.fsmonitor": str(stranger),
        "core.pager": str(stranger),
        "extensions.partialClone": "origin",
        "core.repositoryformatversion": "1",
        "remote.origin.url": str(place),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(stranger),
    }.items():
        _git(place, "config", key, value)
    subject = load_subject(checkout)
    [found] = list_revisions(subject, state)
    assert found.message == "Signed"
    assert place_source(subject, found.identifier, checkout / "copy", state) is not None
    assert (checkout / "copy" / "tiny.py").is_file()
    # And one object is missing.
    blob = _git(place, "rev-parse", "HEAD:inner/deep.py")
    (place / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    with pytest.raises(Exception, match="git"):
        place_source(subject, found.identifier, checkout / "other", state)
    assert not mark.exists()


def test_a_worktree_and_a_folder_in_a_repository_are_read_as_they_stand(
    checkout: Path, state: RunnerState
) -> None:
    """HEAD is that of the worktree; of a folder, its own files are placed."""
    place = checkout / "program"
    _git(place, "worktree", "add", "-b", "side", str(checkout / "side"))
    _git(checkout / "side", "commit", "--allow-empty", "-m", "Aside")
    (checkout / "subject.toml").write_text(GIT.replace('"program"', '"side"'))
    assert [one.message for one in list_revisions(load_subject(checkout), state)] == ["One", "Aside"]
    _git(checkout / "side", "commit", "--allow-empty", "-m", "More")
    assert [one.message for one in list_revisions(load_subject(checkout), state)][2:] == ["More"]
    (checkout / "subject.toml").write_text(GIT.replace('"program"', '"program/inner"'))
    subject = load_subject(checkout)
    [found] = list_revisions(subject, state)
    placed = place_source(subject, found.identifier, checkout / "copy", state)
    assert placed is not None
    assert [one.name for one in placed.iterdir()] == ["deep.py"]


def test_what_a_partial_clone_lacks_is_fetched(checkout: Path, state: RunnerState) -> None:
    place = checkout / "program"
    _git(place, "config", "uploadpack.allowFilter", "true")
    _git(place, "config", "uploadpack.allowAnySHA1InWant", "true")
    _git(
        checkout,
        "clone",
        "--bare",
        "--filter=blob:none",
        "--config",
        "protocol.file.allow=always",
        place.as_uri(),
        "part",
    )
    (checkout / "subject.toml").write_text(GIT.replace('"program"', '"part"'))
    subject = load_subject(checkout)
    [found] = list_revisions(subject, state)
    assert place_source(subject, found.identifier, checkout / "copy", state) is not None
    assert (checkout / "copy" / "inner" / "deep.py").read_text() == "x = 1\n"
