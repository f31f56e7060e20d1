"""Where a program ended, also one that reports nothing itself: it was killed, hangs, or left without an exception.

The stacks of all threads are written into a file by `faulthandler`, which needs neither the interpreter nor the
program's own channels: on a fatal signal, on `ASKED`, and before `os._exit` or killing itself ends the process.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from functools import wraps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import IO, Any

# What asks a program where it is: its default ends the process, which is not there to be asked then.
ASKED = getattr(signal, "SIGRTMAX", signal.SIGTERM) - 1
_ENDINGS = tuple(
    getattr(signal, f"SIG{name}")
    for name in ("TERM", "HUP", "QUIT", "USR1", "USR2", "ALRM", "PIPE", "XCPU")
    if hasattr(signal, f"SIG{name}")
)
_KILLS = getattr(signal, "SIGKILL", None)
# Of these folders, no line is the program's; installed packages lie below the second one.
_OWN = (os.path.dirname(__file__) + os.sep, os.path.dirname(os.__file__) + os.sep, "<")  # noqa: PTH120 - see driver
# At least this share of the frames that may be is Python's where calls without end have filled the stack, and not code in C,
# which compares lists within lists, say: it may call Python and be called by it in turn.
_SHARE = 3
_INSTALLED = os.path.join(_OWN[1], "site-packages") + os.sep  # noqa: PTH118 - see driver


def watch(path: str) -> None:
    """Have the stacks written into the file `path` when this process is ended from outside or gets `ASKED`."""
    file = open(path, "wb", buffering=0)  # noqa: PTH123, SIM115 - open for as long as the process lives
    process = os.getpid()
    faulthandler.enable(file)
    faulthandler.register(ASKED, file)
    _watch_signals(file)

    def telling(function: Callable[..., Any], ends: Callable[..., bool]) -> Callable[..., Any]:
        @wraps(function)
        def told(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() == process and ends(*args, **kwargs):
                faulthandler.dump_traceback(file, all_threads=False)
            return function(*args, **kwargs)

        return told

    # Of these two ways to end, no signal handler hears.
    os._exit = telling(os._exit, lambda *_, **__: True)
    os.kill = telling(os.kill, lambda *given, **_: given in ((process, _KILLS), (0, _KILLS)))


def _watch_signals(file: IO[bytes]) -> None:
    """Have the stack written on each signal that ends the process; one that is handled or ignored writes none."""

    def tell(number: int) -> None:
        # The first line is for a signal that the program had taken over and has given back.
        faulthandler.unregister(number)
        faulthandler.register(number, file, all_threads=False, chain=True)

    def ended_by() -> list[int]:
        return [number for number in _ENDINGS if signal.getsignal(number) == signal.SIG_DFL]

    def silent() -> None:
        for number in ended_by():
            faulthandler.unregister(number)

    handle = signal.signal

    @wraps(handle)
    def handled(*args: Any, **kwargs: Any) -> Any:
        before = handle(*args, **kwargs)
        number = args[0] if args else kwargs["signalnum"]
        if number in _ENDINGS and signal.getsignal(number) == signal.SIG_DFL:
            tell(number)
        return before

    for number in ended_by():
        tell(number)
    signal.signal = handled
    # The end of a copy of the process is not ours.
    os.register_at_fork(after_in_child=silent)


def crash_location(error: BaseException) -> str:
    """Return "file:line" of the innermost line of the program that raised `error`; "" if there is none.

    Of calls without end it is the innermost one that was made more than once: in which line after it the stack was full,
    a comparison even, is chance, and another one where the program is traced.
    """
    # A text that the program compiles has no file: where it was compiled is the place.
    if isinstance(error, SyntaxError) and error.filename and error.lineno and error.filename[:1] != "<":
        return f"{error.filename}:{error.lineno}"
    lines: list[str] = []
    depth = 0
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(_INSTALLED) or not file.startswith(_OWN):
            lines.append(f"{file}:{step.tb_lineno}")
        depth += 1
        step = step.tb_next
    if isinstance(error, RecursionError) and depth * _SHARE > sys.getrecursionlimit():
        times: dict[str, int] = {}
        for line in lines:
            times[line] = times.get(line, 0) + 1
        lines = [line for line in lines if times[line] > 1] or lines
    return lines[-1] if lines else ""
