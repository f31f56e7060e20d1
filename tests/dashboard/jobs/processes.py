"""Processes that the tests of jobs start, and waiting for what they do."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from django.db import connection

ROOT = Path(__file__).resolve().parents[3]
_PATIENCE_SECONDS = 180.0
# Between two looks at a condition: at first, and once it lets us wait. Each look takes from what we wait for.
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.05, 0.3


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Wait for the condition; fail with `what` when three minutes have passed."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    pause = _SHORTEST_PAUSE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(pause)
        pause = min(pause * 1.2, _LONGEST_PAUSE)


def database_address() -> str:
    """DATABASE_URL of the database that this test uses."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    account = quote(database["USER"]) + (f":{quote(database['PASSWORD'])}" if database["PASSWORD"] else "")
    return f"postgres://{account}@{database['HOST']}:{database['PORT'] or 5432}/{database['NAME']}"


def environment(**changes: str) -> dict[str, str]:
    """The environment of a process that works on this test's database."""
    return os.environ | {
        "DATABASE_URL": database_address(),
        "DJANGO_SETTINGS_MODULE": "dashboard.settings",
        "PYTHONPATH": str(ROOT),
        **changes,
    }


def start_worker(
    queue: str = "default", app: str = "tests.dashboard.jobs.worker_app", **changes: str
) -> subprocess.Popen[bytes]:
    """A real Celery worker that knows the kinds of `app`."""
    arguments = ["-A", app, "worker", "--queues", queue, "--pool", "solo"]
    arguments += ["--loglevel", "ERROR", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "celery", "--quiet", *arguments],
        cwd=ROOT,
        env=environment(**changes),
        stdout=subprocess.DEVNULL,
    )


def is_running(pid: int) -> bool:
    """Whether the process exists and is not a zombie."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
