"""A subject in a git repository whose program becomes fifteen times as slow at one commit."""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.services.measuring import run_executor
from runner.environments import Prepared
from runner.executions import Execution, execute
from runner.plans import PlannedRun
from tests.runner.throwaway import git

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
# In seconds: the new year of 2024.
_FIRST_AT = 1_704_067_200
# How far the program counts before its step and from it on: real times differ, or those of a drawn step do (`steady_execution`).
REAL_TURNS, SHORT_TURNS = (50_000, 750_000), (1, 2)
# About what the real one takes from the step on and before it.
SLOW_SECONDS, QUICK_SECONDS = 0.03, 0.002


def write_stepper(folder: Path, install: str = "", turns: tuple[int, int] = REAL_TURNS) -> Path:
    """Write the subject with its repository of `COMMITS` commits: c0, c1, ...; returns its folder.

    `install` are further keys of its `[install]`, `turns` how far it counts before the step and from it on.
    """
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(SUBJECT.replace("[options.fast]", f"{install}[options.fast]"))
    (folder / "entry.py").write_text(ENTRY)
    write_commits(
        program,
        (
            ("README.md", f"note {number}\n")
            if number in DOCUMENTS
            else ("stepper.py", _program(number, turns))
            for number in range(COMMITS)
        ),
    )
    return folder


def write_commits(program: Path, written: Iterable[tuple[str, str]]) -> None:
    """Make a repository of an empty folder, with commits c0, c1, ... that write one file each: its name and its text.

    In one process: two for each commit would take most of the time of a short test. Another folder's commits are
    others, so that nothing that was built of those, which a machine keeps, is taken for what was built of these.
    """
    stream = "".join(
        f"commit refs/heads/main\ncommitter {program} <a@example.org> {_FIRST_AT + number} +0000\n"
        f"{_data(f'c{number}')}M 100644 inline {name}\n{_data(text)}"
        for number, (name, text) in enumerate(written)
    )
    git(program, "init", "--quiet", "--initial-branch", "main")
    git(program, "fast-import", "--quiet", given=stream)
    git(program, "reset", "--quiet", "--hard")


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"


def commit_of(folder: Path, number: int) -> str:
    """The hash of commit `c<number>`."""
    listed = git(folder / "program", "log", "--reverse", "--format=%H").split()
    return listed[number]


def steady_execution(slow: Collection[str]) -> Callable[..., Execution]:
    """`execute` with times of its own: programs run in earnest, and slow revisions and others differ by the step.

    Among themselves they differ by 1 % of drawn noise. A busy machine may slow some runs down as truly as a commit would,
    and such a change is told as well.
    """
    rng = np.random.default_rng(5)

    def executed(prepared: Prepared, run: PlannedRun, **asked: Any) -> Execution:
        made = execute(prepared, run, **asked)
        plain = made.result.plain
        if plain is None:
            return made
        level = SLOW_SECONDS if run.revision in slow else QUICK_SECONDS
        shown = plain.model_copy(update={"cpu_seconds": level * math.exp(rng.normal(0, 0.01))})
        return replace(made, result=made.result.model_copy(update={"plain": shown}))

    return executed


def hold_times_steady(monkeypatch: pytest.MonkeyPatch, folder: Path, step: int = STEP) -> None:
    """Commits before the step take as long as one another here, and so do those from it on (`steady_execution`)."""
    slow = git(folder / "program", "log", "--reverse", "--format=%H").split()[step:]
    monkeypatch.setattr(run_executor, "execute", steady_execution(slow))


def _program(number: int, turns: tuple[int, int]) -> str:
    if number == BROKEN:
        return "def work(:\n"
    return f"# {number}\n\n\ndef work():\n    return sum(i * i for i in range({turns[number >= STEP]}))\n"
