"""How much disk the files of a command take, looked at while it runs without costing it time."""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

LOOKING_SECONDS = 0.25
# A full look at all files comes no sooner than this, and takes no more than such a share of a core.
_AT_LEAST_SECONDS, _SHARE = 1.0, 0.02
# A file without content takes a place, too.
_LEAST_BYTES = 4096
_BLOCK = 512


class DiskUse:
    """Watches that all files below `folders` together take at most `limit` bytes.

    Looking at every file takes time. So most looks ask the file system alone how much less room it has than before, and
    the files are counted where that could be this command's doing, or now and then.
    """

    def __init__(self, folders: Sequence[str], limit: int, processes: Callable[[], Iterable[int]]) -> None:
        """Begin. `processes` tells those of the command: they may have open files without a name."""
        self._folders, self._limit, self._processes = folders, limit, processes
        self._first = self._free = self._room()
        self._counted, self._blind = 0, False
        self._look = self._count = time.monotonic() + LOOKING_SECONDS

    def is_exceeded(self, *, at_last: bool = False) -> bool:
        """Whether more is used than allowed; `at_last` counts all files in any case."""
        began = time.monotonic()
        if not at_last:
            if began < self._look:
                return False
            self._look = began + LOOKING_SECONDS
            lost = max(0, self._free - self._room())
            if self._counted + lost <= self._limit and began < self._count:
                return False
        self._free, self._blind = self._room(), False
        self._counted = sum(self._named(folder) for folder in self._folders) + self._unnamed()
        if self._blind:
            # What cannot be looked at is told by the file system, which others use as well.
            self._counted = max(self._counted, self._first - self._free)
        took = time.monotonic() - began
        self._count = began + max(_AT_LEAST_SECONDS, took / _SHARE)
        return self._counted > self._limit

    def _room(self) -> int:
        """The free bytes of the file systems that hold the folders, each once."""
        found: dict[int, int] = {}
        for folder in self._folders:
            try:
                told = os.statvfs(folder)
            except OSError:
                continue
            found[told.f_fsid] = told.f_bfree * told.f_frsize
        return sum(found.values())

    def _named(self, folder: str) -> int:
        """The bytes of all that has a name in `folder`; links are not followed, and count as what they are."""
        used: dict[int, int] = {}
        rest = [folder]
        while rest:
            place = rest.pop()
            try:
                entries = list(os.scandir(place))
            except OSError as error:
                self._blind |= not isinstance(error, FileNotFoundError)
                continue
            for entry in entries:
                try:
                    status = entry.stat(follow_symlinks=False)
                    is_folder = entry.is_dir(follow_symlinks=False)
                except OSError as error:
                    # One that goes while we look takes no place; one whose path is too long is hidden from us.
                    self._blind |= not isinstance(error, FileNotFoundError)
                    continue
                # By its number: a file may have several names.
                used[status.st_ino] = max(_LEAST_BYTES, status.st_blocks * _BLOCK)
                if is_folder:
                    rest.append(entry.path)
        return sum(used.values())

    def _unnamed(self) -> int:
        """The bytes of files that were deleted and are still open."""
        used: dict[tuple[int, int], int] = {}
        for pid in self._processes():
            try:
                opened = list(Path(f"/proc/{pid}/fd").iterdir())
            except (FileNotFoundError, ProcessLookupError):
                continue
            except OSError:
                self._blind = True
                continue
            for descriptor in opened:
                try:
                    status = descriptor.stat()
                except OSError:
                    continue
                if status.st_nlink == 0:
                    used[status.st_dev, status.st_ino] = status.st_blocks * _BLOCK
        return sum(used.values())
