"""Running the tools that watch a command from outside: trying whether they can, and having them read what they wrote."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from .pip import SEARCH_PATH, build_limits, plain_variables
from .processes import ProcessLimits, ProcessOutcome, run
from .sandboxes import Reach, sandbox_of
from .state import RunnerState

_TRYING = ProcessLimits(
    timeout_seconds=10,
    cpu_seconds=10,
    memory_bytes=1 << 32,
    file_bytes=1 << 24,
    output_bytes=1 << 16,
)
_READING_SECONDS = 120


def idle_program() -> str:
    """Return the path of a program that does nothing, for a tool to watch."""
    return shutil.which("true", path=SEARCH_PATH) or "/bin/true"


def try_tool(program: str, words: Sequence[str], scratch: Path, state: RunnerState) -> ProcessOutcome:
    """Run `words`, which start the tool `program` (a path), in `scratch` for some seconds, as the subject's user."""
    return _run(words, scratch, state, (Path(program).parent,), _TRYING)


def read_with_tool(
    program: str, script: str, scratch: Path, state: RunnerState, readable: Sequence[Path]
) -> ProcessOutcome:
    """Run a shell `script`, whose `$0` is the tool `program` (a path), in `scratch` as the subject's user.

    What lies there may be anything: so neither we nor anybody else with more rights reads it. The places `readable` are seen there, too.
    """
    shell = shutil.which("sh", path=SEARCH_PATH) or "/bin/sh"
    places = (Path(program).parent, *readable)
    return _run((shell, "-c", script, program), scratch, state, places, build_limits(_READING_SECONDS))


def _run(
    words: Sequence[str], scratch: Path, state: RunnerState, readable: tuple[Path, ...], limits: ProcessLimits
) -> ProcessOutcome:
    return run(
        words,
        folder=scratch,
        environment=plain_variables(scratch, SEARCH_PATH),
        limits=limits,
        user=state.user,
        reach=Reach(scratch, readable, sandbox=sandbox_of(state)),
    )
