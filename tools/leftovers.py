"""Ending what a run of tests left running: its processes have a mark in their environment, whoever their parent is by now.

`python -m tools.leftovers MARK` waits for the end of its input. Without a last word the run was killed, and what it left is ended.
"""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_LAST_WORD = b"ended"


def end_marked(mark: str) -> list[str]:
    """Kill all processes but this one whose environment has a variable with this value; their command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            variables = (folder / "environ").read_bytes().split(b"\0")
            if int(folder.name) != os.getpid() and mark.encode() in variables:
                found.append((folder / "cmdline").read_text().replace("\0", " ").strip())
                os.kill(int(folder.name), signal.SIGKILL)
    return found


@contextlib.contextmanager
def ended_with_us(mark: str) -> Iterator[None]:
    """Have what is marked ended where this process is killed meanwhile."""
    command = [sys.executable, "-m", "tools.leftovers", mark]
    # Its own session, and no mark: what ends us does not end it.
    with subprocess.Popen(
        command, cwd=ROOT, env={}, stdin=subprocess.PIPE, start_new_session=True
    ) as watcher:
        try:
            yield
        finally:
            watcher.communicate(_LAST_WORD)


if __name__ == "__main__":
    if sys.stdin.buffer.read() != _LAST_WORD:
        end_marked(sys.argv[1])
