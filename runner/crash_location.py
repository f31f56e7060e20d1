"""Where a program came to its end, "file:line": from the stacks that it left, or from what it printed."""

from __future__ import annotations

import os
import re
import stat
from pathlib import PurePath
from typing import TYPE_CHECKING

from .sources import PROBE_NAME

if TYPE_CHECKING:
    from pathlib import Path

_LARGEST = 256 * 1024
# A stack of `faulthandler`: a head for each thread, and its frames, the innermost first.
_HEAD = re.compile(r"^(.*) \(most recent call first\):$", re.MULTILINE)
_FRAME = re.compile(r'^  File "([^"]+)", line (\d+) in ', re.MULTILINE)
_RAISED = re.compile(r'File "([^"]+)", line (\d+)')
# Lines of the standard library and of the probe are not the program's.
_OTHERS = re.compile(rf"^<|/python3\.\d+/(?!site-packages/)|/{PROBE_NAME}/")


def shortened(place: str) -> str:
    """Return "file:line" without the folders of the file."""
    file, colon, line = place.rpartition(":")
    return f"{PurePath(file).name}{colon}{line}"[:200]


def place_in_output(output: str) -> str:
    """Return the last place that a program named in its output, as tracebacks do; "" where it named none."""
    found = _RAISED.findall(output)
    return shortened(":".join(found[-1])) if found else ""


def place_in_stacks(file: Path) -> str:
    """Return where the program was when it wrote its stacks into `file`; "" where it wrote none.

    The thread that was running counts, and the last stack; another thread where that has no line of the program. The
    file is the program's: anything may be in it.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return ""
    with os.fdopen(descriptor, "rb") as opened:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return ""
        opened.seek(max(0, status.st_size - _LARGEST))
        text = opened.read(_LARGEST).decode("utf-8", "replace")
    _, *parts = _HEAD.split(text)
    stacks = list(zip(parts[::2], parts[1::2], strict=True))[::-1]
    running = [frames for head, frames in stacks if not head.startswith("Thread ")]
    for frames in (*running, *(frames for head, frames in stacks if head.startswith("Thread "))):
        for name, line in _FRAME.findall(frames):
            if not _OTHERS.search(name):
                return shortened(f"{name}:{line}")
    return ""
