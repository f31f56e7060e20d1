"""One process at a time measures on a machine."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from django.conf import LazySettings

from dashboard.services.jobs import machine_lock
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.machine_lock import lock_path, measuring_alone

_HOLD = """
import fcntl, sys, time
file = open(sys.argv[1])
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)
"""


class _StopAfter(StopRequest):
    """Is told to end after it was asked a few times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self._times = times

    def __getattribute__(self, name: str) -> object:
        if name != "requested":
            return super().__getattribute__(name)
        self._times -= 1
        return self._times < 0


@pytest.fixture(autouse=True)
def _own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_lock, "lock_path", lambda: tmp_path / "lock")


def test_the_lock_is_the_same_for_every_account_and_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: LazySettings
) -> None:
    """A folder for temporary files of one's own is no machine of one's own."""
    settings.MEASURING_LOCK = ""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    path = lock_path()
    assert not path.is_relative_to(tmp_path)
    assert path.parent.stat().st_mode & 0o1002 == 0o1002


def test_containers_may_name_one_that_all_of_them_see(tmp_path: Path, settings: LazySettings) -> None:
    settings.MEASURING_LOCK = str(tmp_path / "shared" / "lock")
    assert lock_path() == tmp_path / "shared" / "lock"


def test_a_worker_that_closes_its_files_to_others_leaves_the_lock_open(tmp_path: Path) -> None:
    """Else other accounts could measure nothing here any more."""
    before = os.umask(0o077)
    try:
        with measuring_alone(StopRequest(), waits=_not_needed):
            assert (tmp_path / "lock").stat().st_mode & 0o777 == 0o644
    finally:
        os.umask(before)


def _not_needed() -> None:
    pytest.fail("there is nobody to wait for")


def _hold(path: Path) -> subprocess.Popen[str]:
    path.touch()
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_worker_waits_for_the_machine_until_it_is_told_to_end(tmp_path: Path) -> None:
    """It does not take a job meanwhile."""
    with _hold(tmp_path / "lock") as holder:
        told: list[bool] = []
        with measuring_alone(_StopAfter(3), waits=lambda: told.append(True)) as lock:
            assert lock is None
        assert told == [True]
        holder.kill()


def test_the_lock_is_freed_by_kill_9(tmp_path: Path) -> None:
    """The kernel does it: no stale lock is left to be removed by hand."""
    with _hold(tmp_path / "lock") as holder:
        holder.kill()
    with measuring_alone(StopRequest(), waits=_not_needed) as lock:
        assert lock is not None


def test_the_lock_is_freed_afterwards() -> None:
    """One job after the other."""
    for _ in range(2):
        with measuring_alone(StopRequest(), waits=_not_needed) as lock:
            assert lock is not None


def test_no_link_is_followed(tmp_path: Path) -> None:
    """The folder is everybody's: a planted link must not open another file."""
    (tmp_path / "target").touch()
    (tmp_path / "lock").symlink_to(tmp_path / "target")
    with pytest.raises(OSError, match="lock"), measuring_alone(StopRequest(), waits=_not_needed):
        pass


def test_a_subject_that_outlives_its_worker_keeps_the_machine(tmp_path: Path) -> None:
    """The next measurement waits for it."""
    with measuring_alone(StopRequest(), waits=_not_needed) as lock:
        assert lock is not None
        subject = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,))
    with measuring_alone(_StopAfter(2), waits=lambda: None) as lock:
        assert lock is None
    subject.communicate(b"\n")
    with measuring_alone(StopRequest(), waits=_not_needed) as lock:
        assert lock is not None
