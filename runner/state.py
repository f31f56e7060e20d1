"""The folder in which the runner keeps what it builds, and the user that subjects run as."""

import fcntl
import hashlib
import json
import os
import pwd
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from .errors import IsolationImpossible
from .trees import entries, remove

UNPRIVILEGED = "nobody"
# Kept over a restart of the machine, and open to every user on every Unix.
_COMMON = Path("/var/tmp")  # noqa: S108 - the folder made in it is refused unless it is ours
_SCRATCH = "run-"
# Beside a scratch folder: what is /tmp for whom it belongs to.
TEMPORARY = "tmp"
# Longer than pip takes to list the releases of a package, which may be done while another job measures.
_SCRATCH_SECONDS = 3600.0

Sandboxing = Literal["auto", "required", "off"]


@dataclass(frozen=True, slots=True)
class RunnerState:
    """Where environments, copies of subjects and scratch folders are.

    `user` is the account that subjects run as where we are root, else None. `sandboxing` says whether they run in a sandbox:
    where there is one, always (or not at all), or never.
    """

    root: Path
    user: pwd.struct_passwd | None
    sandboxing: Sandboxing = "auto"

    def folder(self, name: str) -> Path:
        """Return a folder of ours that everybody may read, made if need be."""
        return readable_folder(self.root / name)

    def give(self, path: Path) -> None:
        """Hand `path` and all that is in it to the subject's user. Raises `FilesRefused`."""
        if self.user is not None:
            _own(path, self.user.pw_uid, self.user.pw_gid)

    def take(self, path: Path) -> None:
        """Take `path` and all that is in it back: the subject's user can read it, not change it. Raises `FilesRefused`."""
        if self.user is None:
            # Looked through all the same: what goes through it later relies on its depth.
            for _ in entries(path):
                pass
            return
        _own(path, os.getuid(), os.getgid())
        # Whatever umask a file was made with.
        for place in (path, *(Path(entry.path) for entry in entries(path))):
            with suppress(FileNotFoundError):
                mode = place.lstat().st_mode
                if stat.S_ISDIR(mode):
                    place.chmod(0o755)
                elif stat.S_ISREG(mode):
                    place.chmod(0o755 if mode & stat.S_IXUSR else 0o644)

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Yield an empty folder that belongs to the subject's user, as does `TEMPORARY` beside it; both are gone afterwards."""
        place = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=self.folder("scratch")))
        try:
            place.chmod(0o755)
            folders = place / "home", place / TEMPORARY
            for folder in folders:
                folder.mkdir(mode=0o700)
                self.give(folder)
            yield folders[0]
        finally:
            remove(place)

    def clear_scratch(self) -> None:
        """Remove what runs of killed workers left. Call it with the machine for itself: listing releases is all that goes on."""
        oldest = time.time() - _SCRATCH_SECONDS
        for folder in self.folder("scratch").glob(f"{_SCRATCH}*"):
            with suppress(FileNotFoundError):
                if folder.lstat().st_mtime < oldest:
                    remove(folder)


def readable_folder(folder: Path) -> Path:
    """Return `folder`, made if need be, so that everybody may read it whatever our own umask is."""
    folder.mkdir(mode=0o755, exist_ok=True)
    folder.chmod(0o755)
    return folder


def write_whole(file: Path, value: object) -> None:
    """Write `value` into `file` as JSON; whoever reads meanwhile finds what was there, or all of it."""
    part = file.with_name(f"{file.name}.{os.getpid()}")
    part.write_text(json.dumps(value), encoding="utf-8")
    part.replace(file)


def open_state(folder: Path, *, user: str = UNPRIVILEGED, sandboxing: Sandboxing = "auto") -> RunnerState:
    """Return the state kept in `folder`, which is made if need be.

    As root, subjects run as the user named `user`. Where that user cannot reach `folder`, a folder under
    /var/tmp takes its place, named after it. Raises `IsolationImpossible` where neither is possible.
    """
    folder = folder.resolve()
    if os.getuid() != 0:
        folder.mkdir(parents=True, exist_ok=True)
        return RunnerState(folder, None, sandboxing)
    try:
        entry = pwd.getpwnam(user)
    except KeyError:
        message = f"there is no user '{user}' to run subjects as: create it, or do not run as root"
        raise IsolationImpossible(message) from None
    for parent in reversed([place for place in folder.parents if not place.exists()]):
        # Entered by everybody, listed by us alone.
        parent.mkdir()
        parent.chmod(0o711)
    readable_folder(folder)
    if not reachable(folder):
        # A folder that only we can enter.
        folder = _COMMON / f"perfatlas-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]}"
        folder.mkdir(mode=0o755, exist_ok=True)
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            message = f"{folder} belongs to somebody else, so subjects cannot be kept there: remove it"
            raise IsolationImpossible(message)
        folder.chmod(0o755)
    return RunnerState(folder, entry, sandboxing)


def reachable(path: Path) -> bool:
    """Whether every user may enter `path` and all folders above it."""
    return all(place.stat().st_mode & stat.S_IXOTH for place in (path, *path.parents))


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Wait until no other process of ours makes `folder`, and keep others from it meanwhile."""
    descriptor = os.open(folder.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _own(path: Path, uid: int, gid: int) -> None:
    os.chown(path, uid, gid, follow_symlinks=False)
    for entry in entries(path):
        # Links are not followed: one that points elsewhere must not give that place away.
        with suppress(FileNotFoundError):
            os.chown(entry.path, uid, gid, follow_symlinks=False)
