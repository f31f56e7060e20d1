"""Runs one command under the supervisor: apart, limited, watched, cleared away."""

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from pwd import struct_passwd
from typing import Any, Literal

from .sandboxes import Reach, account_of, supervision_command

Ending = Literal["ended", "timeout", "output_limit", "disk_limit", "cancelled", "lost"]

# How often a waiting job is asked whether it was cancelled, in seconds.
POLL_SECONDS = 0.1
KEEP_BYTES = 16 * 1024
_STOPPING_SECONDS = 15.0
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one command may use; `processes` counts only in a sandbox, or where it runs as another user than ours.

    `file_bytes` limits each file, `disk_bytes` all files that it leaves in what it may write. `core` is the one core that it
    may run on, where the machine lets us choose; None for all.
    """

    timeout_seconds: float
    cpu_seconds: float
    memory_bytes: int
    file_bytes: int
    output_bytes: int
    disk_bytes: int = 1024 * _MEGABYTE
    processes: int = 512
    core: int | None = None


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """How a command ended, with wall and CPU time from its start to its end, children included.

    `output` is the last `KEEP_BYTES` of what it printed on both channels. `cleared` is False where a process
    could not be killed. Times are None where it never started, `exit_code` where a signal ended it. `disk_limit` is that of
    bytes on disk, `time_limit` that of seconds, `is_sandboxed` says whether it ran in a sandbox.
    """

    status: Ending
    start_error: str
    wall_seconds: float | None
    cpu_seconds: float | None
    exit_code: int | None
    signal: int | None
    output: str
    output_bytes: int
    cleared: bool
    disk_limit: int = 0
    time_limit: float = 0.0
    is_sandboxed: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether the command ran to its end and returned 0."""
        return self.status == "ended" and not self.start_error and self.exit_code == 0

    def in_words(self) -> str:
        """Return how it ended as a short sentence without a full stop."""
        if self.start_error:
            return f"cannot be started: {self.start_error}"
        if self.status != "ended":
            return {
                "timeout": f"took longer than its time limit of {self.time_limit:g} s",
                "output_limit": "printed more than its output limit",
                "disk_limit": f"used more than {self.disk_limit // _MEGABYTE} MB of disk",
                "cancelled": "was cancelled",
                "lost": "was lost: its supervisor was killed",
            }[self.status]
        if self.signal is not None:
            # Those between the first and the last signal of real time have no name.
            known = {one.value: one.name for one in signal.Signals}
            return f"was ended by {known.get(self.signal, f'signal {self.signal}')}"
        return f"ended with exit code {self.exit_code}"


def never() -> bool:
    """Say that nothing was cancelled."""
    return False


def run(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    limits: ProcessLimits,
    user: struct_passwd | None,
    reach: Reach | None = None,
    cancelled: Callable[[], bool] = never,
    held: Sequence[int] = (),
    asking: tuple[int, Path] | None = None,
) -> ProcessOutcome:
    """Run `command` in `folder` with exactly `environment` and return how it ended.

    `user` is whom it runs as (None: as ourselves). In the sandbox of its `reach` it sees what stands there; what it writes there
    counts as its use of the disk. `cancelled` is asked every `POLL_SECONDS`; descriptors in `held` stay open as long as
    the supervisor lives. A command over a limit is sent the signal of `asking` and may write into its file where it is,
    before it is killed. The whole process tree is gone when this returns or raises.
    """
    sandbox = reach.sandbox if reach else None
    # Without a sandbox the supervisor becomes the user, in one it is that already.
    becomes = user if sandbox is None else None
    counts = user is not None if sandbox is None else sandbox.counts_processes
    job = {
        "command": list(command),
        "folder": str(folder),
        "environment": dict(environment),
        "limits": {**asdict(limits), "processes": limits.processes if counts else None},
        "uid": becomes.pw_uid if becomes else None,
        "gid": becomes.pw_gid if becomes else None,
        "keep_bytes": KEEP_BYTES,
        "parent": os.getpid(),
        "inside": sandbox is not None,
        "watched": [str(place) for place in reach.watched] if reach else [],
        "asking": {"number": int(asking[0]), "file": str(asking[1])} if asking else None,
    }
    options: dict[str, Any]
    if sandbox is None or reach is None:
        start, options = supervision_command(sys.executable, Path(__file__).parent), {"env": {}}
    else:
        start = sandbox.command(reach, limits.memory_bytes)
        options = {
            "env": sandbox.python.environment,
            "cwd": "/",
            "stderr": subprocess.PIPE,
            **account_of(user),
        }
    supervisor = _Supervisor(start, pass_fds=tuple(held), **options)
    try:
        supervisor.say(json.dumps(job).encode() + b"\n")
        return supervisor.wait(cancelled)
    finally:
        supervisor.end()


class _Supervisor:
    """A supervisor that was started: it stops what it runs when its input ends, as by our own death."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        orders, self._orders = os.pipe()
        try:
            self._process = subprocess.Popen(
                command, stdin=orders, stdout=subprocess.PIPE, start_new_session=True, **options
            )
        except BaseException:
            os.close(self._orders)
            raise
        finally:
            os.close(orders)

    def say(self, line: bytes) -> None:
        """Write all of `line`; one that is gone already hears nothing."""
        with suppress(BrokenPipeError):
            while line:
                line = line[os.write(self._orders, line) :]

    def stop(self) -> None:
        """Let it stop what it runs."""
        if self._orders >= 0:
            os.close(self._orders)
            self._orders = -1

    def end(self) -> None:
        """See to it that it has ended: one that still runs because we are interrupted clears its tree first."""
        self.stop()
        if self._process.poll() is None:
            try:
                self._process.communicate(timeout=_STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.communicate()

    def wait(self, cancelled: Callable[[], bool]) -> ProcessOutcome:
        """Return what it says at its end."""
        asked = False
        while True:
            try:
                printed, complaint = self._process.communicate(timeout=POLL_SECONDS)
            except subprocess.TimeoutExpired:
                if not asked and cancelled():
                    self.stop()
                    asked = True
                continue
            if not printed.strip():
                # One that we stop before it has started anything says nothing; a sandbox that cannot be made says why.
                status: Ending = "cancelled" if asked else "lost"
                reason = (complaint or b"").decode("utf-8", "replace").strip()[-1000:]
                return ProcessOutcome(status, reason, None, None, None, None, "", 0, cleared=asked)
            values: dict[str, Any] = json.loads(printed)
            printed_text = base64.b64decode(values["output"]).decode("utf-8", "replace")
            # No database keeps a NUL in a text.
            values["output"] = printed_text.replace("\0", "\ufffd")
            return ProcessOutcome(**values)
