"""The Python interpreter that environments are made with, made reachable for the subject's user."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .errors import IsolationImpossible
from .state import RunnerState, locked, reachable

# What a program at work never needs of an installation; the test-suite alone is a third of it.
_LEFT_OUT = (
    "test",
    "tests",
    "site-packages",
    "dist-packages",
    "idlelib",
    "turtledemo",
    "config-*",
)
_ASK = """
import json, platform, sys, sysconfig
print(json.dumps([sys.base_prefix, getattr(sys, '_base_executable', sys.executable), sysconfig.get_path('stdlib'),
    sysconfig.get_path('platstdlib'), sysconfig.get_path('include'),
    platform.python_implementation() + ' ' + platform.python_version(), sys.version]))
"""
_COMPLETE = "complete"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """An interpreter: executable, name such as "CPython 3.11.7", full version, the variables it needs to start."""

    executable: Path
    name: str
    version: str
    environment: dict[str, str]

    @property
    def identity(self) -> str:
        """A short name for exactly this interpreter, for folders made with it."""
        return hashlib.sha256(os.fsencode(f"{self.executable}\0{self.version}")).hexdigest()[:16]


def interpreter(state: RunnerState, name: str | None = None) -> Interpreter:
    """Return the interpreter `name` (a command or path; None: the one we run on), usable by the subject's user.

    An installation in a folder that only we can enter (as pyenv and uv make in a home directory) is copied into
    the state, once. Raises `IsolationImpossible` where it does not exist or its copy does not start.
    """
    command = sys.executable if name is None else shutil.which(name)
    if command is None:
        message = f"there is no interpreter '{name}': install it, or change install.python in subject.toml"
        raise IsolationImpossible(message)
    try:
        # What another name stands for may change unseen, as where a version manager stands behind it.
        told = _told(command) if name else _told_once(command, Path(command).stat().st_mtime_ns)
    except (OSError, subprocess.CalledProcessError) as error:
        message = f"{command} is not a working Python interpreter ({error}): change install.python"
        raise IsolationImpossible(message) from error
    prefix, executable, *libraries, title, version = told
    installed = Interpreter(Path(executable).resolve(), title, version, {})
    if state.user is None or reachable(installed.executable.parent):
        return installed
    root = Path(prefix).resolve()
    identity = f"{root}\0{installed.executable}\0{version}"
    copy = state.folder("interpreters") / hashlib.sha256(os.fsencode(identity)).hexdigest()[:16]
    with locked(copy):
        if not (copy / _COMPLETE).exists():
            _copy(installed, root, [Path(library).resolve() for library in libraries], copy)
            (copy / _COMPLETE).touch()
    return Interpreter(
        copy / "bin" / installed.executable.name,
        title,
        version,
        # A shared libpython is looked for at its old place first, which the user cannot enter.
        {"LD_LIBRARY_PATH": str(copy / "lib")},
    )


def _told(command: str) -> list[str]:
    """What an interpreter says of itself. Raises `OSError` and `CalledProcessError`."""
    asked = subprocess.run([command, "-I", "-c", _ASK], capture_output=True, check=True, text=True)
    return [str(one) for one in json.loads(asked.stdout)]


@functools.cache
def _told_once(command: str, _changed_at: int) -> list[str]:
    """The same of the one that we run on, wanted for every run: asked once, and again when its file has changed."""
    return _told(command)


def _copy(installed: Interpreter, prefix: Path, libraries: Sequence[Path], place: Path) -> None:
    """Copy executable, standard library, headers and libpython to the same places under `place`."""
    shutil.rmtree(place, ignore_errors=True)
    (place / "bin").mkdir(parents=True)
    shutil.copy2(installed.executable, place / "bin")
    for library in dict.fromkeys(libraries):
        if library.is_dir() and library.is_relative_to(prefix):
            target = place / library.relative_to(prefix)
            shutil.copytree(library, target, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT_OUT))
    for shared in (prefix / "lib").glob("libpython*.so*"):
        shutil.copy2(shared, place / "lib", follow_symlinks=False)
    for folder in (place, *(path for path in place.rglob("*") if path.is_dir() and not path.is_symlink())):
        folder.chmod(0o755)
