"""A state folder that the subject's user can reach, and a way to run a throw-away subject in it."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from runner.interpreters import Interpreter, interpreter
from runner.sandboxes import Sandbox, refusal_of, sandbox_of
from runner.state import RunnerState, open_state
from tests.runner.throwaway import RunProgram, run_once


@pytest.fixture(autouse=True)
def closed_umask() -> Iterator[None]:
    """Every test runs under the umask of the server: what subjects must read is opened on purpose."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.fixture(scope="session")
def state() -> Iterator[RunnerState]:
    """A state of this session. Folders of pytest are closed to other users, this one is not."""
    folder = Path(tempfile.mkdtemp(prefix="perfatlas-test-"))
    folder.chmod(0o755)
    yield open_state(folder / "state")
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def python(state: RunnerState) -> Interpreter:
    """An interpreter that the subject's user can run."""
    return interpreter(state)


@pytest.fixture(scope="session")
def sandbox(state: RunnerState) -> Sandbox:
    """The sandbox of this machine."""
    found = sandbox_of(state)
    if found is None:
        pytest.skip(f"no sandbox here: {refusal_of(state)}")
    return found


@pytest.fixture
def run_program(state: RunnerState, tmp_path: Path) -> RunProgram:
    """Write a subject and run it once; see `run_once`."""
    return partial(run_once, tmp_path / "subject", state)
