"""Folders that others filled: gone through and removed whatever is in them, links and folders without end included."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from .errors import FilesRefused

# Programs come nowhere near it, and what goes down a tree step by step gets no further than about a thousand.
DEEPEST = 200


def entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield all that is below `folder`; no link is followed, not even `folder` itself, and what goes meanwhile is left out.

    Raises `FilesRefused` for folders nested deeper than `DEEPEST`.
    """
    rest = [] if folder.is_symlink() else [(str(folder), 0)]
    while rest:
        place, depth = rest.pop()
        if depth > DEEPEST:
            message = f"folders are nested more than {DEEPEST} deep in {folder}"
            raise FilesRefused(message)
        try:
            found = list(os.scandir(place))
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                rest.append((entry.path, depth + 1))
            yield entry


def remove(folder: Path) -> None:
    """Remove `folder` with all that is in it, as far as we may. Nobody else writes there any more."""
    with suppress(OSError, RecursionError):
        shutil.rmtree(folder)
    if folder.is_symlink() or not folder.exists():
        return
    # A program closed folders to itself, or nested them deeper than a path reaches: each one is brought up and emptied.
    name, brought = secrets.token_hex(8), 0
    rest = [folder]
    while rest:
        place = rest.pop()
        with suppress(OSError):
            for entry in list(os.scandir(_opened(place))):
                with suppress(OSError):
                    if not entry.is_dir(follow_symlinks=False):
                        Path(entry.path).unlink()
                        continue
                    brought += 1
                    rest.append(_opened(Path(entry.path)).rename(folder / f"{name}-{brought}"))
            if place != folder:
                place.rmdir()
    with suppress(OSError):
        folder.rmdir()


def _opened(folder: Path) -> Path:
    """Return a folder that its owner, if we are that, may go through and move."""
    if os.getuid() != 0:
        folder.chmod(0o700)
    return folder
