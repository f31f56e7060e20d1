"""A command in a copy in which nothing ran yet makes what it needs."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db.migrations.executor import MigrationExecutor

from dashboard.services.serving.start import ServeError
from dashboard.services.serving.tables import changing_alone, check_tables
from tests.conftest import ROOT


def begin(var: Path, *command: str) -> subprocess.Popen[str]:
    """Start a command with a folder of its own, and no settings but that."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PERFATLAS_") and name != "DATABASE_URL"
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment | {"PERFATLAS_VAR": str(var)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    "command", [("jobs", "list"), ("migrate", "--verbosity", "0")], ids=lambda given: given[0]
)
def test_a_command_in_a_new_copy_makes_its_folder_and_tables(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Without a key, too: whoever measures first needs no server."""
    first = begin(tmp_path / "var", *command)
    assert (first.communicate()[1], first.returncode) == ("", 0)
    assert stat.S_IMODE((tmp_path / "var" / "perfatlas.sqlite3").stat().st_mode) == 0o600


def test_commands_that_are_the_first_ones_at_once_wait_for_each_other(tmp_path: Path) -> None:
    """Each finds the tables that one of them made."""
    both = [
        begin(tmp_path / "var", *command) for command in (("jobs", "list"), ("migrate", "--verbosity", "0"))
    ]
    both += [begin(tmp_path / "var", "jobs", "list")]
    told = [(one.communicate()[1], one.returncode) for one in both]
    assert [code for _, code in told] == [0, 0, 0], told


def test_a_command_says_what_it_waits_for(
    settings: LazySettings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not at once: mostly the other one is done soon."""
    settings.VAR = tmp_path
    with changing_alone():
        waiting = threading.Thread(target=lambda: changing_alone().__enter__())
        waiting.start()
        waiting.join(0.4)
        assert waiting.is_alive()
        assert capsys.readouterr().err == ""
        waiting.join(1.0)
    waiting.join()
    assert f"Another command makes the tables in {tmp_path}: waiting for it." in capsys.readouterr().err


@pytest.mark.django_db
def test_tables_of_an_earlier_version_are_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    check_tables()
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [("dashboard", "0099_later")])
    with pytest.raises(ServeError, match="of an earlier version"):
        check_tables()
