"""Building with counters: gcc under its own names, in front of everything else on the path, and the notes it leaves."""

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from .errors import CountingImpossible
from .pip import SEARCH_PATH
from .state import RunnerState, locked, readable_folder
from .trees import entries

# Without the second flag, small functions become parts of others before counters are put in, and have none of their own.
_FLAGS = "--coverage -fno-early-inlining"
# Adding to a counter in one step costs half as much again, and is right where threads do it together.
_THREADS = "-fprofile-update=prefer-atomic"
_NAME = re.compile(r"([\w.]+-)*(gcc|g\+\+|cc|c\+\+)(-[\d.]+)?")
_GCC = re.compile(r".*(gcc|g\+\+)(-[\d.]+)?")
_NO_GCC = (
    "gcc is not installed, whose counters tell what a program does: install it (on Debian: apt install gcc)"
)
# What gcc writes beside each object that has counters, and the file that these are written into.
NOTES, COUNTERS = ".gcno", ".gcda"
_MAGIC = b"oncg"


def counting_flags(*, threads: bool) -> str:
    """Return what gcc is told to put counters in; several `threads` may add to them."""
    return f"{_FLAGS} {_THREADS}" if threads else _FLAGS


def place_compilers(state: RunnerState, *, threads: bool) -> Path:
    """Return a folder with a program of the name of each gcc of this machine, which calls that with counters.

    It is ours: a build reads it. Raises `CountingImpossible` where there is none.
    """
    found = {
        program.name: program
        for place in reversed(SEARCH_PATH.split(":"))
        for program in (Path(place).iterdir() if Path(place).is_dir() else ())
        if _NAME.fullmatch(program.name) and _GCC.fullmatch(program.resolve().name)
    }
    if not found:
        raise CountingImpossible(_NO_GCC)
    flags = counting_flags(threads=threads)
    scripts = {name: f'#!/bin/sh\nexec "{program}" {flags} "$@"\n' for name, program in found.items()}
    digest = hashlib.sha256(json.dumps(scripts, sort_keys=True).encode()).hexdigest()
    folder = readable_folder(state.folder("compilers") / digest[:24])
    with locked(folder):
        for name, script in scripts.items():
            if not (folder / name).exists():
                part = folder / f".{name}"
                part.write_text(script, encoding="utf-8")
                part.chmod(0o755)
                part.replace(folder / name)
    return folder


def notes_of(folder: Path) -> tuple[str, ...]:
    """Return the paths of the notes of all objects below `folder`, after what programs counted in a build is removed."""
    files = [entry for entry in entries(folder) if entry.is_file(follow_symlinks=False)]
    for file in files:
        if file.name.endswith(COUNTERS):
            Path(file.path).unlink()
    return tuple(sorted(file.path for file in files if file.name.endswith(NOTES)))


def gcov_of(notes: Sequence[str]) -> str:
    """Return the path of the gcov that reads these notes: of the same version as gcc, where there is one.

    Without notes the one that is there. Raises `CountingImpossible`.
    """
    names = ["gcov"]
    if notes:
        with Path(notes[0]).open("rb") as file:
            magic, version = file.read(4), file.read(4)[::-1]
        if magic == _MAGIC and version[:1].isupper() and version[1:2].isdigit():
            names.insert(0, f"gcov-{10 * (version[0] - ord('A')) + int(version[1:2])}")
    found = next(filter(None, (shutil.which(name, path=SEARCH_PATH) for name in names)), None)
    if found is None:
        raise CountingImpossible(_NO_GCC.replace("gcc", "gcov, a part of gcc,", 1))
    return found
