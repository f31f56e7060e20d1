"""Who holds a job: a process, told apart from every other one by machine, id and start time."""

import hashlib
import os
import secrets
from pathlib import Path

_PROC = Path("/proc")


def new_owner() -> str:
    """A name for one claim by this process: `machine:pid:start time:random part`."""
    return f"{_machine()}:{os.getpid()}:{_start_time(os.getpid())}:{secrets.token_hex(4)}"


def is_gone(owner: str) -> bool:
    """Whether the owner ran on this machine and its process is no more.

    False whenever that cannot be told: on another machine, in another container, or without `/proc`.
    """
    parts = owner.split(":")
    if len(parts) != 4 or not parts[0] or parts[0] != _machine():
        return False
    return _start_time(int(parts[1])) != parts[2]


def _machine() -> str:
    """A name of this boot of this machine's process table; empty where there is none."""
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text()
        processes = (_PROC / "self/ns/pid").readlink()
    except OSError:
        return ""
    return hashlib.sha256(f"{boot}{processes}".encode()).hexdigest()[:12]


def _start_time(pid: int) -> str:
    """When the process began, in the kernel's ticks since boot; empty if it is gone or a zombie."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return ""
    # The second field is the command in parentheses and may itself hold spaces and parentheses.
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in "ZX" else fields[19]
