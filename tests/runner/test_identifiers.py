"""A revision's identifier becomes a path and an argument: only what its source gives out is taken."""

from pathlib import Path

import pytest

from runner import releases
from runner.environments import prepare
from runner.errors import SelectionInvalid
from runner.git_history import archive
from runner.processes import ProcessOutcome
from runner.releases import archive_folder
from runner.source_revisions import SourceRevision
from runner.state import RunnerState
from runner.subject_files import load_subject
from runner.subjects import ReleaseRevisions, SubjectDefinition
from tests.runner.throwaway import SUBJECT, write_subject

FOLDER = 'source = "folder"\npath = "program"'
GIT = SUBJECT.replace(FOLDER, 'source = "git"\nrepository = "program"')
RELEASES = SUBJECT.replace(FOLDER, 'source = "pypi"\npackage = "tiny-thing"')
TRICKS = (
    "",
    ".",
    "..",
    "/",
    "/etc",
    "../1.0",
    "1.0/../..",
    "1.0\n",
    " 1.0",
    "v1.0",
    "1.0 ",
    "HEAD",
    "--output=mark",
    "a" * 39,
)


def _subject(tmp_path: Path, toml: str) -> SubjectDefinition:
    return load_subject(write_subject(tmp_path, toml=toml))


@pytest.mark.parametrize("identifier", [*TRICKS, "main", "HEAD:program"])
@pytest.mark.parametrize("toml", [SUBJECT, GIT, RELEASES], ids=["folder", "git", "releases"])
def test_nothing_is_made_for_a_name_of_another_form(
    state: RunnerState, tmp_path: Path, toml: str, identifier: str
) -> None:
    """Whatever the source: no environment, no download, no command."""
    before = sorted(state.folder("environments").iterdir())
    with pytest.raises(SelectionInvalid, match="list the revisions again"):
        prepare(_subject(tmp_path, toml), SourceRevision(identifier, None, ""), state=state)
    assert sorted(state.folder("environments").iterdir()) == before


@pytest.mark.parametrize("identifier", TRICKS)
def test_git_is_asked_for_hashes_only(tmp_path: Path, identifier: str) -> None:
    with pytest.raises(SelectionInvalid):
        archive(tmp_path, identifier)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize("identifier", TRICKS)
def test_archives_of_releases_lie_below_their_package(state: RunnerState, identifier: str) -> None:
    with pytest.raises(SelectionInvalid):
        archive_folder(ReleaseRevisions(source="pypi", package="tiny-thing"), identifier, state)


def test_a_link_among_the_archives_is_not_followed_out_of_them(state: RunnerState, tmp_path: Path) -> None:
    source = ReleaseRevisions(source="pypi", package="linked-thing")
    place = archive_folder(source, "1.0", state)
    place.symlink_to(tmp_path)
    with pytest.raises(SelectionInvalid, match="leads out of"):
        archive_folder(source, "1.0", state)


def test_names_that_are_no_versions_are_not_listed(
    monkeypatch: pytest.MonkeyPatch, state: RunnerState
) -> None:
    """As an index lists one of textile, 3.0.0-withtests; pip installs none of them."""
    listed = ProcessOutcome(
        "ended",
        "",
        1.0,
        1.0,
        0,
        None,
        "Available versions: 3.0.1, 3.0.0-withtests, 3.0.0\n",
        60,
        cleared=True,
    )
    monkeypatch.setattr(releases, "run_pip", lambda *_, **__: listed)
    assert releases.versions(ReleaseRevisions(source="pypi", package="textile"), state) == ("3.0.0", "3.0.1")
