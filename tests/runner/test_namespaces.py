"""A program in a sandbox makes no user namespace of its own, in which it would be root, unless its subject asks for that."""

from dataclasses import replace

import pytest

from runner.interpreters import Interpreter
from runner.sandboxes import Sandbox
from runner.state import RunnerState
from tests.runner.confined import inside
from tests.runner.throwaway import SUBJECT, RunProgram

NAMESPACES = """
import ctypes
made = ctypes.CDLL(None, use_errno=True).unshare(0x10000000)
print("made" if made == 0 else "refused")
"""


def test_a_program_makes_no_namespace_in_which_it_would_be_root(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    """Where bubblewrap can see to that; else it is made, and the program runs as before."""
    if not sandbox.closes_namespaces:
        pytest.skip("bubblewrap cannot forbid it here: that needs version 0.8")
    assert inside(state, python, sandbox, NAMESPACES).output == "refused\n"
    open_one = replace(sandbox, closes_namespaces=False)
    assert inside(state, python, open_one, NAMESPACES).output == "made\n"


def test_a_program_that_needs_namespaces_asks_for_them(run_program: RunProgram, sandbox: Sandbox) -> None:
    """In its `subject.toml`, as for the network."""
    if not sandbox.closes_namespaces:
        pytest.skip("bubblewrap cannot forbid it here: that needs version 0.8")
    entry = "import subprocess\n\ndef run(options, workload):\n    subprocess.run(['unshare', '-U', 'true'], check=True)\n"
    assert run_program(entry=entry).message.startswith("subprocess.CalledProcessError")
    assert run_program(entry=entry, toml=SUBJECT + "[sandbox]\nnamespaces = true\n").status == "ok"
