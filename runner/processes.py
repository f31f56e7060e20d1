"""Runs one command under the supervisor: apart, limited, watched, cleared away."""

import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from pwd import struct_passwd
from typing import Any, Literal

Ending = Literal["ended", "timeout", "output_limit", "cancelled", "lost"]

# How often a waiting job is asked whether it was cancelled, in seconds.
POLL_SECONDS = 0.1
KEEP_BYTES = 16 * 1024
_STOPPING_SECONDS = 15.0
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one command may use; `processes` counts only where it runs as another user than ours.

    `core` is the one core that it may run on, where the machine lets us choose; None for all.
    """

    timeout_seconds: float
    cpu_seconds: float
    memory_bytes: int
    file_bytes: int
    output_bytes: int
    processes: int = 512
    core: int | None = None


@dataclass(frozen=True, slots=True)
class ProcessOutcome:
    """How a command ended, with wall and CPU time from its start to its end, children included.

    `output` is the last `KEEP_BYTES` of what it printed on both channels. `cleared` is False where a process
    could not be killed. Times are None where it never started, `exit_code` where a signal ended it.
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
                "timeout": "took longer than its time limit",
                "output_limit": "printed more than its output limit",
                "cancelled": "was cancelled",
                "lost": "was lost: its supervisor was killed",
            }[self.status]
        if self.signal is not None:
            return f"was ended by {signal.Signals(self.signal).name}"
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
    cancelled: Callable[[], bool] = never,
    held: Sequence[int] = (),
    asking: tuple[int, Path] | None = None,
) -> ProcessOutcome:
    """Run `command` in `folder` with exactly `environment` and return how it ended.

    `user` is whom it runs as (None: as ourselves); `cancelled` is asked every `POLL_SECONDS`; descriptors in
    `held` stay open as long as the supervisor lives. A command over a limit is sent the signal of `asking` and may
    write into its file where it is, before it is killed. The whole process tree is gone when this returns or raises.
    """
    job = {
        "command": list(command),
        "folder": str(folder),
        "environment": dict(environment),
        "limits": asdict(limits),
        "uid": user.pw_uid if user else None,
        "gid": user.pw_gid if user else None,
        "keep_bytes": KEEP_BYTES,
        "parent": os.getpid(),
        "asking": {"number": int(asking[0]), "file": str(asking[1])} if asking else None,
    }
    supervisor = subprocess.Popen(
        [sys.executable, "-I", "-S", str(_SUPERVISOR)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={},
        start_new_session=True,
        pass_fds=tuple(held),
    )
    try:
        return _wait(supervisor, json.dumps(job).encode(), cancelled)
    finally:
        # One that still runs because we are interrupted clears its tree first.
        if supervisor.poll() is None:
            supervisor.terminate()
            try:
                supervisor.communicate(timeout=_STOPPING_SECONDS)
            except subprocess.TimeoutExpired:
                supervisor.kill()
                supervisor.communicate()


def _wait(supervisor: subprocess.Popen[bytes], job: bytes, cancelled: Callable[[], bool]) -> ProcessOutcome:
    asked = False
    given: bytes | None = job
    while True:
        try:
            printed = supervisor.communicate(given, timeout=POLL_SECONDS)[0]
        except subprocess.TimeoutExpired:
            given = None
            if not asked and cancelled():
                supervisor.terminate()
                asked = True
            continue
        if not printed.strip():
            # A supervisor that we stop before it has started anything says nothing.
            status: Ending = "cancelled" if asked else "lost"
            return ProcessOutcome(status, "", None, None, None, None, "", 0, cleared=asked)
        values: dict[str, Any] = json.loads(printed)
        values["output"] = base64.b64decode(values["output"]).decode("utf-8", "replace")
        return ProcessOutcome(**values)
