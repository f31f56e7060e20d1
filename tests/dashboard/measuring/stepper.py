"""A subject in a git repository whose program becomes fifteen times as slow at one commit."""

import math
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.services.measuring import run_executor
from runner.environments import Prepared
from runner.executions import Execution, execute
from runner.plans import PlannedRun

SUBJECT = """
name = "Stepper"
[revisions]
source = "git"
repository = "program"
[install]
pip_install = false
[options.fast]
levels = [false, true]
[workloads.regular]
[entry]
callable = "entry:run"
[limits]
timeout_seconds = 30
"""
# A build that leaves comments out: the commits before the step make one program, those from it on another.
BUILT = """built = ["program.txt"]
commands = [["{python}", "-c", "import ast; open('program.txt', 'w').write(ast.dump(ast.parse(open('stepper.py').read())))"]]
"""
ENTRY = "import stepper\n\n\ndef run(options, workload):\n    return stepper.work()\n"
STEP = 7
BROKEN = 4
DOCUMENTS = (3, 9)
COMMITS = 12
# About what the program takes at a step and before it.
SLOW_SECONDS, QUICK_SECONDS = 0.03, 0.002


def write_stepper(folder: Path, install: str = "") -> Path:
    """Write the subject with its repository of `COMMITS` commits: c0, c1, ...; returns its folder.

    `install` are further keys of its `[install]`.
    """
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(SUBJECT.replace("[options.fast]", f"{install}[options.fast]"))
    (folder / "entry.py").write_text(ENTRY)
    git(program, "init", "--initial-branch", "main")
    for number in range(COMMITS):
        if number in DOCUMENTS:
            (program / "README.md").write_text(f"note {number}\n")
        else:
            (program / "stepper.py").write_text(_program(number))
        git(program, "add", ".")
        git(program, "commit", "-m", f"c{number}")
    return folder


def git(place: Path, *arguments: str) -> str:
    """What git says, asked inside `place`."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    said = subprocess.run(["git", "-C", str(place), *who, *arguments], check=True, capture_output=True)
    return said.stdout.decode()


def commit_of(folder: Path, number: int) -> str:
    """The hash of commit `c<number>`."""
    listed = git(folder / "program", "log", "--reverse", "--format=%H").split()
    return listed[number]


def hold_times_steady(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let programs run in earnest, and those before and after the step differ by 1 % of drawn noise among themselves.

    A busy machine may slow some runs down as truly as a commit would, and such a change is told as well.
    """
    rng = np.random.default_rng(5)
    slow = {commit_of(folder, number) for number in range(STEP, COMMITS)}

    def executed(prepared: Prepared, run: PlannedRun, **asked: Any) -> Execution:
        made = execute(prepared, run, **asked)
        plain = made.result.plain
        if plain is None:
            return made
        level = SLOW_SECONDS if run.revision in slow else QUICK_SECONDS
        shown = plain.model_copy(update={"cpu_seconds": level * math.exp(rng.normal(0, 0.01))})
        return replace(made, result=made.result.model_copy(update={"plain": shown}))

    monkeypatch.setattr(run_executor, "execute", executed)


def _program(number: int) -> str:
    if number == BROKEN:
        return "def work(:\n"
    turns = 750_000 if number >= STEP else 50_000
    return f"# {number}\n\n\ndef work():\n    return sum(i * i for i in range({turns}))\n"
