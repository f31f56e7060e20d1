"""`make test`: the test suite in groups side by side, each with the servers it needs; names what did not run.

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
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NoReturn

from tools.chromium import NAMES, find_chromium
from tools.leftovers import end_marked
from tools.migrated import migrated_database, migrated_file
from tools.outcomes import Outcome, closing_lines, read_report
from tools.servers import Unavailable, postgresql, redis_server

ROOT = Path(__file__).resolve().parent.parent
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Stands in the environment of everything that a run starts, so that it can be found again. Tests take what begins with PERFATLAS_ away.
MARK = f"TEST_RUN_OF_PERFATLAS={secrets.token_hex(8)}"
# Names the folder of the interpreters that a run has copied for subjects: see `tests/conftest.py`.
INTERPRETERS = "PERFATLAS_TEST_INTERPRETERS"
TOUCHES_DATABASE = "database and not redis and not browser"
REDIS = ("tests/dashboard/jobs/test_workers.py", "tests/tools/test_servers.py")
# `tests/conftest.py` refuses a test with a database elsewhere.
DATABASE = ("tests/dashboard", "tests/project/test_fixtures.py", "tests/tools/test_migrated.py")
# The browser's have a group of their own, and `make check` runs those of the project.
PURE = tuple(
    f"tests/{folder.name}"
    for folder in sorted((ROOT / "tests").iterdir())
    if folder.is_dir() and folder.name not in {"__pycache__", "browser", "project"}
)


@contextlib.contextmanager
def _nothing() -> Iterator[dict[str, str]]:
    yield {}


@contextlib.contextmanager
def _postgresql() -> Iterator[dict[str, str]]:
    with postgresql() as address, tempfile.TemporaryDirectory(prefix="perfatlas-migrating-") as folder:
        yield {"PERFATLAS_TEST_DATABASE_URL": address, **migrated_database(address, Path(folder))}


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
    # Together more than cores: a test that runs programs, workers or a browser waits half of its time. Each process makes
    # environments of its own, so tests are dealt out by files, which share more than others. A second process of a group
    # costs what each has to make: it collects all tests again, or has servers and a browser of its own.
    least_processes: int = 1
    most_processes: int = 64
    # Where they lie: to import all other tests as well takes longer than the few of these.
    places: tuple[str, ...] = ("tests",)


# Side by side, in this order: while one waits for a page, a program or a database, another one works. Those of Redis,
# which mostly wait, would leave the cores idle if they came last, and so would the journeys through pages; the pure
# tests, which wait for nothing, fill both cores of a small machine when a long group has ended.
GROUPS = (
    Group("redis", "redis and not browser", _redis, most_processes=1, places=REDIS),
    Group("browser", "browser", _browser, places=("tests/browser",)),
    Group("sqlite", TOUCHES_DATABASE, _nothing, least_processes=2, places=DATABASE),
    Group("postgresql", f"{TOUCHES_DATABASE} and not once", _postgresql, places=DATABASE),
    Group("pure", "not database and not redis and not browser", _nothing, least_processes=2, places=PURE),
)
SIDE_BY_SIDE = 3
# So long the last lines of a group may take after its end.
_REST_SECONDS = 5.0


@dataclass(slots=True)
class Run:
    """Groups under way: their folder, what is in their environment, and the processes to stop if we are to end."""

    folder: Path
    extra: Mapping[str, str]
    cores_each: int
    processes: list[subprocess.Popen[str]] = field(default_factory=list)
    ended: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def outcomes(self, groups: Sequence[Group]) -> list[Outcome]:
        """Run groups side by side.

        If we are to stop, no further one starts, and pytest is given time to end what its tests started.
        """
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            try:
                return list(pool.map(self._outcome, groups))
            except BaseException:
                self._end()
                raise

    def _outcome(self, group: Group) -> Outcome:
        """Run pytest on one group, with a folder for temporary files of its own; its output goes through."""
        report, folder = self.folder / f"{group.name}.xml", self.folder / group.name
        folder.mkdir()
        folder.chmod(0o711)  # subjects run as another user, and pass through
        command = [sys.executable, "-m", "pytest", "-q", "-m", group.marks, f"--junit-xml={report}"]
        processes = min(max(self.cores_each, group.least_processes), group.most_processes)
        if processes > 1:
            # In the order of `tests/conftest.py`, not in xdist's own.
            command += ["-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder"]
        started_at = time.monotonic()
        try:
            with group.environment() as own:
                environment = {**os.environ, **ONE_THREAD, **own, **self.extra, "TMPDIR": str(folder)}
                exit_code = self._call([*command, *group.places], group.name, environment)
        except Unavailable as error:
            print(f"{group.name:<11}not run: {error}", flush=True)
            return Outcome(group=group.name, unavailable=str(error))
        # The other groups have outcomes to tell, whatever became of this one.
        except Exception:  # noqa: BLE001
            print(f"{group.name:<11}{traceback.format_exc()}", flush=True)
            exit_code = 1
        return read_report(group.name, report, exit_code, time.monotonic() - started_at)

    def _call(self, command: list[str], name: str, environment: dict[str, str]) -> int:
        """Each line of the output comes with the name of its group."""
        with self.lock:
            if self.ended:
                raise Unavailable("interrupted")
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                errors="replace",
            )
            self.processes.append(process)
        reader = threading.Thread(target=_pass_on, args=(process.stdout, name), daemon=True)
        reader.start()
        # Not the end of its output: whatever a test left running may hold that open for ever.
        exit_code = process.wait()
        reader.join(_REST_SECONDS)
        return exit_code

    def _end(self) -> None:
        """Give pytest time to end what its tests started; then end whatever is left, so that nothing waits for it."""
        with self.lock:
            self.ended = True
        for process in self.processes:
            process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 30
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=max(0.0, deadline - time.monotonic()))
            process.kill()
        tell_leftovers()


def _pass_on(output: IO[str], name: str) -> None:
    with output:
        for line in output:
            print(f"{name:<11}{line}", end="", flush=True)


def bytecode(given: Mapping[str, str]) -> dict[str, str]:
    """Where Python may not write bytecode beside its sources, a folder of the environment keeps it.

    Without any, each of the hundreds of processes of a run compiles all packages anew, which is half of its start.
    """
    if not given.get("PYTHONDONTWRITEBYTECODE"):
        return {}
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(Path(sys.prefix) / "bytecode")}


def tell_leftovers() -> None:
    """Kill what the tests left running, and print what that was."""
    for command in end_marked(MARK):
        print(f"left running by a test, killed: {command}")


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
            tell_leftovers()


def main() -> int:
    """Run the groups that are named, or all; the exit code is 1 if any counts as failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(group.name for group in GROUPS))
    parser.add_argument("--pictures", type=Path, help="folder for the pictures of the documents")
    given = parser.parse_args()
    unknown = set(given.groups) - {group.name for group in GROUPS}
    if unknown:
        parser.error(f"no group is called {', '.join(sorted(unknown))}")
    os.environ.update(bytecode(os.environ))
    extra = dict([MARK.split("=")])
    if given.pictures:
        extra["PERFATLAS_PICTURES"] = str(given.pictures.resolve())
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    strict = os.environ.get("CI") == "true"
    chosen = [group for group in GROUPS if not given.groups or group.name in given.groups]
    with _temporary_folder() as folder:
        cores_each = len(os.sched_getaffinity(0)) // min(len(chosen), SIDE_BY_SIDE)
        extra |= {**migrated_file(folder), INTERPRETERS: str(folder / "interpreters")}
        outcomes = Run(folder, extra, cores_each).outcomes(chosen)
    print("\n".join(closing_lines(outcomes, strict=strict)))
    return 1 if any(outcome.problem(strict=strict) for outcome in outcomes) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("\nInterrupted.")
