"""`make test`: the whole suite in groups, each with the servers it needs; names what did not run.

`python -m tools.suite [GROUP ...]`. With CI=true a group that cannot run is a failure, and so is a skipped test,
unless reference data or a further interpreter is what it misses.
"""

import argparse
import contextlib
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from tools.chromium import NAMES, find_chromium
from tools.outcomes import Outcome, closing_lines, read_report
from tools.servers import Unavailable, postgresql, redis_server

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Stands in the environment of everything that a run starts, so that it can be found again.
MARK = f"PERFATLAS_TEST_RUN={secrets.token_hex(8)}"
TOUCHES_DATABASE = "database and not redis and not browser"
REDIS = ("tests/dashboard/jobs/test_workers.py", "tests/tools/test_servers.py")


@contextlib.contextmanager
def _nothing() -> Iterator[dict[str, str]]:
    yield {}


@contextlib.contextmanager
def _postgresql() -> Iterator[dict[str, str]]:
    with postgresql() as address:
        yield {"PERFATLAS_TEST_DATABASE_URL": address}


@contextlib.contextmanager
def _redis() -> Iterator[dict[str, str]]:
    with redis_server() as address:
        yield {"PERFATLAS_TEST_REDIS_URL": address}


@contextlib.contextmanager
def _browser() -> Iterator[dict[str, str]]:
    if find_chromium() is None:
        raise Unavailable(f"no browser: none of {', '.join(NAMES)} is installed")
    yield {}


@dataclass(frozen=True, slots=True)
class Group:
    """Tests chosen by their marks, and the environment that they run in."""

    name: str
    marks: str
    environment: Callable[[], AbstractContextManager[dict[str, str]]]
    processes: int
    # How tests are dealt out: "load" one by one; "loadfile" by files, which share a server.
    distribution: str = "load"
    # Where they lie: to import all other tests as well takes longer than the few of these.
    places: tuple[str, ...] = ("tests",)


GROUPS = (
    Group("pure", "not database and not redis and not browser", _nothing, 2),
    Group("sqlite", TOUCHES_DATABASE, _nothing, 2),
    Group("postgresql", TOUCHES_DATABASE, _postgresql, 2),
    Group("redis", "redis and not browser", _redis, 0, places=REDIS),
    Group("browser", "browser", _browser, 2, "loadfile", places=("tests/browser",)),
)


def run_group(group: Group, folder: Path, extra: dict[str, str]) -> Outcome:
    """Run pytest on one group; its output goes through."""
    print(f"\n=== {group.name} ===", flush=True)
    report = folder / f"{group.name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-m", group.marks, f"--junit-xml={report}"]
    if group.processes:
        command += ["-n", str(group.processes), "--dist", group.distribution]
    started_at = time.monotonic()
    try:
        with group.environment() as environment:
            exit_code = _wait_for(
                [*command, *group.places], {**os.environ, **ONE_THREAD, **environment, **extra}
            )
    except Unavailable as error:
        print(f"not run: {error}", flush=True)
        return Outcome(group=group.name, unavailable=str(error))
    return read_report(group.name, report, exit_code, time.monotonic() - started_at)


def bytecode(given: Mapping[str, str]) -> dict[str, str]:
    """Where Python may not write bytecode beside its sources, a folder of the environment keeps it.

    Without any, each of the hundreds of processes of a run compiles all packages anew, which is half of its start.
    """
    if not given.get("PYTHONDONTWRITEBYTECODE"):
        return {}
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(sys.prefix) / "bytecode")}


def _wait_for(command: list[str], environment: dict[str, str]) -> int:
    """The exit code; if we are to stop, pytest is given time to end what its tests started."""
    process = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        return process.wait()
    except BaseException:
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=30)
        process.kill()
        process.wait()
        raise


def end_leftovers() -> list[str]:
    """Kill what the tests left running, as they do when they are interrupted; the command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            ours = int(folder.name) != os.getpid() and MARK.encode() in (
                folder / "environ"
            ).read_bytes().split(b"\0")
            if ours:
                found.append((folder / "cmdline").read_text().replace("\0", " ").strip())
                os.kill(int(folder.name), signal.SIGKILL)
    return found


def _stop(number: int, _frame: object) -> NoReturn:
    """Turn a request to end into an exception, so that servers are stopped on the way out."""
    raise SystemExit(128 + number)


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Where all files of the run go; at the end nothing of it is left, neither files nor processes."""
    with tempfile.TemporaryDirectory(prefix="perfatlas-suite-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o711)  # subjects run as another user, and pass through
        try:
            yield folder
        finally:
            for command in end_leftovers():
                print(f"left running by a test, killed: {command}")


def main() -> int:
    """Run the groups that are named, or all; the exit code is 1 if any counts as failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(group.name for group in GROUPS))
    parser.add_argument("--pictures", type=Path, help="folder for the pictures of the documents")
    given = parser.parse_args()
    unknown = set(given.groups) - {group.name for group in GROUPS}
    if unknown:
        parser.error(f"no group is called {', '.join(sorted(unknown))}")
    extra = dict([MARK.split("=")]) | bytecode(os.environ)
    if given.pictures:
        extra["PERFATLAS_PICTURES"] = str(given.pictures.resolve())
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    strict = os.environ.get("CI") == "true"
    chosen = [group for group in GROUPS if not given.groups or group.name in given.groups]
    with _temporary_folder() as folder:
        outcomes = [run_group(group, folder, {**extra, "TMPDIR": str(folder)}) for group in chosen]
    print("\n".join(closing_lines(outcomes, strict=strict)))
    return 1 if any(outcome.problem(strict=strict) for outcome in outcomes) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
