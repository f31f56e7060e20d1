"""One measuring job at a time on one machine, however many workers and installations run there."""

import fcntl
import os
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from dashboard.services.jobs.context import StopRequest

_WAIT_SECONDS = 0.2


# Folders that every account may write, and that no service has for itself as it may have /tmp.
_COMMON_FOLDERS = ("/run/lock", "/dev/shm", "/var/tmp")  # noqa: S108 -- a link in it is not followed, nothing is written


def lock_path() -> Path:
    """The lock's file: the same for every installation and account on the machine, wherever their own TMPDIR is.

    Containers have folders of their own: there the setting names a file that all of them see.
    """
    if settings.MEASURING_LOCK:
        return Path(settings.MEASURING_LOCK)
    present = (path for path in map(Path, _COMMON_FOLDERS) if path.is_dir())
    common = (path for path in present if path.stat().st_mode & stat.S_IWOTH)
    return next(common, Path(tempfile.gettempdir())) / "perfatlas-measuring.lock"


@contextmanager
def measuring_alone(stop: StopRequest, *, waits: Callable[[], object]) -> Iterator[int | None]:
    """Wait until nobody else measures on this machine; the lock's descriptor. None if the worker had to end first.

    `waits` is called once if there is somebody to wait for. The kernel frees the lock when its holder dies; a subject
    that inherits the descriptor holds it, too, should it outlive its worker.
    """
    file = _open(lock_path())
    try:
        is_held = is_waiting = False
        while not is_held and not stop.requested:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not is_waiting:
                    waits()
                is_waiting = True
                time.sleep(_WAIT_SECONDS)
            else:
                is_held = True
        yield file if is_held else None
    finally:
        os.close(file)


def _open(path: Path) -> int:
    # Another account may own the file: reading rights are enough for the lock, and a link is not followed.
    while True:
        try:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            try:
                made = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644)
            except FileExistsError:
                continue
            # A worker whose own files are closed to others leaves this one open to them all the same.
            os.fchmod(made, 0o644)
            return made
