"""A program whose files take too much of the disk is ended, whatever it does with them."""

from dataclasses import replace

import pytest

from runner.interpreters import Interpreter
from runner.sandboxes import Sandbox
from runner.state import RunnerState
from tests.runner.confined import LIMITS, MEGABYTE, inside
from tests.runner.throwaway import RunProgram, with_limits

FILLS = """
import os, sys, time
megabyte = bytes(range(256)) * 4096
for number in range(int(sys.argv[1])):
    with open(sys.argv[2] + f"/{number}", "wb") as file:
        file.write(megabyte)
"""


@pytest.mark.parametrize("confined", [True, False])
def test_many_files_that_fill_the_disk_end_a_program(
    state: RunnerState, python: Interpreter, sandbox: Sandbox, *, confined: bool
) -> None:
    """Each of them is small; also without a sandbox."""
    few = replace(LIMITS, disk_bytes=4 * MEGABYTE)
    used = sandbox if confined else None
    ended = inside(state, python, used, FILLS + "time.sleep(60)", "8", ".", limits=few)
    assert ended.status == "disk_limit"
    assert ended.in_words() == "used more than 4 MB of disk"
    assert ended.wall_seconds is not None
    assert ended.wall_seconds < 15
    assert inside(state, python, used, FILLS, "8", ".", limits=few).status == "disk_limit"
    assert inside(state, python, used, FILLS, "2", ".", limits=few).succeeded


def test_temporary_deleted_files_count_as_disk_use(
    state: RunnerState, python: Interpreter, sandbox: Sandbox
) -> None:
    few = replace(LIMITS, disk_bytes=4 * MEGABYTE)
    assert inside(state, python, sandbox, FILLS, "8", "/var/tmp", limits=few).status == "disk_limit"  # noqa: S108
    deleted = """
import os, time
files = [open(f"{number}", "wb") for number in range(8)]
for number, file in enumerate(files):
    os.unlink(f"{number}")
    file.write(bytes(range(256)) * 4096)
    file.flush()
time.sleep(60)
"""
    assert inside(state, python, sandbox, deleted, limits=few).status == "disk_limit"


def test_shared_memory_is_limited(state: RunnerState, python: Interpreter, sandbox: Sandbox) -> None:
    code = FILLS.replace("for number", "import errno\nfor number", 1)
    few = replace(LIMITS, memory_bytes=200 * MEGABYTE, disk_bytes=2**30)
    done = inside(state, python, sandbox, code, "220", "/dev/shm", limits=few)  # noqa: S108
    assert "No space left on device" in done.output


def test_a_run_says_how_much_disk_is_too_much(run_program: RunProgram) -> None:
    entry = (
        "def run(options, workload):\n    for number in range(8):\n"
        "        open(str(number), 'wb').write(bytes(2**20))\n    import time; time.sleep(60)\n"
    )
    done = run_program(entry=entry, toml=with_limits(disk_megabytes=4))
    assert (done.status, done.message) == ("disk_limit", "used more than 4 MB of disk")
