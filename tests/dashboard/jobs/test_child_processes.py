"""Children are started again when they die, and none outlives its parent."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboard.services.serving.child_processes import Child, end_all
from tests.dashboard.jobs.processes import ROOT, is_running, wait_until

# A child with a child of its own that both ignore SIGTERM; it writes both ids once that is so.
_STUBBORN = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
other = os.fork()
if other:
    with open(sys.argv[1] + ".part", "w") as file:
        file.write(f"{os.getpid()} {other}")
    os.rename(sys.argv[1] + ".part", sys.argv[1])
time.sleep(600)
"""
_PARENT = """
import sys, time
from dashboard.services.serving.child_processes import Child
Child("stubborn", [sys.executable, "-c", sys.argv[1], sys.argv[2]], {}).start()
time.sleep(600)
"""


def _pids(file: Path) -> list[int]:
    wait_until(file.exists, "the child wrote its ids")
    return [int(pid) for pid in file.read_text().split()]


@pytest.fixture
def stubborn(tmp_path: Path) -> Iterator[Child]:
    """A child that ignores SIGTERM and has a child that does so, too."""
    arguments = [sys.executable, "-c", _STUBBORN, str(tmp_path / "pids")]
    child = Child("a child", arguments, dict(os.environ))
    child.start()
    yield child
    child.kill()


def test_children_that_hang_are_killed_with_what_they_started(stubborn: Child, tmp_path: Path) -> None:
    """After the grace nobody of the group is left."""
    pids = _pids(tmp_path / "pids")
    end_all([stubborn], grace_seconds=0.1, hurry=lambda: False)
    wait_until(lambda: not any(is_running(pid) for pid in pids), "all are gone")
    assert stubborn.pid is None


def test_a_second_wish_to_end_does_not_wait(stubborn: Child, tmp_path: Path) -> None:
    """Ctrl-C twice kills at once, whatever the grace."""
    pids = _pids(tmp_path / "pids")
    end_all([stubborn], grace_seconds=10_000.0, hurry=lambda: True)
    wait_until(lambda: not any(is_running(pid) for pid in pids), "all are gone")


def test_a_killed_parent_leaves_no_child(tmp_path: Path) -> None:
    """The kernel ends the child, even one that ignores signals, when its parent is killed."""
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, _STUBBORN, str(tmp_path / "pids")], cwd=ROOT)
    child, grandchild = _pids(tmp_path / "pids")
    parent.kill()
    parent.wait()
    wait_until(lambda: not is_running(child), "the child is gone")
    os.kill(grandchild, 9)  # what a child starts is its own to look after


def test_a_dead_child_is_started_again_after_a_growing_wait() -> None:
    """Half a second first, twice as long each time it dies young, never more than half a minute."""
    clock = [0.0]
    child = Child("a child", [sys.executable, "-c", ""], dict(os.environ), clock=lambda: clock[0])
    child.start()
    waits = []
    for _ in range(8):
        wait_until_dead(child)
        began = clock[0]
        while not child.tend():
            clock[0] += 0.25
        waits.append(clock[0] - began)
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]
    wait_until_dead(child)
    clock[0] += 100.0  # as if it had lived so long
    began = clock[0]
    while not child.tend():
        clock[0] += 0.25
    assert clock[0] - began == 0.5
    child.kill()


def test_a_living_child_is_left_alone(stubborn: Child) -> None:
    """Tending starts no second one."""
    pid = stubborn.pid
    assert not stubborn.tend()
    assert stubborn.pid == pid


def wait_until_dead(child: Child) -> None:
    """Wait for the end of a child that ends by itself."""
    assert child._process is not None
    child._process.wait()
