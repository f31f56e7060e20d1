"""Nothing that is started survives, whoever dies first."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

from runner.interpreters import Interpreter
from runner.processes import ProcessLimits, ProcessOutcome, run
from runner.state import RunnerState

ROOT = Path(__file__).resolve().parents[2]
LIMITS = ProcessLimits(
    timeout_seconds=30, cpu_seconds=30, memory_bytes=2**30, file_bytes=2**20, output_bytes=2**20
)
# Starts a long command and tells its id; killed itself a moment later.
PARENT = """
import sys
from pathlib import Path
from runner.processes import ProcessLimits, run
limits = ProcessLimits(timeout_seconds=60, cpu_seconds=60, memory_bytes=2**30, file_bytes=2**20, output_bytes=2**20)
run(["/bin/sh", "-c", f"echo $$ > {sys.argv[1]}; sleep 600"], folder=Path("/"), environment={},
    limits=limits, user=None)
"""


def started(state: RunnerState, python: Interpreter, code: str) -> ProcessOutcome:
    with state.scratch() as folder:
        return run(
            [str(python.executable), "-c", code],
            folder=folder,
            environment=python.environment,
            limits=LIMITS,
            user=state.user,
        )


def test_the_death_of_the_worker_ends_the_subject(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    worker = subprocess.Popen([sys.executable, "-c", PARENT, str(told)], cwd=ROOT)
    wait_until(lambda: told.exists() and told.read_text().strip())
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    pid = int(told.read_text())
    wait_until(lambda: not alive(pid))


def test_a_command_that_does_not_exist_says_so(state: RunnerState) -> None:
    outcome = run(["/nowhere/prog"], folder=state.root, environment={}, limits=LIMITS, user=state.user)
    assert not outcome.succeeded
    assert outcome.in_words() == "cannot be started: No such file or directory: /nowhere/prog"


def test_time_of_the_whole_tree_is_counted(state: RunnerState, python: Interpreter) -> None:
    code = """
import os, time
def burn(seconds):
    start = time.process_time()
    while time.process_time() - start < seconds: pass
if os.fork() == 0:
    burn(0.2)
    os._exit(0)
os.wait()
burn(0.1)
"""
    outcome = started(state, python, code)
    assert outcome.succeeded, outcome.output
    assert outcome.cpu_seconds is not None
    assert outcome.wall_seconds is not None
    assert outcome.cpu_seconds >= 0.3
    assert outcome.wall_seconds >= 0.3


def test_waiting_costs_wall_time_and_no_cpu_time(state: RunnerState, python: Interpreter) -> None:
    outcome = started(state, python, "import time; time.sleep(0.5)")
    assert outcome.wall_seconds is not None
    assert outcome.cpu_seconds is not None
    assert outcome.wall_seconds >= 0.5 > outcome.cpu_seconds


def test_output_after_the_end_of_the_command_belongs_to_it(state: RunnerState, python: Interpreter) -> None:
    outcome = started(state, python, "import sys; sys.stdout.write('x' * 50_000 + 'end')")
    assert outcome.output_bytes == 50_003
    assert outcome.output.endswith("end")


def test_limits_of_the_process_are_set(state: RunnerState, python: Interpreter) -> None:
    code = """
import json, resource
names = ("CORE", "CPU", "AS", "FSIZE")
print(json.dumps([resource.getrlimit(getattr(resource, "RLIMIT_" + name)) for name in names]))
"""
    limits = json.loads(started(state, python, code).output)
    assert limits == [[0, 0], [30, 30], [2**30, 2**30], [2**20, 2**20]]


def test_the_command_sees_no_descriptor_of_ours(state: RunnerState, python: Interpreter) -> None:
    outcome = started(state, python, "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:-1])")
    assert outcome.output.strip() == "[0, 1, 2]"


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(condition: "object") -> None:
    """Wait for something that has to come; the test's own time limit is generous."""
    assert callable(condition)
    for _ in range(3600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come in three minutes")


def test_a_run_stays_on_the_core_that_it_is_given(state: RunnerState, python: Interpreter) -> None:
    """One core of those that we may use; without one, all of them."""
    code = "import os; print(sorted(os.sched_getaffinity(0)))"
    ours = os.sched_getaffinity(0)
    core = max(ours)
    pinned = run(
        [str(python.executable), "-I", "-c", code],
        folder=state.root,
        environment=python.environment,
        limits=replace(LIMITS, core=core),
        user=state.user,
    )
    assert pinned.output.strip() == str([core])
    assert started(state, python, code).output.strip() == str(sorted(ours))


def test_a_program_that_is_asked_has_time_to_answer_where_its_file_is_not_empty(
    state: RunnerState, python: Interpreter
) -> None:
    code = """
import signal, time
def answer(*_):
    time.sleep(0.4)
    open("stacks", "a").write(" answered")
signal.signal(signal.SIGUSR1, answer)
open("stacks", "w").write("before")
time.sleep(600)
"""
    with state.scratch() as folder:
        stacks = folder / "stacks"
        outcome = run(
            [str(python.executable), "-c", code],
            folder=folder,
            environment=python.environment,
            limits=replace(LIMITS, timeout_seconds=6),
            user=state.user,
            asking=(signal.SIGUSR1, stacks),
        )
        assert (outcome.status, stacks.read_text()) == ("timeout", "before answered")
