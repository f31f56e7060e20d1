"""An installation of its own for benches: the processes that `deploy/` starts, a database on a PostgreSQL and a Redis, all on 127.0.0.1."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import psycopg

from tools.servers import free_port
from tools.suite import bytecode

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "perfatlas_bench"


def environment(folder: Path, **places: str) -> dict[str, str]:
    """Settings of an installation whose files are below `folder`; its modules are compiled once, as in an image."""
    return {
        **os.environ,
        **bytecode(os.environ),
        "PERFATLAS_SECRET_KEY": "bench-0123456789-abcdefghij-0123456789",
        "PERFATLAS_VAR": str(folder / "var"),
        "PERFATLAS_LOG_LEVEL": "ERROR",
        "PERFATLAS_WEB_PROCESSES": "2",
        **places,
    }


def manage(place: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=place, capture_output=True, text=True, check=False)


class Installation:
    """Its processes, a Redis of its own, and the address of its database; all of them can be hurt.

    `commands` are the processes by name, as arguments of `manage.py`. `server` is the address of a PostgreSQL of one's own.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self.admin = psycopg.connect(f"{server}/postgres", autocommit=True)
        self.admin.execute(f"CREATE DATABASE {DATABASE}".encode())
        self.database = f"{server}/{DATABASE}"
        self._redis_port, self.port = free_port(), free_port()
        self._folder = folder
        self.place = environment(
            folder, DATABASE_URL=self.database, PERFATLAS_BROKER_URL=f"redis://127.0.0.1:{self._redis_port}/0"
        )
        self._log: IO[bytes] = (folder / "log").open("ab")
        self.commands = {
            "web": ["start", "web", "--port", str(self.port)],
            "worker default": ["start", "worker", "default"],
            "worker measure": ["start", "worker", "measure"],
            "reaper": ["start", "reaper"],
        }
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.redis = self.start_redis()

    def tend(self) -> None:
        """Start what is not running."""
        for name, command in self.commands.items():
            process = self.processes.get(name)
            if process is None or process.poll() is not None:
                self.processes[name] = subprocess.Popen(
                    [sys.executable, "manage.py", *command],
                    cwd=ROOT,
                    env=self.place,
                    stdout=self._log,
                    stderr=self._log,
                )

    def kill(self, name: str) -> None:
        """End a process at once; `tend` starts it again."""
        self.processes[name].kill()
        self.processes[name].wait()

    def manage(self, *arguments: str) -> str:
        """What a command says. Ends the bench where it fails."""
        told = manage(self.place, *arguments)
        if told.returncode:
            raise SystemExit(f"{' '.join(arguments)}: {told.stderr}")
        return told.stdout

    def one(self, statement: str) -> Any:
        """The first value of a query; None while the database is cut off."""
        with contextlib.suppress(psycopg.Error), psycopg.connect(self.database) as connection:
            row = connection.execute(statement.encode()).fetchone()
            return row[0] if row else None
        return None

    def processor_seconds(self) -> dict[str, float]:
        """What each process, with what is below it, has used of the processors so far."""
        found = {}
        for name, process in self.processes.items():
            ticks = 0
            for one in (process.pid, *descendants(process.pid)):
                with contextlib.suppress(OSError):
                    words = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
                    ticks += int(words[11]) + int(words[12])
            found[name] = ticks / os.sysconf("SC_CLK_TCK")
        return found

    def end(self) -> None:
        """Kill everything."""
        for process in (*self.processes.values(), self.redis):
            process.kill()
            process.wait()
        self._log.close()
        self.admin.close()

    def start_redis(self) -> subprocess.Popen[bytes]:
        """A Redis that forgets everything when it ends."""
        where = ["--bind", "127.0.0.1", "--port", str(self._redis_port), "--dir", str(self._folder)]
        return subprocess.Popen(
            ["redis-server", *where, "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )


def descendants(parent: int) -> list[int]:
    """The processes below one."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = stat.read_text().rpartition(")")[2].split()
            children.setdefault(int(words[1]), []).append(int(stat.parent.name))
    found: list[int] = []
    waiting = [parent]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found
