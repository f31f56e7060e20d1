"""Starts one command apart from everything else, watches it and leaves nothing of it behind.

Runs as a process of its own, standard library only: a job as one line of JSON on standard input, the outcome as JSON on
standard output. It stops the command where its input ends. It is a process, not a thread, because it must be
single-threaded to fork safely, and because it has to outlive its parent by the moment it takes to clear up. In a sandbox
it is inside, as the first process: what it measures has nothing of the sandbox's own start.
"""

import base64
import contextlib
import ctypes
import json
import os
import resource
import selectors
import signal
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from .disk_use import LOOKING_SECONDS, DiskUse

_SET_PARENT_DEATH_SIGNAL = 1
_SET_DUMPABLE = 4
_SET_CHILD_SUBREAPER = 36
_ENDS = ("wall_seconds", "cpu_seconds", "exit_code", "signal")
_CHUNK = 65536
_DEFAULT = tuple(
    getattr(signal, f"SIG{name}") for name in ("PIPE", "XFSZ", "TERM", "CHLD", "HUP", "INT", "QUIT")
)
# A process in an uninterruptible wait cannot be killed; nobody waits for it longer than this.
_CLEARING_SECONDS = 10.0
# So long a program that is asked where it is has for the answer.
_ANSWERING_SECONDS = 1.0
_LOOKING_SECONDS = 0.05


class _Child:
    """The started command: what it is, when it began, what it printed, how it ended."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.output = b""
        self.output_bytes = 0
        self.exit: dict[str, Any] = {}
        self.began = time.perf_counter()
        self.cpu_before = 0.0
        self.start_error = ""
        output, self._output_end = os.pipe()
        started, started_end = os.pipe()
        self.pipe = output
        # The command is started before any further thread or file of ours exists.
        self.pid = os.fork()
        if self.pid == 0:
            _become(job, self._output_end, started_end)
        os.close(self._output_end)
        os.close(started_end)
        # The pipe closes at the moment of exec: our own preparations are not on the command's account.
        report: dict[str, Any] = {}
        with os.fdopen(started, "rb") as reports:
            for line in reports:
                report.update(json.loads(line))
        self.began = report.get("wall", self.began)
        self.cpu_before = report.get("cpu", 0.0)
        self.start_error = report.get("error", "")
        os.set_blocking(output, False)

    def read(self, keep: int) -> bool:
        """Take what has been printed, keep the last `keep` bytes; False at the end of the output."""
        try:
            chunk = os.read(self.pipe, _CHUNK)
        except BlockingIOError:
            return True
        self.output_bytes += len(chunk)
        self.output = (self.output + chunk)[-keep:]
        return bool(chunk)

    def drain(self, keep: int) -> None:
        """Take what is left in the pipe, which holds little; somebody we cannot kill might still fill it."""
        for _ in range(_CHUNK // 512):
            if not self.read(keep):
                return

    def reap(self) -> None:
        """Take note of every process that has ended, the command itself above all."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.exit = {
                    "wall_seconds": time.perf_counter() - self.began,
                    "cpu_seconds": max(0.0, usage.ru_utime + usage.ru_stime - self.cpu_before),
                    "exit_code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
                    "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
                }


def main() -> None:
    """Run the job on standard input; print its outcome."""
    if not (line := sys.stdin.readline()):
        return
    job = json.loads(line)
    limits, cancelled = job["limits"], list[int]()
    if job["inside"]:
        # The command has our account: it is not to look into us, nor to write into what we have open. The first process
        # of a sandbox gets no signal from inside that it does not ask for.
        _prctl(_SET_DUMPABLE, 0)
    else:
        signal.signal(signal.SIGTERM, lambda number, _frame: cancelled.append(number))
        _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    _prctl(_SET_CHILD_SUBREAPER, 1)
    wake, wake_end = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(wake_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
    if not job["inside"] and os.getppid() != job["parent"]:
        return
    disk = DiskUse(job["watched"], limits["disk_bytes"], lambda: _descendants(os.getpid()))
    child = _Child(job)
    status = _watch(child, job, wake, cancelled, disk)
    if status == "ended" and disk.is_exceeded(at_last=True):
        status = "disk_limit"
    if job["asking"] and status in {"timeout", "output_limit", "disk_limit"}:
        _ask(child, **job["asking"])
    cleared = _clear(child)
    child.drain(job["keep_bytes"])
    outcome: dict[str, Any] = dict.fromkeys(_ENDS)
    outcome |= {
        "status": status,
        "start_error": child.start_error,
        "output_bytes": child.output_bytes,
        "output": base64.b64encode(child.output).decode("ascii"),
        "cleared": cleared,
        "disk_limit": limits["disk_bytes"],
        "time_limit": limits["timeout_seconds"],
        "is_sandboxed": job["inside"],
        **child.exit,
    }
    sys.stdout.write(json.dumps(outcome))


def _watch(child: _Child, job: dict[str, Any], wake: int, cancelled: list[int], disk: DiskUse) -> str:
    """Return how the command came to its end: ended, timeout, output_limit, disk_limit or cancelled."""
    ends = child.began + job["limits"]["timeout_seconds"]
    orders = sys.stdin.fileno()
    with selectors.DefaultSelector() as selector:
        for descriptor in (child.pipe, wake, orders):
            selector.register(descriptor, selectors.EVENT_READ)
        while True:
            if child.output_bytes > job["limits"]["output_bytes"]:
                return "output_limit"
            child.reap()
            if child.exit or cancelled:
                return "ended" if child.exit else "cancelled"
            left = ends - time.perf_counter()
            if left <= 0 or disk.is_exceeded():
                return "timeout" if left <= 0 else "disk_limit"
            ready = {key.fd for key, _ in selector.select(min(left, LOOKING_SECONDS))}
            if orders in ready:
                cancelled.append(orders)
            if wake in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(wake, _CHUNK)
            if child.pipe in ready and not child.read(job["keep_bytes"]):
                selector.unregister(child.pipe)


def _ask(child: _Child, number: int, file: str) -> None:
    """Send a program the signal on which it writes into `file` where it is; wait until it has."""
    # There may be stacks in it already.
    asked = before = _size(file)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child.pid, number)
    ends = time.perf_counter() + _ANSWERING_SECONDS
    while time.perf_counter() < ends and not child.exit:
        time.sleep(_LOOKING_SECONDS)
        child.reap()
        size = _size(file)
        if asked < size == before:
            return
        before = size


def _size(file: str) -> int:
    try:
        return Path(file).stat().st_size
    except OSError:
        return 0


def _clear(child: _Child) -> bool:
    """Kill every process that descends from us, also those that left group and session; True once none is left."""
    ends = time.perf_counter() + _CLEARING_SECONDS
    while time.perf_counter() < ends:
        child.reap()
        left = _descendants(os.getpid())
        if not left and child.exit:
            return True
        # Stopped first, so that none can fork while we kill the others.
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in left:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)
        time.sleep(0.001)
    return False


def _descendants(root: int) -> list[int]:
    """Return the processes below `root`, also those that are dead and not waited for yet."""
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            # A process that ends while we look is as good as one that is not there.
            with contextlib.suppress(OSError):
                parent = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[1]
                children.setdefault(int(parent), []).append(int(entry.name))
    found: list[int] = []
    rest = [root]
    while rest:
        below = children.get(rest.pop(), [])
        found.extend(below)
        rest.extend(below)
    return found


def _become(job: dict[str, Any], output: int, started: int) -> NoReturn:
    """Turn this new process into the command of `job`; what fails on the way is reported on `started`."""
    try:
        supervisor = os.getppid()
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((nowhere, 0), (output, 1), (output, 2)):
            os.dup2(source, target)
        _limit(job["limits"])
        if job["uid"] is not None:
            os.setgroups([])
            os.setgid(job["gid"])
            os.setuid(job["uid"])
        # After setuid, which forgets it.
        _prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() != supervisor:
            os._exit(127)
        os.umask(0o022)
        os.chdir(job["folder"])
        # Also those that a shell in the background ignores: a program asks, and goes another way.
        for number in _DEFAULT:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        os.closerange(3, started)
        os.closerange(started + 1, 4096)
        os.set_inheritable(started, False)
        os.write(
            started, json.dumps({"wall": time.perf_counter(), "cpu": time.process_time()}).encode() + b"\n"
        )
        os.execve(job["command"][0], job["command"], job["environment"])
    except OSError as error:
        _say(started, f"{error.strerror or error}: {error.filename or job['command'][0]}")
    except ValueError as error:
        _say(started, str(error))
    os._exit(127)


def _say(started: int, message: str) -> None:
    os.write(started, json.dumps({"error": message}).encode() + b"\n")


def _limit(limits: dict[str, Any]) -> None:
    if limits["core"] is not None:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, {limits["core"]})
    cpu = int(limits["cpu_seconds"])
    wanted = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_AS: limits["memory_bytes"],
        resource.RLIMIT_FSIZE: limits["file_bytes"],
    }
    if limits["processes"] is not None:
        wanted[resource.RLIMIT_NPROC] = limits["processes"]
    for kind, value in wanted.items():
        hard = resource.getrlimit(kind)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (lowest, lowest))


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
