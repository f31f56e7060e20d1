"""An installation of its own while its parts are killed and cut off at random: how many rows are lost, how many are doubled.

Web server, workers, what measures below them and an importer get `kill -9`; PostgreSQL refuses everybody for some seconds, Redis dies and
comes back empty; the clock that they read jumps. The processes are started again, as systemd would. Then `serve`, which
keeps all processes below it, is killed, and a disk is full, where this may mount one. Both numbers should be 0.
"""

import argparse
import contextlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.hurt_installation import Hurt
from benchmarks.installation import ROOT, Installation, environment, manage
from tools.servers import free_port, throwaway_postgresql

REPETITIONS, CONFIGURATIONS = 20, 16
PAUSE_SECONDS = 4.0
PATIENCE_SECONDS = 900.0
SMALL_DISK = "24m"
# Those that other programs disturbed are set aside and made again, as they should be.
VALID = "kind = 'plain' AND invalid_reason = ''"
PLACES = (
    f"SELECT DISTINCT revision_id, configuration_id, workload_id, repetition FROM dashboard_run WHERE {VALID}"  # noqa: S608 -- no input
)
MADE = f"SELECT count(*) FROM dashboard_run WHERE {VALID}"  # noqa: S608 -- likewise
DIFFERENT = f"SELECT count(*) FROM ({PLACES}) AS places"  # noqa: S608 -- likewise
ENDED = ("done", "failed", "cancelled")


def hurt_workers(installation: Hurt, chance: random.Random, seconds: float) -> tuple[int, int]:
    """Measure while everything is hurt for so many seconds; rows lost and rows doubled."""
    told = manage(installation.place, "register", "subjects/hello")
    asked = ("--workload", "small", "--configurations", "all", "--repetitions", str(REPETITIONS))
    told = manage(installation.place, "measure", "hello", *asked, "--no-profile", "--no-counts", "--queue")
    if told.returncode:
        raise SystemExit(told.stderr)
    began = time.monotonic()
    state = ""
    while state not in ENDED and time.monotonic() - began < seconds + PATIENCE_SECONDS:
        installation.tend()
        time.sleep(PAUSE_SECONDS)
        if time.monotonic() - began < seconds:
            installation.fault(chance)
        state = installation.one("SELECT state FROM dashboard_job WHERE kind = 'measure'") or ""
    made = installation.one(MADE) or 0
    killed = installation.one("SELECT count(*) FROM dashboard_run WHERE status = 'killed'") or 0
    different = installation.one(DIFFERENT) or 0
    hurt = ", ".join(f"{name} {count}" for name, count in sorted(installation.hurt.items()))
    print(f"hurt: {hurt or 'nothing'}")
    for said, count in installation.said.most_common():
        print(f"while PostgreSQL was cut off, {count} times: {said}")
    wanted = REPETITIONS * CONFIGURATIONS
    print(
        f"measuring: the job is {state} after {time.monotonic() - began:.0f} s; {made} runs of {wanted}, {killed} of them killed "
        f"with their own process"
    )
    with urllib.request.urlopen(f"http://127.0.0.1:{installation.port}/healthz", timeout=60) as answer:
        print(f"web: {answer.status}")
    return wanted - different, made - different


def hurt_supervisor(folder: Path, chance: random.Random, tries: int) -> tuple[int, int]:
    """Kill `serve` again and again while it measures; rows lost and rows doubled."""
    folder.mkdir()
    place = environment(
        folder, DATABASE_URL=f"sqlite:///{folder}/var/p.sqlite3", PERFATLAS_BROKER_URL="filesystem://"
    )
    manage(place, "register", "subjects/hello")
    asked = ("--workload", "small", "--configurations", "all", "--repetitions", str(REPETITIONS))
    told = manage(place, "measure", "hello", *asked, "--no-profile", "--no-counts", "--queue")
    if told.returncode:
        raise SystemExit(told.stderr)
    command = [sys.executable, "manage.py", "serve", "--port", str(free_port())]
    began, killed, state = time.monotonic(), 0, ""
    while state != "done" and time.monotonic() - began < PATIENCE_SECONDS:
        with subprocess.Popen(
            command, cwd=ROOT, env=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as supervisor:
            until = time.monotonic() + (chance.uniform(8, 16) if killed < tries else PATIENCE_SECONDS)
            while (
                state := _of_file(folder, "SELECT state FROM dashboard_job WHERE kind = 'measure'")
            ) != "done":
                if time.monotonic() > until:
                    killed += 1
                    break
                time.sleep(1.0)
            supervisor.kill()
    made = _of_file(folder, MADE)
    different = _of_file(folder, DIFFERENT)
    wanted = REPETITIONS * CONFIGURATIONS
    print(f"serve: killed {killed} times, the job is {state}; {made} runs of {wanted}")
    return wanted - different, made - different


def _of_file(folder: Path, statement: str) -> Any:
    with contextlib.closing(sqlite3.connect(folder / "var/p.sqlite3", timeout=30)) as opened:
        return opened.execute(statement).fetchone()[0]


def hurt_importer(installation: Hurt, chance: random.Random, tries: int) -> tuple[int, int]:
    """Kill an import so often, let the last one live, and hold it against a clean one; rows lost and rows doubled."""
    arguments = ["import", "bundle", "demo/pygments.zip", "--system"]
    began = time.monotonic()
    manage(installation.place, *arguments, "Clean")
    whole = time.monotonic() - began
    killed = 0
    for _ in range(tries):
        process = subprocess.Popen(
            [sys.executable, "manage.py", *arguments, "Hurt"],
            cwd=ROOT,
            env=installation.place,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(whole * chance.uniform(0.3, 0.95))
        killed += process.poll() is None
        process.kill()
        process.wait()
    last = manage(installation.place, *arguments, "Hurt")
    halves = installation.one("SELECT count(*) FROM dashboard_batch WHERE state = 'writing'")
    print(
        f"import: {killed} of {tries} killed, the next one ended with {last.returncode}, {halves} half batches left"
    )
    lost = doubled = 0
    for table, way in (("run", "batch_id"), ("measurement", "run_id"), ("regionmeasurement", "run_id")):
        clean, hurt = (_rows_of(installation, table, way, slug) for slug in ("clean", "hurt"))
        lost += max(0, clean - hurt)
        doubled += max(0, hurt - clean)
    return lost, doubled + int(halves or 0)


def _rows_of(installation: Installation, table: str, way: str, slug: str) -> int:
    runs = "" if way == "batch_id" else "JOIN dashboard_run r ON r.id = t.run_id "
    batch = "t.batch_id" if way == "batch_id" else "r.batch_id"
    found = installation.one(
        f"SELECT count(*) FROM dashboard_{table} t {runs}JOIN dashboard_batch b ON b.id = {batch} "  # noqa: S608 -- no input
        f"JOIN dashboard_system s ON s.id = b.system_id WHERE s.slug = '{slug}'"
    )
    return int(found or 0)


@contextlib.contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """A file system of `SMALL_DISK` at a folder; False where this may mount none."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder)]
    mounted = (
        shutil.which("mount") is not None
        and subprocess.run(mount, capture_output=True, check=False).returncode == 0
    )
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=False)


def fill_disk(folder: Path) -> tuple[int, int]:
    """Import until no room is left, make room, import again; visible halves, and faults of the database."""
    with small_disk(folder) as mounted:
        if not mounted:
            print("full disk: left out, this account may not mount a small one")
            return 0, 0
        place = environment(folder, DATABASE_URL=f"sqlite:///{folder}/var/p.sqlite3")
        manage(place, "reap")
        ballast = folder / "ballast"
        room = shutil.disk_usage(folder).free
        ballast.write_bytes(b"\0" * max(0, room - (2 << 20)))
        told = manage(place, "import", "bundle", "demo/markdown.zip", "--system", "Full")
        said = told.stderr.strip().splitlines()[-1:] or [""]
        print(f"full disk: the import ended with {told.returncode}: {said[0][:120]}")
        ballast.unlink()
        again = manage(place, "import", "bundle", "demo/pygments.zip", "--system", "Full")
        with contextlib.closing(sqlite3.connect(folder / "var/p.sqlite3")) as opened:
            whole = opened.execute("PRAGMA integrity_check").fetchone()
            halves = opened.execute("SELECT count(*) FROM dashboard_batch WHERE state = 'writing'").fetchone()
        print(
            f"full disk: with room again the import ended with {again.returncode}; the database is {whole[0]}"
        )
        return int(halves[0]) + int(again.returncode != 0), int(whole[0] != "ok")


def main() -> int:
    """Hurt, then count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the installation is hurt (60)")
    parser.add_argument("--imports", type=int, default=5, help="how many imports are killed (5)")
    parser.add_argument("--supervisors", type=int, default=3, help="how often `serve` is killed (3)")
    parser.add_argument("--seed", type=int, default=1, help="of what is hurt when (1)")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)  # noqa: S311 -- what is hurt when is no secret
    with tempfile.TemporaryDirectory(prefix="perfatlas-faults-") as name, throwaway_postgresql() as server:
        folder = Path(name)
        installation = Hurt(folder, server)
        try:
            manage(installation.place, "migrate", "--noinput")
            installation.tend()
            found = [hurt_workers(installation, chance, asked.seconds)]
            found.append(hurt_importer(installation, chance, asked.imports))
        finally:
            installation.end()
        found.append(hurt_supervisor(folder / "served", chance, asked.supervisors))
        found.append(fill_disk(folder / "disk"))
    lost, doubled = (sum(column) for column in zip(*found, strict=True))
    print(f"rows lost {lost}, doubled {doubled}")
    return 0 if lost == doubled == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
