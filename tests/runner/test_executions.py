"""What one execution comes to, in real processes of throw-away subjects."""

import json
import os
import time
from pathlib import Path

import pytest

from tests.runner.throwaway import RunProgram, with_limits


def test_a_run_that_returns_has_times(run_program: RunProgram) -> None:
    done = run_program(entry="def run(options, workload):\n    sum(range(300_000))\n")
    assert done.status == "ok"
    assert done.result.plain is not None
    assert done.result.plain.wall_seconds > 0
    assert done.result.plain.cpu_seconds > 0
    assert done.result.profile is None


def test_options_and_workload_arrive_as_they_are_written(run_program: RunProgram) -> None:
    done = run_program(
        select="fast=on",
        entry="def run(options, workload):\n    print('got', options, workload, flush=True)\n",
    )
    assert "got {'fast': True} {'seed': 1, 'size': 3}" in done.outcome.output


def test_a_plain_run_is_one_warm_up_and_one_call(run_program: RunProgram) -> None:
    done = run_program(entry="def run(options, workload):\n    print('called')\n")
    assert done.outcome.output.count("called") == 2


def test_a_program_that_changes_its_input_gets_it_anew(run_program: RunProgram) -> None:
    done = run_program(
        entry="def run(options, workload):\n    assert workload.pop('size') == 3\n    options.clear()\n"
    )
    assert done.status == "ok"


def test_an_exception_is_a_failure_with_its_words_and_traceback(run_program: RunProgram) -> None:
    done = run_program(entry="def run(options, workload):\n    raise ValueError('seven is too many')\n")
    assert (done.status, done.message, done.result.plain) == ("failed", "ValueError: seven is too many", None)
    assert "entry.py" in done.outcome.output


def test_a_program_that_cannot_be_imported_is_a_failure(run_program: RunProgram) -> None:
    done = run_program(entry="import nowhere_at_all\n\ndef run(options, workload):\n    pass\n")
    assert done.status == "failed"
    assert "nowhere_at_all" in done.message


@pytest.mark.parametrize("ending", ["os._exit(0)", "os._exit(3)"])
def test_a_program_that_leaves_without_a_word_is_a_failure(run_program: RunProgram, ending: str) -> None:
    done = run_program(entry=f"import os\n\ndef run(options, workload):\n    {ending}\n")
    assert done.status == "failed"
    assert "no result" in done.message


def test_exit_is_a_failure_like_any_other(run_program: RunProgram) -> None:
    done = run_program(entry="def run(options, workload):\n    raise SystemExit(0)\n")
    assert (done.status, done.message) == ("failed", "SystemExit: 0")


def test_a_crash_is_named_by_its_signal(run_program: RunProgram) -> None:
    done = run_program(entry="import ctypes\n\ndef run(options, workload):\n    ctypes.string_at(0)\n")
    assert (done.status, done.message) == ("killed", "was ended by SIGSEGV")


def test_a_signal_without_a_name_is_named_by_its_number(run_program: RunProgram) -> None:
    done = run_program(entry="import os\n\ndef run(options, workload):\n    os.kill(os.getpid(), 35)\n")
    assert (done.status, done.message) == ("killed", "was ended by signal 35")


def test_what_is_told_of_a_program_holds_no_nul(run_program: RunProgram) -> None:
    """PostgreSQL keeps none in a text, neither of what was printed nor of a message."""
    entry = "def run(options, workload):\n    print('before\\0after')\n    raise ValueError('one\\0two')\n"
    done = run_program(entry=entry)
    assert (done.status, done.message) == ("failed", "ValueError: one\ufffdtwo")
    assert "before\ufffdafter" in done.outcome.output
    assert "\0" not in done.outcome.output


def test_a_hanging_program_is_ended_at_its_time_limit(run_program: RunProgram) -> None:
    done = run_program(
        toml=with_limits(timeout_seconds=6),
        entry="import time\n\ndef run(options, workload):\n    print('here', flush=True)\n    time.sleep(600)\n",
    )
    assert done.status == "timeout"
    assert "here" in done.outcome.output


def test_a_hanging_program_is_ended_when_it_is_cancelled(run_program: RunProgram) -> None:
    asked: list[float] = []

    def cancelled() -> bool:
        asked.append(time.monotonic())
        return len(asked) >= 3

    done = run_program(
        cancelled=cancelled, entry="import time\n\ndef run(options, workload):\n    time.sleep(600)\n"
    )
    assert done.status == "cancelled"
    assert len(asked) == 3


def test_memory_has_a_limit(run_program: RunProgram) -> None:
    done = run_program(entry="def run(options, workload):\n    return bytearray(2_000_000_000)\n")
    assert (done.status, done.message) == ("failed", "MemoryError")


def test_output_has_a_limit_and_only_its_end_is_kept(run_program: RunProgram) -> None:
    done = run_program(
        entry="def run(options, workload):\n    while True:\n        print('all work and no play ' * 999)\n"
    )
    assert done.status == "output_limit"
    assert done.outcome.output_bytes > 1024 * 1024
    assert len(done.outcome.output) <= 16 * 1024


def test_files_have_a_limit(run_program: RunProgram) -> None:
    done = run_program(
        toml=with_limits(file_megabytes=1),
        entry="def run(options, workload):\n    open('big', 'wb').write(bytes(4_000_000))\n",
    )
    assert (done.status, done.outcome.signal) in {("killed", 25), ("failed", None)}


def test_no_process_is_left_not_even_one_that_left_group_and_session(run_program: RunProgram) -> None:
    entry = """
import os

def run(options, workload):
    # Each child holds an end of it until it has become another program.
    ready, held = os.pipe()
    for leave in (False, True):
        if os.fork() == 0:
            if leave:
                os.setsid()
                if os.fork():
                    os._exit(0)
            print('child', flush=True)
            # Told by its name also from outside of a sandbox, where it has another id.
            os.execv('/bin/sleep', ['perfatlas-test-child', '600'])
    os.close(held)
    assert os.read(ready, 1) == b''
    os.close(ready)
"""
    done = run_program(entry=entry)
    assert done.status == "ok"
    assert done.outcome.output.count("child") == 4
    commands = (file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline") if file.exists())
    assert not [command for command in commands if command.startswith(b"perfatlas-test-child")]


def test_no_variable_of_ours_reaches_the_program(
    run_program: RunProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hush")
    monkeypatch.setenv("DATABASE_URL", "postgres://somewhere")
    done = run_program(
        entry="import json, os\n\ndef run(options, workload):\n    print('\\n' + json.dumps(dict(os.environ)))\n"
    )
    seen = json.loads(done.outcome.output.splitlines()[-1])
    expected = {
        "PATH", "HOME", "TMPDIR", "LANG", "PYTHONPATH", "PYTHONHASHSEED", "PYTHONDONTWRITEBYTECODE",
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS", "LD_LIBRARY_PATH", "LC_CTYPE",
    }  # fmt: skip
    assert set(seen) <= expected
    assert seen["PYTHONHASHSEED"] == "0"


def test_only_the_private_name_of_the_probe_is_on_the_path(run_program: RunProgram) -> None:
    done = run_program(
        entry="""
import importlib.util

def run(options, workload):
    print([importlib.util.find_spec(name) for name in ("probe", "runner", "dashboard", "analytics", "tests")])
"""
    )
    assert "[None, None, None, None, None]" in done.outcome.output


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become somebody else")
def test_as_root_the_program_runs_as_somebody_else_and_cannot_change_what_was_prepared(
    run_program: RunProgram,
) -> None:
    entry = """
import os, sys, tiny

def run(options, workload):
    print('user', os.getuid(), os.geteuid(), os.getgroups())
    for path in (__file__, tiny.__file__, os.path.dirname(sys.executable)):
        assert not os.access(path, os.W_OK), path
    open('mine', 'w').close()
"""
    done = run_program(entry=entry)
    assert done.status == "ok", done.outcome.output
    assert "user 65534 65534 []" in done.outcome.output


def test_a_result_that_is_not_ours_is_refused(run_program: RunProgram) -> None:
    entry = """
import os

def run(options, workload):
    with open('result.json', 'w') as file:
        file.write('{"version": 1, "status": "ok", "plain": {"wall_seconds": -1, "cpu_seconds": "x"}}')
    os._exit(0)
"""
    done = run_program(entry=entry)
    assert done.status == "failed"
    assert "not ours" in done.message


def test_a_result_is_not_read_through_a_link(run_program: RunProgram) -> None:
    done = run_program(
        entry="import os\n\ndef run(options, workload):\n    os.symlink('/etc/passwd', 'result.json')\n    os._exit(0)\n"
    )
    assert done.status == "failed"
    assert "no result" in done.message


def test_the_environment_is_the_same_for_good_and_bad_runs(run_program: RunProgram) -> None:
    good = run_program(entry="def run(options, workload):\n    pass\n")
    bad = run_program(entry="def run(options, workload):\n    raise KeyError\n")
    assert good.environment == bad.environment
    assert good.environment.digest == bad.environment.digest
    assert good.environment.interpreter.startswith("CPython 3.")
