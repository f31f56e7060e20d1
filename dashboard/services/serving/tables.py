"""The tables of the database: made where there are none, brought up to date, by one command at a time."""

import fcntl
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor

from dashboard.services.serving.start import ServeError

_NO_ANSWER = "the database does not answer ({}): see DATABASE_URL"
_LOCK = "tables.lock"
_QUIET_SECONDS = 1.0
_WAIT_SECONDS = 0.1


def migrate() -> int:
    """Bring the database up to date; the number of migrations applied. Raise `ServeError` without a database."""
    with changing_alone():
        return _migrate()


def check_tables() -> None:
    """Make the tables where there is none at all. Raise `ServeError` where they are of another version.

    Tables that another command makes at the moment are waited for.
    """
    with changing_alone():
        try:
            is_new = "django_migrations" not in connection.introspection.table_names()
        except Error as error:
            raise ServeError(_NO_ANSWER.format(str(error).strip())) from error
        if is_new:
            _migrate()
            return
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise ServeError(
                "the database is of an earlier version: start `manage.py serve`, or run `manage.py migrate` first"
            )


@contextmanager
def changing_alone() -> Iterator[None]:
    """Wait until no other command makes or changes tables; the kernel frees the lock when its holder dies.

    Whoever waits for long is told why, at the terminal.
    """
    file = os.open(Path(settings.VAR) / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    began, is_told = time.monotonic(), False
    try:
        while not _is_locked(file):
            if not is_told and time.monotonic() - began > _QUIET_SECONDS:
                sys.stderr.write(f"Another command makes the tables in {settings.VAR}: waiting for it.\n")
                is_told = True
            time.sleep(_WAIT_SECONDS)
        yield
    finally:
        os.close(file)


def _is_locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _migrate() -> int:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
        if plan:
            call_command("migrate", verbosity=0, interactive=False)
    except Error as error:
        raise ServeError(_NO_ANSWER.format(str(error).strip())) from error
    return len(plan)
