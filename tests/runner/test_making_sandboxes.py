"""A sandbox is made once in a process, demanded or switched off, and made anew where its files are gone."""

import shutil
from dataclasses import replace

import pytest

from runner.errors import IsolationImpossible
from runner.interpreters import Interpreter
from runner.sandboxes import Sandbox, refusal_of, sandbox_of
from runner.state import RunnerState
from tests.runner.confined import inside


def test_a_sandbox_that_is_demanded_is_not_done_without(
    state: RunnerState, monkeypatch: pytest.MonkeyPatch
) -> None:
    off = replace(state, sandboxing="off")
    assert sandbox_of(off) is None
    assert "PERFATLAS_SANDBOX" in refusal_of(off)
    monkeypatch.setenv("PATH", "/nowhere")
    demanded = replace(state, sandboxing="required", root=state.folder("demanding"))
    with pytest.raises(IsolationImpossible, match="apt install bubblewrap"):
        sandbox_of(demanded)


def test_a_sandbox_is_made_anew_where_the_runners_folder_was_emptied(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    shutil.rmtree(sandbox.supervision)
    anew = sandbox_of(state)
    assert anew is not None
    assert inside(state, python, anew, "print('ran')").output == "ran\n"
