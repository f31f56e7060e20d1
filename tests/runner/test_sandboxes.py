"""A program in a sandbox sees its own files, reaches nobody, and harms neither the disk nor other programs."""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import SubjectInvalid
from runner.interpreters import Interpreter
from runner.sandboxes import Sandbox
from runner.state import RunnerState, reachable
from runner.subject_files import load_subject
from tests.runner.confined import LIMITS, READS, inside
from tests.runner.test_processes import wait_until
from tests.runner.throwaway import SUBJECT, RunProgram, write_subject

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def secret(state: RunnerState) -> Iterator[Path]:
    """A file of the server that everybody may read: no rights protect it, only what is in sight."""
    file = state.root.parent / "perfatlas.sqlite3"
    file.write_text("session key")
    file.chmod(0o644)
    yield file
    file.unlink()


def test_the_servers_files_are_out_of_sight(
    state: RunnerState, python: Interpreter, sandbox: Sandbox, secret: Path
) -> None:
    """Those of other environments, too; without a sandbox rights alone protect them."""
    other = state.folder("environments") / "other"
    other.mkdir()
    (other / "ready.json").write_text("other")
    names = [str(secret), str(other / "ready.json")]
    assert inside(state, python, sandbox, READS, *names).output.split() == ["FileNotFoundError"] * 2
    assert "session key" in inside(state, python, None, READS, str(secret)).output
    shutil.rmtree(other)


def test_what_is_hidden_stays_so_where_a_folder_above_it_is_readable(
    state: RunnerState, python: Interpreter, sandbox: Sandbox, secret: Path
) -> None:
    """And nothing is written in its place."""
    code = (
        READS
        + "\ntry:\n    open(sys.argv[1], 'w')\nexcept OSError as error:\n    print(type(error).__name__)"
    )
    done = inside(state, python, sandbox, code, str(secret), readable=(state.root.parent,))
    assert done.output.split() == ["FileNotFoundError", "OSError"], done.in_words()


def test_nobody_is_reached_unless_the_network_is_asked_for(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    """Its own sockets a program reaches in any case."""
    code = """
import socket, sys
def reach(address):
    try:
        socket.create_connection(address, timeout=2).close()
        print("reached")
    except OSError as error:
        print(type(error).__name__)
own = socket.create_server(("127.0.0.1", 0))
reach(own.getsockname())
reach(("127.0.0.1", int(sys.argv[1])))
"""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert inside(state, python, sandbox, code, port).output.split() == [
            "reached",
            "ConnectionRefusedError",
        ]
        assert inside(state, python, sandbox, code, port, network=True).output.split() == ["reached"] * 2


def test_nothing_stays_in_common_folders(state: RunnerState, python: Interpreter, sandbox: Sandbox) -> None:
    code = """
import pathlib, sys
for folder in ("/tmp", "/var/tmp", "/dev/shm"):
    pathlib.Path(folder, sys.argv[1]).write_text("left")
"""
    name = f"left-{secrets.token_hex(8)}"
    done = inside(state, python, sandbox, code, name)
    assert done.succeeded, done.output
    assert [place for place in ("/tmp", "/var/tmp", "/dev/shm") if Path(place, name).exists()] == []  # noqa: S108


def test_only_its_own_folders_can_be_written(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    """What bubblewrap makes lies in memory: it would take any amount."""
    code = """
import pathlib, sys
for folder in sys.argv[1:]:
    try:
        pathlib.Path(folder, "written").write_text("")
        print(folder)
    except OSError:
        pass
"""
    places = ["/", "/dev", "/usr", "/etc", "/proc", "/sys", "/var", str(python.executable.parent), "."]
    assert inside(state, python, sandbox, code, *places).output.split() == ["."]


def test_other_programs_cannot_be_signalled(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    """Neither one of the same account, nor the supervisor."""
    code = """
import os, signal, sys
for pid in (int(sys.argv[1]), 1):
    try:
        os.kill(pid, signal.SIGKILL)
        print("sent")
    except OSError as error:
        print(type(error).__name__)
try:
    os.listdir("/proc/1/fd")
except OSError as error:
    print(type(error).__name__)
print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit()) == [1, os.getpid()])
"""
    account = {} if state.user is None else {"user": state.user.pw_uid, "group": state.user.pw_gid}
    with subprocess.Popen(["/bin/sleep", "60"], **account) as sibling:  # type: ignore[call-overload]
        done = inside(state, python, sandbox, code, str(sibling.pid))
        assert done.output.split() == ["ProcessLookupError", "sent", "PermissionError", "True"]
        assert done.succeeded
        assert sibling.poll() is None
        sibling.kill()


FORKS = """
import os, sys, time
children = 0
try:
    for _ in range(int(sys.argv[1])):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        children += 1
except BlockingIOError:
    pass
print(children, flush=True)
time.sleep(float(sys.argv[2]))
"""


def test_programs_that_fork_without_end_leave_others_room(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    """The processes of one sandbox are not counted with those of another one of the same account."""
    if not sandbox.counts_processes:
        pytest.skip("this kernel counts the processes of an account together")
    few = replace(LIMITS, processes=20)
    with ThreadPoolExecutor() as beside:
        bomb = beside.submit(inside, state, python, sandbox, FORKS, "60", "1.5", limits=few)
        other = inside(state, python, sandbox, FORKS, "10", "0", limits=few)
    assert (other.output.strip(), other.succeeded) == ("10", True)
    assert 10 < int(bomb.result().output) < 20


def test_what_a_program_needs_beside_is_named_in_its_subject(
    run_program: RunProgram, state: RunnerState, sandbox: Sandbox, secret: Path
) -> None:
    assert sandbox
    entry = f"def run(options, workload):\n    open({str(secret)!r}).read()\n"
    assert "No such file" in run_program(entry=entry).message
    place = state.root.parent / "corpus"
    place.mkdir()
    place.chmod(0o755)
    (place / "text").write_text("words")
    (place / "text").chmod(0o644)
    entry = f"def run(options, workload):\n    open('{place}/text').read()\n"
    toml = SUBJECT + f"[sandbox]\nreadable = ['{place}']\n"
    assert run_program(entry=entry, toml=toml).status == "ok"
    shutil.rmtree(place)


def test_places_that_cannot_be_shown_are_faults(tmp_path: Path) -> None:
    write_subject(
        tmp_path, toml=SUBJECT + "[sandbox]\nreadable = ['corpus', '/', '/nowhere/corpus']\nnetwork = 1\n"
    )
    with pytest.raises(SubjectInvalid) as refused:
        load_subject(tmp_path)
    told = {(fault.key, fault.value, fault.problem) for fault in refused.value.faults}
    assert ("sandbox.network", "1", "should be a valid boolean") in told
    write_subject(tmp_path, toml=SUBJECT + "[sandbox]\nreadable = ['corpus', '/', '/nowhere/corpus']\n")
    with pytest.raises(SubjectInvalid) as refused:
        load_subject(tmp_path)
    assert {(fault.value, fault.problem) for fault in refused.value.faults} == {
        ('"corpus"', "is not the whole path of one place"),
        ('"/"', "is not the whole path of one place"),
        ('"/nowhere/corpus"', "does not exist"),
    }


ORDINARY = """
import sys
from pathlib import Path
from runner.processes import run
from runner.sandboxes import Reach, interpreter_places, refusal_of, sandbox_of
from runner.state import open_state
from tests.runner.confined import LIMITS, READS
secret = Path(sys.argv[1], "secret")
secret.write_text("key")
secret.chmod(0o600)
state = open_state(Path(sys.argv[1], "var", "runner"))
for sandbox in (sandbox_of(state), None):
    with state.scratch() as scratch:
        done = run([sys.executable, "-c", READS, str(secret)], folder=scratch, environment={}, limits=LIMITS, user=None,
            reach=Reach(scratch, interpreter_places(Path(sys.executable)), sandbox=sandbox))
        print(done.output.strip() or done.in_words(), refusal_of(state))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become an ordinary account")
def test_an_ordinary_account_has_the_same_sandbox(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    """What only that account may read is out of its subjects' sight."""
    packages = Path(sysconfig.get_path("purelib"))
    if not (reachable(ROOT) and reachable(packages)):
        pytest.skip("no other account can read this project")
    assert sandbox
    assert state.user is not None
    home = Path(tempfile.mkdtemp(prefix="perfatlas-test-"))
    state.give(home)
    done = subprocess.run(
        [python.executable, "-c", ORDINARY, str(home)],
        user=state.user.pw_uid,
        group=state.user.pw_gid,
        extra_groups=(),
        cwd="/",
        env={**python.environment, "PYTHONPATH": f"{ROOT}:{packages}", "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    shutil.rmtree(home)
    assert done.stdout.split() == ["FileNotFoundError", "key"], done.stderr


def test_a_sandbox_dies_with_its_worker(state: RunnerState, sandbox: Sandbox) -> None:
    """Nothing of it is left a moment after the worker was killed."""
    assert sandbox
    mark = f"sleeps-{secrets.token_hex(8)}"
    code = f"""
from pathlib import Path
from runner.processes import ProcessLimits, run
from runner.sandboxes import Reach, sandbox_of
from runner.state import open_state
state = open_state(Path({str(state.root)!r}))
with state.scratch() as scratch:
    run(["/bin/sh", "-c", "sleep 300; exit", {mark!r}], folder=scratch, environment={{}}, user=state.user,
        reach=Reach(scratch, sandbox=sandbox_of(state)), limits=ProcessLimits(60, 60, 2**30, 2**20, 2**20))
"""
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) as worker:
        wait_until(lambda: len(_processes(mark)) == 1)
        worker.send_signal(signal.SIGKILL)
    wait_until(lambda: not _processes(mark))


def _processes(mark: str) -> list[str]:
    """The processes that were given this word; not the worker, whose code it is part of."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = file.read_bytes().split(b"\0")
        except OSError:
            continue
        found += [file.parent.name] if mark.encode() in words else []
    return found
