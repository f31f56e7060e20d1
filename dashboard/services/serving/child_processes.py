"""Child processes that are started again when they die and that never outlive their parent."""

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence

log = logging.getLogger(__name__)

_PR_SET_PDEATHSIG = 1
_FIRST_WAIT_SECONDS = 0.5
_LONGEST_WAIT_SECONDS = 30.0
# A child that lived so long was healthy: when it dies, it is started again without much waiting.
_HEALTHY_SECONDS = 60.0


def end_with_parent() -> Callable[[], None]:
    """What a child does before it becomes its program: ask the kernel for its end when its parent dies.

    Linux only; elsewhere nothing happens, and a killed parent leaves its children behind.
    """
    parent = os.getpid()
    prctl = getattr(ctypes.CDLL(None, use_errno=True), "prctl", None)

    def ask() -> None:
        if prctl is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:  # it died before the kernel knew
                os._exit(1)

    return ask


class Child:
    """One child, kept alive: `tend` starts it again after it died, each time in a row after a longer wait.

    `name` is for messages; the child gets the arguments, the environment and the open files.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[str],
        environment: dict[str, str],
        files: tuple[int, ...] = (),
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name = name
        self._arguments = arguments
        self._environment = environment
        self._files = files
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._wait = _FIRST_WAIT_SECONDS
        self._next_start = 0.0

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start it, in a process group of its own: Ctrl-C in the terminal reaches the parent alone."""
        self._started = self._clock()
        self._process = subprocess.Popen(
            self._arguments,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # they speak on standard error
            pass_fds=self._files,
            start_new_session=True,
            preexec_fn=end_with_parent(),  # noqa: PLW1509 -- the parent has one thread
        )

    def tend(self) -> bool:
        """Start the child again if it died and its wait is over; whether it was started."""
        if self.pid is not None:
            return False
        now = self._clock()
        if self._process is not None:
            code = self._process.returncode
            self._signal(signal.SIGKILL)  # what it may have left in its group
            self._process = None
            if now - self._started > _HEALTHY_SECONDS:
                self._wait = _FIRST_WAIT_SECONDS
            cause = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
            log.error("%s ended (%s); it starts again in %.1f s", self._name, cause, self._wait)
            self._next_start = now + self._wait
            self._wait = min(2 * self._wait, _LONGEST_WAIT_SECONDS)
        if now < self._next_start:
            return False
        self.start()
        return True

    def ask_to_end(self) -> None:
        """Send SIGTERM to the child alone: it ends its own children in order."""
        if self.pid is not None:
            os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        """Kill the child and its whole process group, and wait for it."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None:
            # The group's number is the child's own id, for it leads its session.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, number)


def end_all(children: Sequence[Child], *, grace_seconds: float, hurry: Callable[[], bool]) -> None:
    """Ask all children to end; after the grace, or when `hurry` turns true, kill those that hang and what they left."""
    for child in children:
        child.ask_to_end()
    deadline = time.monotonic() + grace_seconds
    while not hurry() and time.monotonic() < deadline and any(child.pid is not None for child in children):
        time.sleep(0.02)
    for child in children:
        child.kill()
