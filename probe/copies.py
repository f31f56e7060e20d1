"""Counts of the copies of itself that a counted program makes: each writes what it counted into a file when it ends.

Copies are those of `os.fork`, as `multiprocessing` makes them on Linux. One that is killed, and a program that is started anew,
write nothing. A copy that lives longer than the counted call is not waited for.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from . import counting

if TYPE_CHECKING:
    from typing import Any, NoReturn

_exit = os._exit
# How long whoever waits for a copy that was told to end gives it before it is woken.
_WAKING_SECONDS = 0.1


class CountedCopies:
    """What copies of this process leave in files that begin with the path `prefix`, from the last `clear` on."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._round = 0
        self._is_copy = False
        os.register_at_fork(after_in_child=self._began, after_in_parent=_wake_ended_copies)

    def clear(self) -> None:
        """Forget what copies left before; those that are still there write for nobody."""
        self._round += 1

    def _began(self) -> None:
        """In a copy: count from 0, and write at its end, however it comes."""
        counting.clear()
        self._is_copy = True
        os._exit = self._exit
        atexit.register(self.write)
        with suppress(ValueError, OSError):
            # A pool ends its workers so.
            if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
                signal.signal(signal.SIGTERM, self._ended)
                # It ends no process, and interrupts what a copy waits for: see `_wake_ended_copies`.
                signal.signal(signal.SIGURG, lambda *_: None)

    def _ended(self, number: int, _frame: object) -> None:
        self.write()
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [number])
        os.kill(os.getpid(), number)

    def _exit(self, status: int) -> NoReturn:
        self.write()
        _exit(status)

    def write(self) -> None:
        """In a copy: write what it counted, with the CPU time that it used. It writes once."""
        if not self._is_copy:
            return
        # Who ends it from outside waits until all is written: it ends anyway.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
        self._is_copy = False
        usage = resource.getrusage(resource.RUSAGE_SELF)
        told = {**counting.counted(), "cpu_seconds": usage.ru_utime + usage.ru_stime}
        path = f"{self._prefix}{self._round}.{os.getpid()}"
        # Nobody hears of it where there is no room.
        with suppress(OSError):
            with open(f"{path}.part", "w", encoding="utf-8") as file:  # noqa: PTH123 - see driver
                json.dump(told, file)
            os.rename(f"{path}.part", path)  # noqa: PTH104 - see driver

    def added(self, counts: dict[str, Any]) -> tuple[dict[str, Any], float]:
        """Return `counts` with those that copies left in this round, and the CPU seconds that these copies used."""
        sums = {(region, *row[:3]): row[3] for region, rows in counts["regions"].items() for row in rows}
        seconds = 0.0
        folder, name = os.path.split(f"{self._prefix}{self._round}.")
        for file in os.listdir(folder):  # noqa: PTH208 - see driver
            if not file.startswith(name) or file.endswith(".part"):
                continue
            with suppress(OSError, ValueError):
                with open(os.path.join(folder, file), encoding="utf-8") as left:  # noqa: PTH118, PTH123 - see driver
                    told = json.load(left)
                seconds += told["cpu_seconds"]
                for region, rows in told["regions"].items():
                    for line, column, kind, count in rows:
                        sums[region, line, column, kind] = sums.get((region, line, column, kind), 0) + count
        regions: dict[str, list[list[Any]]] = {}
        for (region, *site), count in sorted(sums.items()):
            regions.setdefault(region, []).append([*site, count])
        return {**counts, "regions": regions}, seconds


def _wake_ended_copies() -> None:
    """In a process that makes copies by `multiprocessing`: wake those that were told to end, as long as they are waited for.

    A signal that comes just before a copy begins to wait for a lock is handled after that: a pool that ends its workers
    would wait for ever, where they had died of the signal if they were not counted.
    """
    module = sys.modules.get("multiprocessing.popen_fork")
    popen: Any = getattr(module, "Popen", None)
    if popen is None or hasattr(popen, "told_to_end"):
        return
    terminate, wait = popen.terminate, popen.wait
    popen.told_to_end = False

    def tell_to_end(self: Any) -> None:
        self.told_to_end = True
        terminate(self)

    def wait_and_wake(self: Any, timeout: float | None = None) -> int | None:
        while timeout is None and self.told_to_end and wait(self, _WAKING_SECONDS) is None:
            # Copies of its own may hold open what tells of its end.
            if self.poll() is not None:
                break
            with suppress(OSError):
                os.kill(self.pid, signal.SIGURG)
        ended: int | None = wait(self, timeout)
        return ended

    popen.terminate, popen.wait = tell_to_end, wait_and_wake
