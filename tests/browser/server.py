"""A real server process for browser tests: `manage.py serve` with a data folder of its own, filled by commands only."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tools.migrated import copy_to

ROOT = Path(__file__).resolve().parent.parent.parent
LOGIN = re.compile(r"(http://127\.0\.0\.1:\d+)/login/[\w-]+/")
# Those of a machine that is busy with all groups, and with other work.
START_SECONDS = 300.0
STOP_SECONDS = 180.0


def environment_for(var: Path) -> dict[str, str]:
    """The environment of a person who set nothing but the data folder and the key, on a machine where nobody else measures.

    Else one journey would wait for all that another process of the suite measures.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PERFATLAS_", "DATABASE_URL", "DJANGO_", "PYTEST_"))
    }
    return {
        **kept,
        "PERFATLAS_VAR": str(var),
        "PERFATLAS_SECRET_KEY": "a-key-for-browser-tests-only-0123456789-0123456789",
        "DATABASE_URL": f"sqlite:///{var / 'perfatlas.sqlite3'}",
        "PERFATLAS_BROKER_URL": "filesystem://",
        "PERFATLAS_MEASURING_LOCK": str(var / "measuring.lock"),
    }


@dataclass(frozen=True, slots=True)
class Server:
    """A running `manage.py serve`."""

    process: subprocess.Popen[bytes]
    var: Path
    log: Path
    address: str
    login_link: str

    def command(self, *arguments: str) -> str:
        """Run `manage.py` on the same data; its standard output. Fails the test if the command fails."""
        done = manage(self.var, *arguments)
        assert done.returncode == 0, (
            f"manage.py {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}"
        )
        return done.stdout

    def output(self) -> str:
        """What the server and its children have printed so far."""
        return self.log.read_text(errors="replace")

    def processes(self) -> list[str]:
        """The command lines of the server and all that it started."""
        return processes_with(self.var)


def processes_with(var: Path) -> list[str]:
    """The command lines of all processes that have this data folder in their environment."""
    mark = f"PERFATLAS_VAR={var}\0".encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text().replace("\0", " "))
    return found


def manage(var: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run one management command on a data folder."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment_for(var), capture_output=True, text=True, check=False, timeout=600
    )


def start_server(
    folder: Path, *, migrated: bool = False, settings: Mapping[str, str] | None = None, port: int = 0
) -> Server:
    """Start `serve` on a free port, or this one, and wait for the link that it prints. Raises `AssertionError` with its output.

    It begins as on a new machine, or with a copy of the database that the run migrated; with these `settings`.
    """
    var, log = folder / "var", folder / "serve.log"
    var.mkdir(parents=True)
    if migrated:
        copy_to(var / "perfatlas.sqlite3")
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env={**environment_for(var), "PYTHONUNBUFFERED": "1", **(settings or {})},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_SECONDS
    while (link := LOGIN.search(log.read_text(errors="replace"))) is None:
        if process.poll() is not None or time.monotonic() > deadline:
            stop_process(process)
            raise AssertionError(f"serve printed no login link:\n{log.read_text(errors='replace')}")
        time.sleep(0.05)
    return Server(process=process, var=var, log=log, address=link.group(1), login_link=link.group(0))


@contextmanager
def serving(folder: Path, settings: Mapping[str, str] | None = None, *, port: int = 0) -> Iterator[Server]:
    """A server with these settings that is stopped at the end of the block, whatever ends it."""
    server = start_server(folder, migrated=True, settings=settings, port=port)
    try:
        yield server
    finally:
        stop_process(server.process)


def stop_process(process: subprocess.Popen[bytes]) -> int | None:
    """Press Ctrl-C: the exit code, or None where it took too long and the whole session was killed."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGINT)
    try:
        return process.wait(timeout=STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None
