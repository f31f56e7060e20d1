"""Make `.venv` hold what a lock file names; run by `bootstrap.py`.

Standard library only: it runs before anything is installed. A second call compares one hash and does nothing.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# Stands while `.venv` is being changed: whoever finds it starts anew, as an interrupted installer leaves halves.
UNFINISHED = VENV / "perfatlas-unfinished"
# What one lock brings along: those with extras hold every pin of the first one.
CONTAINS = {
    "requirements-dev.txt": ("requirements-dev.txt", "requirements-sso.txt", "requirements.txt"),
    "requirements-sso.txt": ("requirements-sso.txt", "requirements.txt"),
}
# Wheels of this package exist for few systems; elsewhere it may be built. All others must be wheels.
MAY_BE_BUILT = {"gpy"}


class BootstrapError(Exception):
    """The virtual environment cannot be made; the message is one line for a person."""


def stamp(lock: str) -> Path:
    """The file whose text is the hash of the installed lock."""
    return VENV / f"installed-{lock}.sha256"


def wanted(lock: str) -> str:
    """What the stamp of an up-to-date environment says: the hash of the lock, the version of Python."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return f"{hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()} {version}\n"


def is_current(lock: str) -> bool:
    """Whether `.venv` was made for this lock and this Python, and was not interrupted."""
    if UNFINISHED.exists() or not PYTHON.exists():
        return False
    try:
        return stamp(lock).read_text() == wanted(lock)
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let one `make` at a time change `.venv`; another one waits here and then finds the work done."""
    folder = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _is_usable() -> bool:
    """Whether `.venv` has a living Python of our version, with pip."""
    if UNFINISHED.exists() or not PYTHON.exists():
        return False
    script = "import sys, pip; print(sys.version_info[:2])"
    answer = subprocess.run([PYTHON, "-c", script], capture_output=True, text=True, check=False)
    return answer.returncode == 0 and answer.stdout.strip() == str(sys.version_info[:2])


def _create() -> None:
    print("Making .venv ...", flush=True)
    if VENV.is_symlink():
        raise BootstrapError(f"{VENV} is a link: remove it, then start again")
    shutil.rmtree(VENV, ignore_errors=True)
    VENV.mkdir()
    UNFINISHED.touch()
    made = subprocess.run(
        [sys.executable, "-m", "venv", VENV], capture_output=True, text=True, check=False, cwd=ROOT
    )
    if made.returncode:
        said = (made.stdout + made.stderr).strip()
        if "ensurepip" in said:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise BootstrapError(
                f"this Python cannot make virtual environments: install python{version}-venv "
                "(Debian, Ubuntu) or name another one by `make PYTHON=...`"
            )
        raise BootstrapError(f"`{sys.executable} -m venv` failed: {said}")


def _names(lock: str) -> list[str]:
    return [line.split("==")[0] for line in (ROOT / lock).read_text().splitlines() if "==" in line]


def _install(lock: str) -> None:
    """Run pip quietly with a count of packages; its whole output is shown only if it fails."""
    names = _names(lock)
    wheels = ",".join(name for name in names if name not in MAY_BE_BUILT)
    # The lock names every package: pip need not resolve. Byte code is compiled when first imported.
    flags = ["--require-hashes", "--no-deps", "--no-compile", "--no-input", "--only-binary", wheels]
    pip_install = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install"]
    command = [*pip_install, *flags, "-r", str(ROOT / lock)]
    environment = {**os.environ, "PIP_USER": "0", "PYTHONUNBUFFERED": "1"}
    started_at = time.monotonic()
    output: list[str] = []
    pip = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=ROOT
    )
    with pip:
        done = 0
        for line in pip.stdout or ():
            output.append(line)
            if line.startswith(("Collecting ", "Requirement already satisfied")):
                done += 1
                _progress(lock, done, len(names))
    if pip.returncode:
        raise BootstrapError(f"{''.join(output[-30:])}\npip could not install {lock}: see above")
    _progress(lock, len(names), len(names), end=f" in {time.monotonic() - started_at:.0f} s\n")


def _progress(lock: str, done: int, total: int, end: str = "") -> None:
    if end or sys.stdout.isatty():
        start = "\r" if sys.stdout.isatty() else ""
        print(f"{start}Installing {lock}: {done} of {total} packages", end=end, flush=True)


def bootstrap(lock: str) -> None:
    """Bring `.venv` to the state of the lock. Raises `BootstrapError`."""
    if is_current(lock):
        return
    with alone():
        if is_current(lock):
            return
        if not _is_usable():
            _create()
        UNFINISHED.touch()
        if not sys.stdout.isatty():
            print(f"Installing {lock} into .venv (less than a minute on a good line) ...", flush=True)
        _install(lock)
        for name in CONTAINS.get(lock, (lock,)):
            stamp(name).write_text(wanted(name))
        UNFINISHED.unlink()


if __name__ == "__main__":
    try:
        bootstrap(sys.argv[1])
    except KeyboardInterrupt:
        sys.exit("\nInterrupted: the next call starts .venv anew.")
    except BootstrapError as error:
        sys.exit(str(error))
    except OSError as error:
        sys.exit(f"Cannot make {VENV}: {error}")
