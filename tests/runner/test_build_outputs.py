"""Revisions whose builds made the same files are the same program."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from runner.build_outputs import NothingBuilt, built_digest, joined_contents, known_builds
from runner.environments import Prepared, Unprepared, prepare
from runner.errors import SubjectInvalid
from runner.revisions import list_revisions
from runner.state import RunnerState
from runner.subject_files import load_subject
from tests.runner.throwaway import SUBJECT, write_subject

BUILT = SUBJECT.replace(
    "[options.fast]",
    """[install]
pip_install = false
built = ["out/*.txt"]
commands = [["{python}", "-c", "import os; os.mkdir('out'); open('out/a.txt', 'w').write('1')"]]
[options.fast]""",
)


def test_the_digest_is_that_of_names_and_content(tmp_path: Path) -> None:
    for place, name in (("one", "a"), ("two", "a"), ("three", "b")):
        (tmp_path / place).mkdir()
        (tmp_path / place / name).write_text("1")
        (tmp_path / place / "other").write_text(place)
    first, second, third = (built_digest(tmp_path / place, ["[ab]"]) for place in ("one", "two", "three"))
    assert first == second != third
    with pytest.raises(NothingBuilt, match=r"install\.built: .*'prog'"):
        built_digest(tmp_path / "one", ["a", "prog"])


def test_equal_builds_join_revisions_and_all_that_held_their_files_before() -> None:
    """A and b hold the same files; c was built as b was."""
    found = joined_contents(dict(zip("abcd", "1123", strict=True)), {"b": "x", "c": "x", "gone": "x"})
    assert list(found.values()) == ["x", "x", "x", "3"]


def test_a_build_that_is_not_reproducible_does_not_tear_equal_files_apart() -> None:
    found = joined_contents({"a": "1", "b": "1"}, {"a": "x", "b": "y"})
    assert found["a"] == found["b"]


def test_the_order_in_which_builds_were_noted_does_not_matter() -> None:
    """A and b hold the same files, of which builds made two programs; c was built as b was."""
    contents = dict(zip("abc", "113", strict=True))
    for order in permutations({"a": "y", "b": "x", "c": "x"}.items()):
        assert set(joined_contents(contents, dict(order)).values()) == {"x"}


def test_what_a_build_made_is_told_and_kept(tmp_path: Path, state: RunnerState) -> None:
    """Naming other files makes no new environment; a file that is not there is named."""
    subject = load_subject(write_subject(tmp_path, toml=BUILT))
    (revision,) = list_revisions(subject, state)
    made = prepare(subject, revision, state=state)
    assert isinstance(made, Prepared)
    assert known_builds(subject, state) == {revision.identifier: made.built}
    other = replace(subject, install=subject.install.model_copy(update={"built": ("prog",)}))
    missing = prepare(other, revision, state=state)
    assert isinstance(missing, Unprepared)
    assert "'prog'" in missing.message
    assert known_builds(other, state) == {}


def test_releases_have_no_files_to_compare(tmp_path: Path) -> None:
    toml = BUILT.replace('source = "folder"\npath = "program"', 'source = "pypi"\npackage = "tiny"')
    with pytest.raises(SubjectInvalid, match=r"install\.built"):
        load_subject(write_subject(tmp_path, toml=toml))
