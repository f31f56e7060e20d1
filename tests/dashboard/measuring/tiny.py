"""Tiny subjects: written into a folder, measured in fractions of a second."""

import subprocess
from pathlib import Path

TOML = """
name = "Tiny"
description = "Doubles numbers."
regions = ["tiny"]
counts = false
[revisions]
source = "folder"
path = "program"
[options.mode]
levels = ["good", "broken", "hanging"]
[options.fast]
description = "Doubles fewer numbers."
levels = [false, true]
[[constraints]]
forbidden = { mode = "broken", fast = true }
[workloads.regular]
size = 600000
[workloads.small]
size = 10
[entry]
callable = "entry:run"
[limits]
timeout_seconds = 5
memory_megabytes = 512
"""
ENTRY = """
import time
from tiny import doubled

def run(options, workload):
    if options["mode"] == "broken":
        print("about to fail")
        raise ValueError("the mode is broken")
    if options["mode"] == "hanging":
        time.sleep(60)
    return doubled(workload["size"] // (2 if options["fast"] else 1))
"""
PROGRAM = """
def doubled(size):
    return sum(2 * number for number in range(size))
"""


def write_subject(folder: Path, *, toml: str = TOML, entry: str = ENTRY) -> Path:
    """Write the subject and return its folder."""
    (folder / "program").mkdir(parents=True, exist_ok=True)
    (folder / "subject.toml").write_text(toml, encoding="utf-8")
    (folder / "entry.py").write_text(entry, encoding="utf-8")
    (folder / "program" / "tiny.py").write_text(PROGRAM, encoding="utf-8")
    return folder


def write_commits(folder: Path) -> Path:
    """Write the subject as a git repository of two commits, tagged v1 and v2; the first one cannot be built."""
    toml = TOML.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')
    toml += '[install]\ncommands = [["sh", "-c", "echo building; test ! -e unfinished"]]\n'
    write_subject(folder, toml=toml)
    program = folder / "program"
    (program / "unfinished").touch()
    _git(program, "init", "--quiet")
    _commit(program, "v1")
    (program / "unfinished").unlink()
    _commit(program, "v2")
    return folder


def _commit(program: Path, tag: str) -> None:
    _git(program, "add", "--all")
    _git(program, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "--quiet", "-m", tag)
    _git(program, "tag", tag)


def _git(program: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(program), *arguments], check=True, capture_output=True)
