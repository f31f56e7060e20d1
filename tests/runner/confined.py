"""Code run as that of a subject is, in the sandbox of this machine."""

from pathlib import Path

from runner.interpreters import Interpreter
from runner.processes import ProcessLimits, ProcessOutcome, run
from runner.sandboxes import Reach, Sandbox, interpreter_places
from runner.state import RunnerState

LIMITS = ProcessLimits(
    timeout_seconds=20, cpu_seconds=20, memory_bytes=2**30, file_bytes=2**24, output_bytes=2**20
)
MEGABYTE = 1024 * 1024


READS = """
import pathlib, sys
for name in sys.argv[1:]:
    try:
        print(pathlib.Path(name).read_text())
    except OSError as error:
        print(type(error).__name__)
"""


def inside(
    state: RunnerState,
    python: Interpreter,
    sandbox: Sandbox | None,
    code: str,
    *words: str,
    limits: ProcessLimits = LIMITS,
    network: bool = False,
    readable: tuple[Path, ...] = (),
) -> ProcessOutcome:
    """Run Python `code` as a subject would be run."""
    with state.scratch() as scratch:
        return run(
            [str(python.executable), "-c", code, *words],
            folder=scratch,
            environment={**python.environment, "HOME": str(scratch)},
            limits=limits,
            user=state.user,
            reach=Reach(
                scratch, (*interpreter_places(python.executable), *readable), network=network, sandbox=sandbox
            ),
        )
