"""An installation of an earlier release, with the demo in it, is brought up to date: on SQLite and on PostgreSQL.

The earlier release comes out of the history of this repository (`--from COMMIT`); it runs in the environment of this one. Every table
must hold as many rows as before, keep its references, and let every system be exported by the present code. Anything else is a failure.
"""

import argparse
import contextlib
import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import psycopg
import psycopg.sql

from tools.servers import Unavailable, throwaway_postgresql

ROOT = Path(__file__).resolve().parent.parent
EARLIER = "4527347"
# Django's own bookkeeping, and what looks at the present code alone.
_MOVING = frozenset({"django_migrations", "django_content_type", "auth_permission"})


def manage(tree: Path, place: Mapping[str, str], *arguments: str) -> tuple[str, float]:
    """Run a command of the release in `tree`; what it wrote, and how many seconds it took."""
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=tree,
        env={**os.environ, "PERFATLAS_SECRET_KEY": "bench-0123456789-abcdefghij-0123456789", **place},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(
            f"{tree.name}: {' '.join(arguments)} ended with {done.returncode}: {done.stderr[-2000:]}"
        )
    return done.stdout, time.monotonic() - began


def rows(address: str) -> dict[str, int]:
    """The rows of every table."""
    if address.startswith("sqlite:///"):
        with contextlib.closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as opened:
            whole = opened.execute("PRAGMA integrity_check").fetchone()
            dangling = opened.execute("PRAGMA foreign_key_check").fetchall()
            if whole != ("ok",) or dangling:
                raise SystemExit(f"the database is damaged: {whole}, {dangling}")
            names = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            return {
                name: opened.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0]  # noqa: S608 -- names of tables
                for (name,) in names
                if not name.startswith("sqlite_")
            }
    with psycopg.connect(address) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        counted = {}
        for (name,) in names:
            row = connection.execute(
                psycopg.sql.SQL("SELECT COUNT(*) FROM {}").format(psycopg.sql.Identifier(name))
            ).fetchone()
            counted[name] = row[0] if row else 0
        return counted


@contextlib.contextmanager
def databases(folder: Path) -> Iterator[dict[str, str]]:
    """An address for each kind of database that this machine has."""
    found = {"sqlite": f"sqlite:///{folder / 'perfatlas.sqlite3'}"}
    with contextlib.ExitStack() as stack:
        try:
            found["postgresql"] = f"{stack.enter_context(throwaway_postgresql())}/postgres"
        except Unavailable as missing:
            print(f"PostgreSQL is left out: {missing}")
        yield found


def upgrade(earlier: Path, name: str, place: Mapping[str, str], folder: Path) -> bool:
    """Fill the database by the earlier release, bring it up to date, and compare; whether all is there."""
    manage(earlier, place, "demo")
    before = {table: count for table, count in rows(place["DATABASE_URL"]).items() if table not in _MOVING}
    _, seconds = manage(ROOT, place, "migrate", "--noinput")
    after = rows(place["DATABASE_URL"])
    lost = {table: (count, after.get(table)) for table, count in before.items() if after.get(table) != count}
    for slug in ("markdown", "pygments", "markdown-commits"):
        manage(ROOT, place, "export", slug, str(folder / f"{name}-{slug}.zip"))
    print(
        f"{name}: {sum(before.values()):,} rows in {len(before)} tables, brought up to date in {seconds:.1f} s; "
        f"{'all are there, every system is exported' if not lost else f'DIFFERENT: {lost}'}"
    )
    return not lost


def main() -> int:
    """Upgrade on each database."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--from", dest="commit", default=EARLIER, help=f"the earlier release ({EARLIER})")
    commit = parser.parse_args().commit
    with tempfile.TemporaryDirectory(prefix="perfatlas-upgrade-") as name:
        folder = Path(name)
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder / "earlier", filter="data")
        with databases(folder) as addresses:
            done = [
                upgrade(
                    folder / "earlier",
                    kind,
                    {"DATABASE_URL": address, "PERFATLAS_VAR": str(folder / f"var-{kind}")},
                    folder,
                )
                for kind, address in addresses.items()
            ]
    return 0 if all(done) else 1


if __name__ == "__main__":
    sys.exit(main())
