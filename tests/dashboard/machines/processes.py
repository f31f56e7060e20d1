"""Measuring machines as processes: each with its own data folder and database, and as root with its own account."""

import os
import sqlite3
import subprocess
import sys
import sysconfig
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

from dashboard.services.machines.loop import keep_secret
from runner.state import reachable

ROOT = Path(__file__).resolve().parents[3]
# Numbers of accounts that nobody else has.
_ACCOUNTS = 54_000


def new_machine(var: Path, address: str, secret: str) -> None:
    """A data folder of a machine that measures for the address, with the subjects that are registered here now."""
    var.mkdir(parents=True)
    with (
        closing(sqlite3.connect(connection.settings_dict["NAME"])) as here,
        closing(sqlite3.connect(var / "perfatlas.sqlite3")) as there,
    ):
        here.backup(there)
    keep_secret(var, address=address, secret=secret)


def start_machine(var: Path, number: int, *arguments: str) -> subprocess.Popen[bytes]:
    """`manage.py machine run` on a data folder, in a session of its own."""
    python, places = _python()
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("PERFATLAS_", "PYTEST_"))
    }
    environment = (
        kept
        | places
        | {
            "PERFATLAS_VAR": str(var),
            "PERFATLAS_SECRET_KEY": "a-key-for-machines-in-tests-0123456789-0123456789",
            "DATABASE_URL": f"sqlite:///{var / 'perfatlas.sqlite3'}",
            "PERFATLAS_BROKER_URL": "filesystem://",
            "PERFATLAS_MEASURING_LOCK": str(var / "measuring.lock"),
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "HOME": str(var),
            "TMPDIR": str(var),
        }
    )
    own: dict[str, Any] = {}
    if os.getuid() == 0 and places:
        account = _ACCOUNTS + number
        for path in (var, *var.rglob("*")):
            os.chown(path, account, account)
        own = {"user": account, "group": account, "extra_groups": []}
    with (var.parent / f"{var.name}.log").open("ab") as said:
        return subprocess.Popen(
            [python, "manage.py", "machine", "run", *arguments],
            cwd=ROOT,
            env=environment,
            stdout=said,
            stderr=said,
            start_new_session=True,
            **own,
        )


@cache
def _python() -> tuple[str, dict[str, str]]:
    """An interpreter that another account may start, with the variables that it needs; ours where there is none."""
    packages = {"PYTHONPATH": sysconfig.get_path("purelib")}
    for name in (sys.executable, f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"):
        path = Path(name).resolve()
        if path.is_file() and reachable(path.parent) and reachable(ROOT):
            asked = subprocess.run(
                [name, "-c", "import django, numpy"], env=packages, check=False, capture_output=True
            )
            if asked.returncode == 0:
                return name, packages
    return sys.executable, {}
