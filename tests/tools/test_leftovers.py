"""What a run of tests left running when it was killed."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tools.leftovers import ROOT

# A test that starts a program in a session of its own, tells its id and waits.
_STARTS = """
import subprocess, sys, time
from pathlib import Path

def test_it():
    started = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    Path({told!r}).write_text(str(started.pid))
    time.sleep({seconds})
"""


def _begun(folder: Path, seconds: float) -> tuple[subprocess.Popen[bytes], int]:
    """A pytest of its own, under the rules of this one, and the program that its test has started."""
    told = folder / "told"
    place = folder / "test_starts.py"
    place.write_text(_STARTS.format(told=str(told), seconds=seconds))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.killed",
        "-p",
        "no:cacheprovider",
        str(place),
    ]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (told.is_file() and told.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    return process, int(told.read_text())


def _runs(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"sleep(600)" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def test_what_tests_started_ends_where_pytest_is_killed(tmp_path: Path) -> None:
    process, started = _begun(tmp_path, seconds=600)
    assert _runs(started)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60
    while _runs(started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(started)


def test_where_pytest_ends_by_itself_what_is_left_is_told_by_others(tmp_path: Path) -> None:
    process, started = _begun(tmp_path, seconds=0)
    assert process.wait(timeout=120) == 0
    assert _runs(started)
    os.kill(started, signal.SIGKILL)
