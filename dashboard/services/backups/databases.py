"""Copying the whole database as it is at one moment while others write, and putting such a copy in its place.

SQLite by its online backup, PostgreSQL by `pg_dump`, which comes with it. What that wrote goes to the server itself: `psql` would
run the commands of its own that a script holds, on this machine.
"""

import os
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import Error, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

from dashboard.access import Refused

# What the programs of PostgreSQL call the options of a connection.
_OPTIONS = {
    "sslmode": "PGSSLMODE",
    "sslrootcert": "PGSSLROOTCERT",
    "sslcert": "PGSSLCERT",
    "sslkey": "PGSSLKEY",
}
# Behind the first line `pg_dump` writes rows, up to the second; the third is a word of newer ones to `psql`.
_ROWS_BEGIN, _ROWS_END = re.compile(rb"COPY [^;]+ FROM stdin;\n"), b"\\.\n"
_FOR_PSQL = re.compile(rb"\\(?:un)?restrict \w+\n")
_PAGES_A_STEP = 4096
_LAST_WORDS = 400


def copy_database(target: Path, *, report: Callable[[float], None]) -> dict[str, int]:
    """Write the database as it is now to a file, whoever writes meanwhile; returns the rows of each table in it.

    `report` hears which share is copied, where that is known. Raises `Refused` where the database is damaged, or where
    PostgreSQL's program is missing or fails.
    """
    return _copy_sqlite(target, report=report) if connection.vendor == "sqlite" else _copy_postgresql(target)


def _copy_sqlite(target: Path, *, report: Callable[[float], None]) -> dict[str, int]:
    with closing(_opened(connection.settings_dict["NAME"])) as live, closing(_opened(target)) as copy:
        # A read transaction holds the moment: without it the copy begins anew whenever another process writes.
        live.execute("BEGIN")
        live.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        live.backup(
            copy, pages=_PAGES_A_STEP, progress=lambda _, left, whole: report(1 - left / max(1, whole))
        )
        live.execute("COMMIT")
        # One file, without a log beside it.
        copy.execute("PRAGMA journal_mode=DELETE")
        _check_sqlite(copy)
        tables = copy.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
        )
        return _rows_of(copy.cursor(), [name for (name,) in tables.fetchall()])


def _copy_postgresql(target: Path) -> dict[str, int]:
    """Have `pg_dump` write a copy. The password stands in its environment, not in its arguments."""
    found = shutil.which("pg_dump")
    if found is None:
        raise Refused(
            "pg_dump is not installed: install PostgreSQL's client programs (Debian: postgresql-client) of the server's "
            "version or a newer one"
        )
    at = connection.settings_dict
    places = {f"PG{key}": at[key] for key in ("HOST", "PORT", "USER", "PASSWORD")}
    places |= {_OPTIONS[key]: value for key, value in at.get("OPTIONS", {}).items() if key in _OPTIONS}
    said = {key: str(value) for key, value in places.items() if value}
    with transaction.atomic(durable=True), connection.cursor() as cursor:
        # The dump sees exactly what is counted here.
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        cursor.execute("SELECT pg_export_snapshot()")
        snapshot = cursor.fetchone()[0]
        rows = _rows_of(cursor, connection.introspection.table_names(cursor))
        done = subprocess.run(
            [found, "--no-owner", "--no-privileges", f"--snapshot={snapshot}", "--file", str(target)],
            env=os.environ | said | {"PGDATABASE": str(at["NAME"])},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise Refused(f"pg_dump failed: {done.stderr.strip()[-_LAST_WORDS:]}")
    return rows


def check_copy(copy: Path, wanted: dict[str, int]) -> None:
    """Look whether a copy of SQLite is whole and holds the rows that its manifest says. Raises `Refused`."""
    if connection.vendor == "sqlite":
        with closing(_opened(copy)) as source:
            _check_sqlite(source)
            _check_rows(source.cursor(), wanted)


def replace_database(copy: Path, wanted: dict[str, int]) -> None:
    """Put a copy that was checked in the place of all tables, in one transaction: it is there whole, or nothing changed.

    Raises `Refused` as `copy_database`.
    """
    if connection.vendor == "sqlite":
        connection.close()
        with closing(_opened(copy)) as source, closing(_opened(connection.settings_dict["NAME"])) as live:
            live.execute("PRAGMA journal_mode=WAL")
            source.backup(live)
        return
    ours = {
        *connection.introspection.django_table_names(only_existing=True, include_views=False),
        MigrationRecorder.Migration._meta.db_table,  # noqa: SLF001 -- Django documents it
    }
    try:
        with transaction.atomic(durable=True), connection.cursor() as cursor, connection.wrap_database_errors:
            for table in sorted(ours):
                cursor.execute(f"DROP TABLE IF EXISTS {_quoted(table)} CASCADE")
            statements: list[bytes] = []
            with copy.open("rb") as script:
                # Whatever else a script holds, it is SQL to the server and nothing to us.
                for line in script:
                    if _ROWS_BEGIN.fullmatch(line):
                        cursor.execute(b"".join(statements).decode() or ";")
                        statements = []
                        with cursor.copy(line) as rows:
                            while (row := script.readline()) not in {_ROWS_END, b""}:
                                rows.write(row)
                    elif not _FOR_PSQL.fullmatch(line):
                        statements.append(line)
            cursor.execute(b"".join(statements).decode() or ";")
            # After the script, names of tables mean nothing without their schema.
            cursor.execute("RESET search_path")
            _check_rows(cursor, wanted)
    except (Error, UnicodeDecodeError) as error:
        raise Refused(f"the copy cannot be restored: {str(error).strip()[-_LAST_WORDS:]}") from error
    finally:
        # With the settings of the script.
        connection.close()


def other_connections() -> int:
    """How many others are connected to the database, where it can tell: PostgreSQL."""
    if connection.vendor == "sqlite":
        return 0
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return int(cursor.fetchone()[0])


def _opened(path: str | Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=20, isolation_level=None)


def _rows_of(cursor: Any, tables: list[str]) -> dict[str, int]:
    found = {}
    for table in tables:
        cursor.execute(f"SELECT COUNT(*) FROM {_quoted(table)}")  # noqa: S608 -- quoted
        found[table] = int(cursor.fetchone()[0])
    return found


def _check_rows(cursor: Any, wanted: dict[str, int]) -> None:
    found = _rows_of(cursor, list(wanted))
    differing = [
        f"{table} ({found[table]} rows instead of {count})"
        for table, count in wanted.items()
        if found[table] != count
    ]
    if differing:
        raise Refused(f"the copy is not what its manifest says: {', '.join(differing[:3])}")


def _check_sqlite(opened: sqlite3.Connection) -> None:
    try:
        said = [line for (line,) in opened.execute("PRAGMA integrity_check(3)")]
    except sqlite3.DatabaseError as error:
        said = [str(error)]
    if said != ["ok"]:
        raise Refused(f"the database is damaged: {'; '.join(said)}")


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))
