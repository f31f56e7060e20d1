"""A command in a copy in which nothing ran yet makes what it needs."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from django.db.migrations.executor import MigrationExecutor

from dashboard.services.serving.start import ServeError, check_tables
from tests.conftest import ROOT


@pytest.mark.parametrize(
    "command", [("jobs", "list"), ("migrate", "--verbosity", "0")], ids=lambda given: given[0]
)
def test_a_command_in_a_new_copy_makes_its_folder_and_tables(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    """Without a key, too: whoever measures first needs no server."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PERFATLAS_") and name != "DATABASE_URL"
    }
    told = subprocess.run(
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment | {"PERFATLAS_VAR": str(tmp_path / "var")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stderr) == (0, "")
    assert stat.S_IMODE((tmp_path / "var" / "perfatlas.sqlite3").stat().st_mode) == 0o600


@pytest.mark.django_db
def test_tables_of_an_earlier_version_are_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    check_tables()
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: [("dashboard", "0099_later")])
    with pytest.raises(ServeError, match="of an earlier version"):
        check_tables()
