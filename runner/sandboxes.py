"""The sandbox in which commands of subjects run on Linux: namespaces that bubblewrap makes, with no more in sight than needed."""

import os
import platform
import re
import shutil
import stat
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from pwd import struct_passwd
from typing import Any

from .errors import IsolationImpossible
from .interpreters import Interpreter, interpreter
from .sources import kept_copy
from .state import TEMPORARY, RunnerState, locked, readable_folder
from .subject_files import folder_digest

# What everybody on a machine may read: programs, libraries, settings, and what the kernel tells of the hardware. Not /opt,
# /home, /srv, /var, /run: there lies what is somebody's.
_SYSTEM = ("/usr", "/etc", "/sys", "/nix/store", "/gnu/store")
_LINKED = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
# From this version on Linux counts the processes of a user within their own namespace.
_COUNTS_PROCESSES = (5, 14)
_TRYING_SECONDS = 20.0
_START = "import sys; sys.path.append(sys.argv[1]); from supervision import supervisor; supervisor.main()"


@dataclass(frozen=True, slots=True)
class Reach:
    """What a command may reach besides the system's own programs.

    `scratch` is its empty folder, of `RunnerState.scratch`. What it leaves in `writable` counts as its disk use, what it
    leaves in `shared` does not. Without `network` there is nobody to reach, not even this machine; without `namespaces` it
    makes no user namespace of its own. Without a `sandbox` the command's account alone says what it reaches.
    """

    scratch: Path
    readable: tuple[Path, ...] = ()
    writable: tuple[Path, ...] = ()
    shared: tuple[Path, ...] = ()
    network: bool = False
    namespaces: bool = False
    sandbox: "Sandbox | None" = None

    @property
    def watched(self) -> tuple[Path, ...]:
        """The folders whose content counts; that of /tmp lies beside the scratch folder."""
        return (self.scratch.parent, *self.writable)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """The sandbox that works on this machine: bubblewrap's `program` and `version`, and what its supervisor runs with.

    `system` are the arguments that are the same for every command; `hidden` is what stays out of sight also where a
    folder above it is readable. `closes_namespaces`: it can keep commands from making user namespaces of their own, in which
    they would be root and reach more of the kernel.
    """

    program: str
    version: str
    python: Interpreter
    supervision: Path
    system: tuple[str, ...]
    hidden: Path
    counts_processes: bool
    closes_namespaces: bool = False

    def command(self, reach: Reach, memory_bytes: int) -> tuple[str, ...]:
        """Return how to start the supervisor in a sandbox in which commands have this `reach`.

        `memory_bytes` limits what they keep in shared memory.
        """
        temporary = str(reach.scratch.with_name(TEMPORARY))
        words = [self.program, *_NAMESPACES, *([] if reach.network else ["--unshare-net"]), *self.system]
        words += ["--disable-userns"] if self.closes_namespaces and not reach.namespaces else []
        words += ["--perms", "1777", "--size", str(memory_bytes), "--tmpfs", "/dev/shm"]  # noqa: S108 - of the sandbox
        words += ["--bind", temporary, "/tmp", "--bind", temporary, "/var/tmp"]  # noqa: S108 - of the sandbox
        readable = {*reach.readable, self.supervision, *interpreter_places(self.python.executable)}
        if reach.network and (names := Path("/etc/resolv.conf").resolve()).is_file():
            readable.add(names)
        written = (*reach.watched, *reach.shared)
        seen = (*_SYSTEM, *map(str, written))
        shown = {place: "--ro-bind" for place in readable if not _is_below(place, seen)}
        shown |= dict.fromkeys(written, "--bind")
        hides = _is_below(self.hidden, (*_SYSTEM, *map(str, shown)))
        # Folders before what lies in them: what is mounted later covers what was there.
        for place in sorted({*shown, *([self.hidden] if hides else [])}, key=lambda one: len(one.parts)):
            if place in shown:
                words += [shown[place], str(place), str(place)]
            if place == self.hidden and hides:
                words += ["--tmpfs", str(place)]
        # What bubblewrap makes itself lies in memory, and would take any amount.
        words += [word for made in ("/dev", "/") for word in ("--remount-ro", made)]
        words += ["--remount-ro", str(self.hidden)] if hides else []
        return (*words, "--chdir", "/", "--", *supervision_command(self.python.executable, self.supervision))

    def refusal(self, state: RunnerState) -> str:
        """Try it as the subject's user; return what is said where it cannot be made, else ""."""
        with state.scratch() as scratch:
            try:
                # The supervisor ends where it is told nothing.
                tried = subprocess.run(
                    self.command(Reach(scratch), 1 << 20),
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    text=True,
                    cwd="/",
                    env=self.python.environment,
                    timeout=_TRYING_SECONDS,
                    check=False,
                    **account_of(state.user),
                )
            except (OSError, subprocess.SubprocessError) as error:
                return str(error)
        said = tried.stderr.strip().splitlines()[-1:] or [f"exit code {tried.returncode}"]
        return said[0] if tried.returncode else ""


def supervision_command(python: str | Path, folder: Path) -> tuple[str, ...]:
    """Return how to start the supervisor whose package lies in `folder`."""
    return (str(python), "-I", "-S", "-c", _START, str(folder))


def interpreter_places(python: Path) -> tuple[Path, ...]:
    """Return the folders that an interpreter needs, beside those of an environment that was made with it."""
    executable = python.resolve()
    prefix = executable.parent.parent
    wanted = (executable.parent, *(prefix / name for name in ("lib", "lib64", "include")))
    return tuple(place for place in wanted if place.is_dir())


def account_of(user: struct_passwd | None) -> dict[str, Any]:
    """Return the arguments with which `subprocess` starts a process as `user`; none for ourselves."""
    return {} if user is None else {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": ()}


def sandbox_of(state: RunnerState) -> Sandbox | None:
    """Return the sandbox for commands of this state, None where there is none.

    Raises `IsolationImpossible` where the state demands one.
    """
    found = _tried(state)
    if isinstance(found, Sandbox) and not found.supervision.is_dir():
        # Somebody has emptied the runner's folder meanwhile.
        _tried.cache_clear()
        found = _tried(state)
    if isinstance(found, Sandbox):
        return found
    if state.sandboxing == "required":
        raise IsolationImpossible(f"there is no sandbox, and PERFATLAS_SANDBOX demands one: {found}")
    return None


def refusal_of(state: RunnerState) -> str:
    """Return why there is no sandbox for commands of this state, with the remedy; "" where there is one."""
    found = _tried(state)
    return found if isinstance(found, str) else ""


def sandbox_words(state: RunnerState, *, network: bool) -> str:
    """Return what commands of this state run in, as the end of a sentence: "in a sandbox (bubblewrap 0.8.0), without network".

    Raises as `sandbox_of`.
    """
    sandbox = sandbox_of(state)
    if sandbox is None:
        return f"without a sandbox: {refusal_of(state)}"
    return f"in a sandbox ({sandbox.version}), {'with' if network else 'without'} network"


@cache
def _tried(state: RunnerState) -> Sandbox | str:
    """Return the sandbox, tried once in this process, or why there is none."""
    if state.sandboxing == "off":
        return "it is switched off (PERFATLAS_SANDBOX)"
    if platform.system() != "Linux":
        return "sandboxes need Linux"
    program = shutil.which("bwrap")
    if program is None:
        return "bubblewrap is not installed (on Debian: apt install bubblewrap)"
    asked = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    release = re.match(r"(\d+)\.(\d+)", platform.release())
    # A copy of the supervisor's package that the subject's user can read.
    code = Path(__file__).parent / "supervision"
    supervision = readable_folder(state.folder("supervisors") / folder_digest(code)[:24])
    with locked(supervision):
        kept_copy(code, supervision / code.name, compiled=True)
    sandbox = Sandbox(
        program=program,
        version=asked.stdout.strip(),
        python=interpreter(state),
        supervision=supervision,
        system=_system(state),
        hidden=state.root.parent,
        counts_processes=release is not None and tuple(map(int, release.groups())) >= _COUNTS_PROCESSES,
    )
    # Known from version 0.8 on; not where the kernel keeps its own limits out of bubblewrap's reach.
    closed = replace(sandbox, closes_namespaces=True)
    if not closed.refusal(state):
        return closed
    refusal = sandbox.refusal(state)
    return (
        f"bubblewrap makes none ({refusal}): it needs user namespaces, and version 0.7 or later"
        if refusal
        else sandbox
    )


def _system(state: RunnerState) -> tuple[str, ...]:
    """Return the arguments that show the system's own files to commands that run as the user of `state`."""
    words: list[str] = []
    for name in _SYSTEM:
        if Path(name).is_dir():
            words += ["--ro-bind", name, name]
    for name in _LINKED:
        place = Path(name)
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), name]
        elif place.is_dir():
            words += ["--ro-bind", name, name]
    # Settings that others may not read are covered. As root, commands run as somebody who cannot read them anyway.
    settings = os.walk("/etc") if state.user is None else ()
    for path in (Path(folder, name) for folder, _, files in settings for name in files):
        with suppress(OSError):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and not mode & stat.S_IROTH and os.access(path, os.R_OK):
                words += ["--ro-bind", os.devnull, str(path)]
    return (*words, "--proc", "/proc", "--dev", "/dev", "--die-with-parent", "--as-pid-1")


def _is_below(place: Path, folders: Iterable[str]) -> bool:
    return any(place.is_relative_to(folder) for folder in folders)
