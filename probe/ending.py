"""Tells where a program came to its end, also where it can say no more: it was killed, hangs, or left without a word.

The stacks of all threads are written into a file by `faulthandler`, which needs neither the interpreter nor the
program's own channels: on a fatal signal, on `ASKED`, and before `os._exit` or a signal to itself ends the process.
"""

from __future__ import annotations

import faulthandler
import os
import signal
from functools import wraps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# What asks a program where it is: its default ends the process, which is not there to be asked then.
ASKED = getattr(signal, "SIGRTMAX", signal.SIGTERM) - 1
_ENDINGS = tuple(
    getattr(signal, name)
    for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)
# Of these folders, no line is the program's; installed packages lie below the second one.
_OWN = (os.path.dirname(__file__) + os.sep, os.path.dirname(os.__file__) + os.sep, "<")  # noqa: PTH120 - see driver
_INSTALLED = os.path.join(_OWN[1], "site-packages") + os.sep  # noqa: PTH118


def watch(path: str) -> None:
    """Have the stacks written into the file `path` when this process ends before its time, or is asked."""
    file = open(path, "wb", buffering=0)  # noqa: PTH123, SIM115 - open for as long as the process lives
    process = os.getpid()
    faulthandler.enable(file)
    faulthandler.register(ASKED, file)
    for number in _ENDINGS:
        faulthandler.register(number, file, all_threads=False, chain=True)

    def telling(function: Callable[..., Any], ends: Callable[..., bool]) -> Callable[..., Any]:
        @wraps(function)
        def told(*args: Any, **kwargs: Any) -> Any:
            if os.getpid() == process and ends(*args, **kwargs):
                faulthandler.dump_traceback(file, all_threads=False)
            return function(*args, **kwargs)

        return told

    # Of these two ways to end, no signal handler hears.
    os._exit = telling(os._exit, lambda *_, **__: True)
    os.kill = telling(os.kill, lambda pid=0, *_, **__: pid in (process, 0, -1))


def place(error: BaseException) -> str:
    """Return the path and line, "file:line", of the innermost line of the program that raised `error`; "" if there is none."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{error.filename}:{error.lineno}"
    found = ""
    step = error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith(_INSTALLED) or not file.startswith(_OWN):
            found = f"{file}:{step.tb_lineno}"
        step = step.tb_next
    return found
