"""Migrated databases of a run: each is made once, and its tests' processes copy it instead of migrating anew.

They live as long as the run, so that they never lag behind the migrations; outside of a run tests migrate by themselves.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import psycopg
import psycopg.sql

ROOT = Path(__file__).resolve().parent.parent
# They name what is to be copied: a file of SQLite, and a database on the server of the group.
FILE = "PERFATLAS_TEST_MIGRATED_FILE"
DATABASE = "PERFATLAS_TEST_MIGRATED_DATABASE"


def migrated_file(folder: Path) -> dict[str, str]:
    """Migrate a new SQLite file in the folder: the environment that names it, or nothing where that fails."""
    file = folder / "migrated.sqlite3"
    return {FILE: str(file)} if _migrate(f"sqlite:///{file}", folder) else {}


def migrated_database(address: str, folder: Path) -> dict[str, str]:
    """The same with a database beside the address's own; who drops what begins with `test_NAME` drops it, too."""
    server, _, name = address.rpartition("/")
    made = f"test_{name}_migrated"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(made)))
    return {DATABASE: made} if _migrate(f"{server}/{made}", folder) else {}


def _migrate(address: str, folder: Path) -> bool:
    """Whether all migrations were applied; if not, they say why, and each test that needs them will."""
    environment = {
        **os.environ,
        "PERFATLAS_VAR": str(folder),
        "PERFATLAS_SECRET_KEY": "a-key-for-tests-only-0123456789-0123456789-0123456789",
        "DATABASE_URL": address,
    }
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def copy_to(file: Path) -> None:
    """Put the copy of the migrated file where a database of SQLite is wanted, if the run has one."""
    if made := os.environ.get(FILE):
        shutil.copyfile(made, file)
