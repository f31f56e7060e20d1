"""Subjects can read what they need and change nothing."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.errors import IsolationImpossible
from runner.interpreters import interpreter
from runner.state import RunnerState, open_state, reachable

as_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root to become somebody else")


@pytest.fixture
def closed() -> Iterator[Path]:
    """A folder that nobody else can enter."""
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-test-"))
    yield folder
    shutil.rmtree(folder)


def test_scratch_folders_of_killed_workers_go_with_the_next_measurement(state: RunnerState) -> None:
    """Those of runs that are under way stay."""
    left, fresh = (state.folder("scratch") / name for name in ("run-left", "run-fresh"))
    left.mkdir()
    (left / "result.json").touch()
    fresh.mkdir()
    os.utime(left, (0, 0))
    state.clear_scratch()
    assert not left.exists()
    assert fresh.exists()
    fresh.rmdir()


@as_root
def test_what_is_taken_back_is_read_by_everybody_and_changed_by_us_alone(
    state: RunnerState, closed: Path
) -> None:
    program = closed / "bin" / "program"
    program.parent.mkdir()
    program.touch()
    program.chmod(0o777)
    secret = closed / "secret"
    secret.touch(mode=0o600)
    state.take(closed)
    modes = [path.stat().st_mode & 0o777 for path in (closed, program.parent, program, secret)]
    assert modes == [0o755, 0o755, 0o755, 0o644]


@as_root
def test_folders_on_the_way_to_a_state_can_be_entered_and_not_listed(state: RunnerState) -> None:
    opened = open_state(state.root / "var" / "runner")
    assert opened.root == state.root / "var" / "runner"
    assert opened.root.parent.stat().st_mode & 0o777 == 0o711


@as_root
def test_a_state_that_others_cannot_reach_is_kept_where_they_can(closed: Path) -> None:
    opened = open_state(closed / "state")
    try:
        assert not opened.root.is_relative_to(closed)
        assert reachable(opened.root)
        assert opened.root.stat().st_uid == 0
        assert open_state(closed / "state").root == opened.root
    finally:
        opened.root.rmdir()


@as_root
def test_an_unknown_user_is_refused(closed: Path) -> None:
    with pytest.raises(IsolationImpossible, match="no user 'nobody-at-all'"):
        open_state(closed, user="nobody-at-all")


@as_root
@as_root
def test_what_is_taken_back_cannot_be_changed_by_the_user(state: RunnerState) -> None:
    folder = state.folder("mine") / "inner"
    folder.mkdir()
    (folder / "file").touch()
    (folder / "link").symlink_to("/etc/passwd")
    state.give(folder)
    assert state.user is not None
    assert (folder / "file").stat().st_uid == state.user.pw_uid
    assert Path("/etc/passwd").stat().st_uid == 0
    state.take(folder)
    assert {path.lstat().st_uid for path in (folder, *folder.iterdir())} == {0}


def test_a_scratch_folder_is_gone_afterwards(state: RunnerState) -> None:
    with state.scratch() as folder:
        (folder / "file").touch()
    assert not folder.exists()


def test_our_own_interpreter_is_asked_once_until_its_file_changes(
    state: RunnerState, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every run wants it, and to ask takes as long as a short one."""
    ours, asked = tmp_path / "python", tmp_path / "asked"
    ours.write_text(f'#!/bin/sh\necho >> "{asked}"\nexec "{sys.executable}" "$@"\n')
    ours.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(ours))
    assert interpreter(state) == interpreter(state)
    assert asked.read_text() == "\n"
    os.utime(ours, (0, 0))
    interpreter(state)
    assert asked.read_text() == "\n\n"


def test_an_interpreter_that_does_not_exist_is_named(state: RunnerState) -> None:
    with pytest.raises(IsolationImpossible, match="python0"):
        interpreter(state, "python0")


def test_a_program_that_is_no_interpreter_is_named(state: RunnerState) -> None:
    with pytest.raises(IsolationImpossible, match="not a working Python"):
        interpreter(state, "false")
