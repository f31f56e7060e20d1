"""The text of a subject's own modules, as a run would import them; nothing of it is run."""

import ast
import stat
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from probe.functions import RegionIndex

from .environments import Prepared

_MOST_BYTES = 4 << 20
_PACKAGE = "__init__"


@dataclass(frozen=True, slots=True)
class PythonModule:
    """A module's name and text; `key_at` tells the region of a line."""

    name: str
    text: str
    index: RegionIndex

    def key_at(self, line: int) -> str:
        """The key of the region that a line belongs to."""
        return self.index.key_at(line)


def python_modules(prepared: Prepared) -> Iterator[PythonModule | str]:
    """The module of the entry first, then those of the regions; of one that cannot be read its name and why, "NAME (REASON)"."""
    subject = prepared.subject
    entry = (subject.entry.callable or "").partition(":")[0]
    own = subject.entry.python_path or (() if prepared.installed else (".",))
    source = prepared.source or prepared.files
    places = [prepared.files, *(source / one for one in own)]
    places += (prepared.python.parent.parent / "lib").glob("python*/site-packages")
    roots = [place.resolve() for place in (*places, prepared.folder)]
    for name, path in _found(entry, places, deep=False):
        yield _read(name, path, roots)
    for package in subject.regions:
        for name, path in _found(package, places):
            if name != entry:
                yield _read(name, path, roots)


def _found(name: str, places: list[Path], *, deep: bool = True) -> Iterator[tuple[str, Path]]:
    """The module `name` and, if it is a package, all below it: in the first of the places that has it."""
    for place in places:
        path = place.joinpath(*name.split("."))
        if path.with_suffix(".py").is_file():
            yield name, path.with_suffix(".py")
            return
        if path.is_dir():
            inside = sorted(path.rglob("*.py")) if deep else [path / f"{_PACKAGE}.py"]
            for one in inside:
                words = [name, *one.relative_to(path).with_suffix("").parts]
                yield ".".join(words[:-1] if words[-1] == _PACKAGE else words), one
            return


def _read(name: str, path: Path, roots: list[Path]) -> PythonModule | str:
    try:
        status = path.lstat()
        # A build may have left links, and we see more than what it sees.
        is_inside = any(path.resolve().is_relative_to(root) for root in roots)
        if not (stat.S_ISREG(status.st_mode) and is_inside):
            return f"{name} (no file)"
        if status.st_size > _MOST_BYTES:
            return f"{name} (more than {_MOST_BYTES >> 20} MB)"
        with tokenize.open(path) as opened:
            text = opened.read()
        return PythonModule(name, text, RegionIndex(name, ast.parse(text)))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return f"{name} ({type(error).__name__})"
