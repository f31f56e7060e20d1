"""A PostgreSQL and a Redis for one run of the suite: the machine's own where it answers, else throw-away ones.

Each gives an address that no other run uses, and leaves nothing behind, whatever ends the run.
"""

import contextlib
import getpass
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import psycopg.sql
import redis

START_SECONDS = 180.0
# Most tests never commit their rows: counted meanwhile, tables would pass for empty and be planned for as such. A statement
# without an end fails its test, not the run.
_FOR_TESTS = {"autovacuum": "off", "statement_timeout": "300s"}


class Unavailable(Exception):
    """The group's server neither answers nor can be started here; the message says why."""


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def postgresql() -> Iterator[str]:
    """The address of a database name of our own, on a server that lets us create databases.

    It is a server that need not flush to disk if PostgreSQL is installed, else one that answers.
    """
    name = f"perfatlas_{secrets.token_hex(4)}"
    with contextlib.ExitStack() as stack:
        try:
            server = stack.enter_context(throwaway_postgresql(**_FOR_TESTS))
        except Unavailable:
            answering = _answering_postgresql()
            if answering is None:
                raise
            server = answering
        stack.callback(_drop_databases, server, name)
        yield f"{server}/{name}"


def _answering_postgresql() -> str | None:
    for user in ("postgres", getpass.getuser()):
        server = f"postgres://{user}@127.0.0.1:5432"
        with (
            contextlib.suppress(psycopg.Error),
            psycopg.connect(f"{server}/postgres", connect_timeout=3) as open_,
        ):
            allowed = open_.execute(
                "SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user"
            )
            if allowed.fetchone() == (True,):
                return server
    return None


def _drop_databases(server: str, name: str) -> None:
    """Drop what an interrupted run left: `test_NAME`, and one per worker."""
    with (
        contextlib.suppress(psycopg.Error),
        psycopg.connect(f"{server}/postgres", autocommit=True) as connection,
    ):
        left = connection.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"test_{name}%"])
        for (database,) in left.fetchall():
            connection.execute(
                psycopg.sql.SQL("DROP DATABASE {} WITH (FORCE)").format(psycopg.sql.Identifier(database))
            )


def _postgresql_program(name: str) -> str:
    """A program of the server: Debian keeps them off the search path, one folder per version."""
    places = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name), reverse=True
    )
    search = os.pathsep.join([os.environ.get("PATH", os.defpath), *map(str, places)])
    found = shutil.which(name, path=search)
    if found is None:
        raise Unavailable(
            f"no PostgreSQL answers on 127.0.0.1:5432 that we may use, and {name} is not installed"
        )
    return found


@contextlib.contextmanager
def throwaway_postgresql(**settings: str) -> Iterator[str]:
    """The address (without a database) of a new server with its data in a temporary folder, not run as root.

    `settings` are PostgreSQL's own, by name.
    """
    initdb, postgres = _postgresql_program("initdb"), _postgresql_program("postgres")
    account = _unprivileged_account()
    with tempfile.TemporaryDirectory(prefix="perfatlas-postgresql-") as folder:
        if account is not None:
            os.chown(folder, account.pw_uid, account.pw_gid)
        flags = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        made = subprocess.run(
            [initdb, "-D", "data", *flags],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            **_as(account),
        )
        if made.returncode:
            raise Unavailable(f"initdb failed: {(made.stdout + made.stderr).strip()}")
        port = free_port()
        # The data is thrown away: nothing need survive a power cut.
        quick = dict.fromkeys(("fsync", "synchronous_commit", "full_page_writes"), "off")
        flags = [word for name, value in (quick | settings).items() for word in ("-c", f"{name}={value}")]
        place = ["-c", "listen_addresses=127.0.0.1", "-c", f"port={port}", "-c", "unix_socket_directories="]
        server = f"postgres://postgres@127.0.0.1:{port}"
        with _running(
            [postgres, "-D", "data", *place, *flags], Path(folder), account, lambda: _answers(server)
        ):
            yield server


def _answers(server: str) -> bool:
    with contextlib.suppress(psycopg.Error), psycopg.connect(f"{server}/postgres", connect_timeout=3):
        return True
    return False


def _unprivileged_account() -> pwd.struct_passwd | None:
    """Whom PostgreSQL runs as: it refuses to run as root. None where we are not root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise Unavailable("PostgreSQL does not run as root, and there is neither an account postgres nor nobody")


def _as(account: pwd.struct_passwd | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


@contextlib.contextmanager
def _running(
    command: list[str], folder: Path, account: pwd.struct_passwd | None, answers: Callable[[], bool]
) -> Iterator[None]:
    """Run a server until the block ends. It has its own session: Ctrl-C reaches us, and we stop it."""
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=folder, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **_as(account)
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers():
            if server.poll() is not None or time.monotonic() > deadline:
                said = (folder / "log").read_text(errors="replace")[-2000:]
                raise Unavailable(f"{Path(command[0]).name} did not start: {said}")
            time.sleep(0.05)
        yield
    finally:
        server.send_signal(signal.SIGINT)  # PostgreSQL: end now; by SIGTERM it would wait for its clients
        try:
            server.wait(timeout=20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


@contextlib.contextmanager
def redis_server() -> Iterator[str]:
    """The address of an empty Redis database that no other run uses."""
    with contextlib.ExitStack() as stack:
        leased = _leased_redis_database()
        if leased is None:
            yield stack.enter_context(throwaway_redis())
            return
        client = redis.Redis.from_url(leased)
        stack.callback(client.close)
        stack.callback(client.flushdb)
        yield leased


def _leased_redis_database() -> str | None:
    """One of the server's empty databases, taken by a key of ours; None where there is none."""
    for number in range(15, 0, -1):
        address = f"redis://127.0.0.1:6379/{number}"
        with contextlib.suppress(redis.RedisError), redis.Redis.from_url(address, socket_timeout=3) as client:
            if client.dbsize() == 0 and client.set("perfatlas-tests", os.getpid(), nx=True, ex=7200):
                return address
    return None


@contextlib.contextmanager
def throwaway_redis() -> Iterator[str]:
    """The address of a new Redis that writes nothing to disk."""
    program = shutil.which("redis-server")
    if program is None:
        raise Unavailable(
            "no Redis answers on 127.0.0.1:6379 with an empty database, and redis-server is not installed"
        )
    port = free_port()
    address = f"redis://127.0.0.1:{port}/0"

    def answers() -> bool:
        with contextlib.suppress(redis.RedisError), redis.Redis.from_url(address, socket_timeout=3) as client:
            return bool(client.ping())
        return False

    with tempfile.TemporaryDirectory(prefix="perfatlas-redis-") as folder:
        where = ["--bind", "127.0.0.1", "--port", str(port), "--dir", folder]
        command = [program, *where, "--save", "", "--appendonly", "no"]
        with _running(command, Path(folder), None, answers):
            yield address
