"""What a point takes of the disk, and a page's reading of time, when a system has millions of points.

A suite of 400 series and 1,250 revisions is imported and fitted, then copied until so many points are there. Forms of storage are held
side by side on the points of 400 series. Reads are the selectors of pages, each of other series and words each time: with nothing kept in
the process (first look), and with what a process keeps. Wall clock, and seconds of the processor in this process and in its server's.

    python -m benchmarks.bench_storage [--points 500000] [--databases sqlite postgresql] [--at ADDRESS]
"""

import argparse
import gc
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.installation import ROOT, environment
from tools.servers import throwaway_postgresql

CHILD = "PERFATLAS_BENCH_POINTS"
_SERIES = 400
_LOOKS, _PATIENCE_SECONDS = 20, 20.0


def main() -> None:
    """Measure on each database in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=500_000, help="how many (500000)")
    parser.add_argument(
        "--databases", nargs="+", default=["sqlite", "postgresql"], choices=("sqlite", "postgresql")
    )
    parser.add_argument("--at", help="a database that holds the suite, or where it is to stay")
    asked = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="perfatlas-")))
        addresses = [asked.at] if asked.at else []
        for name in [] if asked.at else asked.databases:
            server = f"{stack.enter_context(throwaway_postgresql())}/postgres" if name == "postgresql" else ""
            addresses.append(server or f"sqlite:///{folder / 'db.sqlite3'}")
        for address in addresses:
            place = environment(folder, DATABASE_URL=address, DJANGO_SETTINGS_MODULE="dashboard.settings")
            place[CHILD] = str(asked.points)
            subprocess.run(
                [sys.executable, "-m", "benchmarks.bench_storage"], cwd=ROOT, env=place, check=True
            )


def measure(points: int) -> None:
    """Grow the system, and print what is measured of it."""
    import django  # noqa: PLC0415 -- only in the process of one database

    django.setup()
    from django.core.management import call_command  # noqa: PLC0415 -- Django is set up first
    from django.db import connection  # noqa: PLC0415 -- Django is set up first

    from benchmarks.forms_of_points import measured_forms  # noqa: PLC0415 -- Django is set up first
    from benchmarks.grown_system import REVISIONS, grow  # noqa: PLC0415 -- Django is set up first

    call_command("migrate", verbosity=0)
    began = time.perf_counter()
    system = grow(points)
    series = list(system.series.order_by("pk").values_list("pk", flat=True))
    print(
        f"{connection.vendor}, {len(series) * REVISIONS:,} points, {len(series):,} series; grown in {time.perf_counter() - began:.0f} s"
    )
    print(f"{'form':36}{'bytes a point':>15}{'a series, ms':>15}{'two revisions, ms':>20}", flush=True)
    for one in measured_forms(series[:_SERIES]):
        print(
            f"{one.name:36}{one.bytes_a_point:15.1f}{one.series_ms:15.2f}{one.revisions_ms:20.1f}", flush=True
        )
    print(
        f"{'read':36}{'p50 ms':>10}{'p95 ms':>10}{'processor ms':>14}   load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    for name, read in reads(system, series).items():
        for keeps in (False, True):
            middle, far, processor = taken(read, keeps=keeps)
            told = f"{name}{', kept' if keeps else ''}"
            print(f"{told:36}{middle:10.0f}{far:10.0f}{processor:14.0f}", flush=True)


def reads(system: Any, series: list[int]) -> dict[str, Callable[[], object]]:
    """What pages read, by their words."""
    from dashboard.access import Principal  # noqa: PLC0415 -- Django is set up first
    from dashboard.selectors.histories.history import get_history, main_history  # noqa: PLC0415
    from dashboard.selectors.histories.series import find_series  # noqa: PLC0415
    from dashboard.selectors.history_list.findings import found_changes  # noqa: PLC0415
    from dashboard.selectors.history_list.rows import HistoryQuery  # noqa: PLC0415
    from dashboard.selectors.history_list.stored import list_benchmarks, siblings, suite  # noqa: PLC0415
    from dashboard.selectors.systems import list_systems  # noqa: PLC0415
    from dashboard.selectors.two_revisions.compared import compare_revisions  # noqa: PLC0415

    chance = random.Random(7)  # noqa: S311 -- no secret
    names = list(system.revisions.order_by("pk").values_list("name", flat=True))

    def compared() -> object:
        at = chance.randrange(20, len(names) - 20)
        return compare_revisions(system=system, before=names[at], after=names[at + 1])

    def listed(**query: Any) -> object:
        return list_benchmarks(system, HistoryQuery(page=chance.randrange(1, 9), **query))

    return {
        "a history": lambda: get_history(system=system, series_id=chance.choice(series)),
        "the same in other environments": lambda: siblings(system, chance.choice(series)),
        "the history to begin with": lambda: find_series(system=system),
        "list, largest change first": listed,
        "list, latest change first": lambda: listed(sort="newest"),
        "list, by words": lambda: listed(text=f"kind{chance.randrange(16)} bench_0", sort="name"),
        "findings": lambda: found_changes(system, HistoryQuery()),
        "suite in short": lambda: suite(system),
        "home": lambda: list_systems(principal=Principal.operator()),
        "home, history of a system": lambda: main_history(system=system),
        "two revisions compared": compared,
    }


def taken(read: Callable[[], object], *, keeps: bool) -> tuple[float, float, float]:
    """Milliseconds of a read: their median, their 95 % quantile, and those of processors on average."""
    forget()
    if keeps:
        read()
    walls: list[float] = []
    began, used = time.perf_counter(), processor_seconds()
    while len(walls) < _LOOKS and (not walls or time.perf_counter() - began < _PATIENCE_SECONDS):
        if not keeps:
            forget()
        start = time.perf_counter()
        read()
        walls.append(time.perf_counter() - start)
    middle, far = np.quantile(walls, [0.5, 0.95]).tolist()
    return middle * 1e3, far * 1e3, (processor_seconds() - used) / len(walls) * 1e3


def processor_seconds() -> float:
    """Of this process, and of the process of the database that serves it."""
    from django.db import connection  # noqa: PLC0415 -- Django is set up first

    seconds = time.process_time()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor, suppress(OSError):
            cursor.execute("SELECT pg_backend_pid()")
            words = Path(f"/proc/{cursor.fetchone()[0]}/stat").read_text().rpartition(")")[2].split()
            seconds += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return seconds


def forget() -> None:
    """Throw away what this process keeps of what it computed."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and (one.__module__ or "").startswith(
            ("dashboard", "analytics")
        ):
            one.cache_clear()


if __name__ == "__main__":
    if CHILD in os.environ:
        measure(int(os.environ[CHILD]))
    else:
        main()
