"""Each test belongs to one group, and a run leaves no process behind."""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import LONGEST
from tools import suite
from tools.check import CHECKS
from tools.leftovers import end_marked
from tools.servers import Unavailable
from tools.suite import GROUPS, Group, Run

MARKS = ("database", "redis", "browser", "once")


@pytest.mark.parametrize("marks", list(itertools.product([False, True], repeat=len(MARKS))))
def test_every_combination_of_marks_is_run_once(marks: tuple[bool, ...]) -> None:
    """What touches the database, and neither Redis nor a browser, is run on both databases, unless it says `once`."""
    names = dict(zip(MARKS, marks, strict=True))
    chosen = [group.name for group in GROUPS if eval(group.marks, {}, names)]  # noqa: S307 -- our own expressions
    if names == {"database": True, "redis": False, "browser": False, "once": False}:
        assert chosen == ["sqlite", "postgresql"]
    elif names == {"database": True, "redis": False, "browser": False, "once": True}:
        assert chosen == ["sqlite"]
    else:
        assert len(chosen) == 1


def test_no_test_lies_outside_the_places_of_its_group() -> None:
    """Where a group looks at some files alone, no other file bears its mark; the browser's is set by the folder."""
    files = {str(file.relative_to(suite.ROOT)) for file in (suite.ROOT / "tests").rglob("test_*.py")}
    marked = {
        name: {file for file in files if f"mark.{name}" in (suite.ROOT / file).read_text()} for name in MARKS
    }
    assert marked["redis"] == set(suite.REDIS)
    assert marked["browser"] == set()


def test_each_folder_of_tests_is_run_by_a_group_or_with_the_checks() -> None:
    """Those of the project, which ask nothing of a server, by `make check` alone: both are run before anything is merged."""
    folders = {file.relative_to(suite.ROOT).parts[1] for file in (suite.ROOT / "tests").rglob("test_*.py")}
    (pure,) = (group.places for group in GROUPS if group.name == "pure")
    assert {Path(place).name for place in pure} >= folders - {"browser", "project"}
    assert "tests/project" in {argument for check in CHECKS for argument in check.arguments}


def test_what_is_begun_first_is_there() -> None:
    assert [name for name in LONGEST if not (suite.ROOT / name).is_file()] == []


def test_processes_of_a_run_share_bytecode_also_where_none_is_written_beside_the_sources() -> None:
    """The environment holds it, so that the source folder stays as it is."""
    assert suite.bytecode({}) == {}
    changed = suite.bytecode({"PYTHONDONTWRITEBYTECODE": "1"})
    asked = [sys.executable, "-c", "import sys; print(sys.dont_write_bytecode, sys.pycache_prefix)"]
    said = subprocess.run(asked, env={**os.environ, **changed}, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", f"{sys.prefix}/bytecode"]


@contextmanager
def _absent() -> Iterator[dict[str, str]]:
    raise Unavailable("no server answers")
    yield {}


def test_each_line_names_its_group_and_what_cannot_run_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two groups side by side, one of them without its server."""
    place = "tests/tools/test_timing.py"
    groups = [
        Group("small", "not browser", suite._nothing, places=(place,)),
        Group("other", "not browser", _absent),
    ]
    small, other = Run(tmp_path, {}, cores_each=0).outcomes(groups)
    assert (small.exit_code, small.failed, other.unavailable) == (0, 0, "no server answers")
    assert small.passed == (suite.ROOT / place).read_text().count("\ndef test_")
    lines = capfd.readouterr().out.splitlines()
    assert {line[:11] for line in lines} == {"small      ", "other      "}


def test_a_group_ends_with_pytest_whoever_holds_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is left running with a copy of it is killed after all groups, not waited for."""
    monkeypatch.setattr(suite, "MARK", "TEST_RUN_OF_PERFATLAS=of-this-test")
    monkeypatch.setattr(suite, "_REST_SECONDS", 5.0)
    place = tmp_path / "test_leaving.py"
    place.write_text(
        "import subprocess, sys\n\ndef test_leaving(capfd):\n    with capfd.disabled():\n"
        "        subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
    )
    group = Group("leaving", "not browser", suite._nothing, most_processes=1, places=(str(place),))
    extra = {"TEST_RUN_OF_PERFATLAS": "of-this-test"}
    try:
        (found,) = Run(tmp_path, extra, cores_each=0).outcomes([group])
    finally:
        killed = end_marked(suite.MARK)
    assert (found.exit_code, found.passed) == (0, 1)
    assert [command for command in killed if "time.sleep(600)" in command]
    assert "1 passed" in capfd.readouterr().out


@contextmanager
def _broken() -> Iterator[dict[str, str]]:
    raise KeyError("address")
    yield {}


def test_a_group_that_breaks_has_failed_and_the_others_are_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    groups = [
        Group("broken", "not browser", _broken),
        Group(
            "small",
            "not browser",
            suite._nothing,
            most_processes=1,
            places=("tests/tools/test_timing.py",),
        ),
    ]
    broken, small = Run(tmp_path, {}, cores_each=0).outcomes(groups)
    assert broken.problem(strict=False) == "no test ran (pytest ended with 1)"
    assert small.problem(strict=False) == ""
    assert "KeyError: 'address'" in capfd.readouterr().out


def test_what_a_test_left_running_is_killed_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is known by its environment, whoever its parent is by now."""
    monkeypatch.setattr(suite, "MARK", "TEST_RUN_OF_PERFATLAS=of-this-test")
    environment = {**os.environ, "TEST_RUN_OF_PERFATLAS": "of-this-test"}
    waiting = [sys.executable, "-c", "print(flush=True); import time; time.sleep(600)"]
    with subprocess.Popen(waiting, env=environment, stdout=subprocess.PIPE, start_new_session=True) as left:
        assert left.stdout is not None
        left.stdout.readline()
        killed = end_marked(suite.MARK)
        assert left.wait(timeout=60) < 0
    assert len(killed) == 1
    assert "time.sleep(600)" in killed[0]
    assert end_marked(suite.MARK) == []
