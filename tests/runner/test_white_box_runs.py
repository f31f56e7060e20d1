"""Counted and traced runs, in real processes of throw-away subjects."""

import pytest

from runner.executions import Mode
from tests.runner.throwaway import SUBJECT, RunProgram

ENTRY = """
import tiny

def run(options, workload):
    print(tiny.work(options["fast"], workload["size"]))
"""
PROGRAM = """
def work(fast, size):
    total = 0
    for _ in range(size):
        if not fast:
            total += 1
    return total
"""


def test_a_counted_run_has_times_and_counts(run_program: RunProgram) -> None:
    done = run_program(entry=ENTRY, program=PROGRAM, mode="count")
    assert (done.status, done.message) == ("ok", "")
    assert done.result.plain is not None
    assert done.result.counts is not None
    assert done.result.counts.regions == {
        "tiny:work": ((2, 0, "call", 1), (4, 4, "turn", 3), (5, 8, "if", 3))
    }
    assert done.result.trace is None


def test_a_traced_run_tells_which_option_decides_what(run_program: RunProgram) -> None:
    done = run_program(entry=ENTRY, program=PROGRAM, mode="taint")
    assert (done.status, done.message) == ("ok", "")
    assert done.result.trace is not None
    assert done.result.trace.options == ("fast",)
    assert [
        (done.result.trace.sites[site].region, done.result.trace.sites[site].text, data, control)
        for site, data, control in done.result.trace.decisions
    ] == [("tiny:work", "if not fast:", 1, 0)]
    assert done.result.trace.functions["tiny:work"].first_line == 2
    assert done.result.counts is not None


@pytest.mark.parametrize("mode", ["plain", "count", "taint"])
def test_the_program_prints_the_same_in_every_mode(run_program: RunProgram, mode: Mode) -> None:
    assert run_program(entry=ENTRY, program=PROGRAM, mode=mode).outcome.output == "3\n3\n"


ENDINGS = {
    "raises": ("raise ValueError('broken')", "failed", "ValueError: broken"),
    "ends itself": ("import os\n    os._exit(0)", "failed", ""),
    "exits": ("raise SystemExit(3)", "failed", "SystemExit: 3"),
    "hangs": ("import time\n    time.sleep(600)", "timeout", ""),
    "prints without end": ("while True:\n        print('again ' * 9999)", "output_limit", ""),
    "calls itself without end": ("return work(fast, size)", "failed", "RecursionError"),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_traced_program_may_end_as_it_likes(run_program: RunProgram, ending: str) -> None:
    """It is recorded as what it is, with what it said; nothing that it left half-done is taken for a trace."""
    body, status, said = ENDINGS[ending]
    toml = SUBJECT.replace("timeout_seconds = 30", "timeout_seconds = 1.5")
    program = f"def work(fast, size):\n    {body}\n"
    done = run_program(entry=ENTRY, program=program, toml=toml, mode="taint")
    assert done.status == status
    assert said in done.message
    assert done.message
    assert done.result.trace is None


def test_a_traced_run_may_take_four_times_as_long(run_program: RunProgram) -> None:
    """What takes twice its time is ended when it is plain, and traced."""
    toml = SUBJECT.replace("timeout_seconds = 30", "timeout_seconds = 2")
    program = "import time\n\ndef work(fast, size):\n    time.sleep(2)\n    return size\n"
    found = {
        mode: run_program(entry=ENTRY, program=program, toml=toml, mode=mode).status
        for mode in ("plain", "taint")
    }
    assert found == {"plain": "timeout", "taint": "ok"}


def test_a_traced_program_that_cannot_be_imported_says_where(run_program: RunProgram) -> None:
    done = run_program(entry=ENTRY, program="import not_there_at_all\n", mode="taint")
    assert (done.status, done.result.trace) == ("failed", None)
    assert "not_there_at_all" in done.message
    assert 'tiny.py", line 1' in done.outcome.output


def test_a_traced_program_may_fork(run_program: RunProgram) -> None:
    """What the child does is its own; the parent's decisions are told once."""
    program = """
import os

def work(fast, size):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    if fast:
        pass
    return size
"""
    done = run_program(entry=ENTRY, program=program, mode="taint")
    assert (done.status, done.message) == ("ok", "")
    assert done.result.trace is not None
    assert {done.result.trace.sites[site].text for site, data, _ in done.result.trace.decisions if data} == {
        "if fast:"
    }


SILENT = """
import tiny

def run(options, workload):
    tiny.work(options["fast"], workload["size"])
"""
HABITS = {
    "forks": "import os, time\n    if os.fork() == 0:\n        time.sleep(600)",
    "closes its output": "import os, sys\n    sys.stdout.close()\n    sys.stderr.close()",
    "goes elsewhere": "import os\n    os.chdir('/')",
    "leaves a thread": "import threading, time\n    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()",
    "fails at its end": "import atexit\n    atexit.register(lambda: 1 / 0)",
    "forbids recursion": "import sys\n    sys.setrecursionlimit(60)",
    "handles signals": "import signal\n    signal.signal(signal.SIGALRM, signal.SIG_IGN)\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "reads its input": "import sys\n    sys.stdin.read()\n    sys.stdin.close()",
}


@pytest.mark.parametrize("mode", ["count", "taint"])
@pytest.mark.parametrize("habit", HABITS)
def test_a_program_with_bad_habits_is_counted_and_traced(
    run_program: RunProgram, habit: str, mode: Mode
) -> None:
    lines = HABITS[habit].replace("sys.stdin.read()", "size and not sys.stdin.closed and sys.stdin.read()")
    program = f"def work(fast, size):\n    if fast:\n        pass\n    {lines}\n"
    done = run_program(entry=SILENT, program=program, mode=mode)
    assert (done.status, done.message) == ("ok", "")
    assert done.result.counts is not None
    assert "tiny:work" in done.result.counts.regions


@pytest.mark.parametrize("mode", ["plain", "count", "taint"])
def test_what_cannot_be_imported_or_removes_its_own_folder_is_said(
    run_program: RunProgram, mode: Mode
) -> None:
    done = run_program(entry=SILENT, program="import no_such_module\n", mode=mode)
    assert (done.status, done.message) == ("failed", "ModuleNotFoundError: No module named 'no_such_module'")
    removing = "import os, shutil\ndef work(fast, size):\n    shutil.rmtree(os.environ['TMPDIR'], ignore_errors=True)\n"
    done = run_program(entry=SILENT, program=removing, mode=mode)
    assert done.status in {"failed", "ok"}
    assert done.status == "ok" or "result" in done.message
