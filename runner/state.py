"""The folder in which the runner keeps what it builds, and the user that subjects run as."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import shutil
import stat
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import IsolationImpossible, MachineBusy

if TYPE_CHECKING:
    from collections.abc import Iterator

UNPRIVILEGED = "nobody"
# Kept over a restart of the machine, and open to every user on every Unix.
_COMMON = Path("/var/tmp")  # noqa: S108 - the folder made in it is refused unless it is ours


@dataclass(frozen=True, slots=True)
class User:
    """The user that subjects run as where we are root."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class State:
    """Where environments, copies of subjects and scratch folders are; `user` is None unless we are root."""

    root: Path
    user: User | None

    def folder(self, name: str) -> Path:
        """Return a folder of ours that everybody may read, made if need be."""
        folder = self.root / name
        folder.mkdir(mode=0o755, exist_ok=True)
        folder.chmod(0o755)
        return folder

    def give(self, path: Path) -> None:
        """Hand `path` and all that is in it to the subject's user."""
        if self.user is not None:
            _own(path, self.user.uid, self.user.gid)

    def take(self, path: Path) -> None:
        """Take `path` and all that is in it back: the subject's user can read it, not change it."""
        if self.user is not None:
            _own(path, os.getuid(), os.getgid())

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield an empty folder that belongs to the subject's user; it is gone afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="run-", dir=self.folder("scratch")))
        try:
            self.give(folder)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def open_state(folder: Path, *, user: str = UNPRIVILEGED) -> State:
    """Return the state kept in `folder`, which is made if need be.

    As root, subjects run as the user named `user`. Where that user cannot reach `folder`, a folder under
    /var/tmp takes its place, named after it. Raises `IsolationImpossible` where neither is possible.
    """
    folder = folder.resolve()
    if os.getuid() != 0:
        folder.mkdir(parents=True, exist_ok=True)
        return State(folder, None)
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        message = f"there is no user '{user}' to run subjects as: create it, or do not run as root"
        raise IsolationImpossible(message) from None
    subject_user = User(user, entry.pw_uid, entry.pw_gid)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    if not reachable(folder):
        folder = _common(folder)
    return State(folder, subject_user)


def reachable(path: Path) -> bool:
    """Whether every user may enter `path` and all folders above it."""
    return all(place.stat().st_mode & stat.S_IXOTH for place in (path, *path.parents))


@contextmanager
def measuring_lock(state: State) -> Iterator[int]:
    """Hold this machine's one measuring lock; yields its descriptor. Raises `MachineBusy` where it is held.

    Processes that inherit the descriptor keep the lock: a subject that outlives its worker still holds it.
    """
    path = state.root / "measuring.lock"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        message = f"another measurement runs on this machine and holds {path}: wait for it, or cancel it"
        raise MachineBusy(message) from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process of ours makes `folder`, and keep others from it meanwhile."""
    descriptor = os.open(folder.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _common(folder: Path) -> Path:
    """Return our folder under /var/tmp for a `folder` that only we can enter."""
    place = _COMMON / f"perfatlas-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
    place.mkdir(mode=0o755, exist_ok=True)
    found = place.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        message = f"{place} belongs to somebody else, so subjects cannot be kept there: remove it"
        raise IsolationImpossible(message)
    place.chmod(0o755)
    return place


def _own(path: Path, uid: int, gid: int) -> None:
    os.chown(path, uid, gid, follow_symlinks=False)
    for folder, folders, files in os.walk(path):
        for name in (*folders, *files):
            # Links are not followed: one that points elsewhere must not give that place away.
            os.chown(Path(folder, name), uid, gid, follow_symlinks=False)
