"""What a program does in copies of itself is counted, as if it were done in one process."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import time

FORK = multiprocessing.get_context("fork")

def work(turns):
    total = 0
    for turn in range(turns):
        total += turn
    return total

def here():
    return [work(turns) for turns in TURNS]

def pool():
    with FORK.Pool(2) as made:
        return made.map(work, TURNS)

def executor():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=FORK) as made:
        return list(made.map(work, TURNS))

def processes():
    made = [FORK.Process(target=work, args=(turns,)) for turns in TURNS]
    for one in made:
        one.start()
    for one in made:
        one.join()

def forked():
    for turns in TURNS:
        copy = os.fork()
        if not copy:
            work(turns)
            os._exit(0)
        os.waitpid(copy, 0)

def leaving():
    for turns in TURNS:
        copy = os.fork()
        if not copy:
            work(turns)
            sys.exit()
        os.waitpid(copy, 0)

def within():
    copy = os.fork()
    if not copy:
        forked()
        os._exit(0)
    os.waitpid(copy, 0)

def killed():
    copy = os.fork()
    if not copy:
        work(sum(TURNS))
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(copy, 0)

TURNS = [10, 200, 3000]

def run(options, workload):
    globals()[options["how"]]()
"""


def counted(folder: Path, how: str, program: str = PROGRAM) -> dict[str, Any]:
    """The result of a counted run that works in this way."""
    (folder / "copies_of_test.py").write_text(program, encoding="utf-8")
    job = {
        "entry": "copies_of_test:run",
        "options": {"how": how},
        "workload": {},
        "packages": ["copies_of_test"],
        "path": [str(folder)],
        "profile": False,
        "mode": "count",
        "result": str(folder / "result.json"),
    }
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "probe", str(path)], cwd=ROOT, check=True, timeout=60
    )
    result: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert result["status"] == "ok", result
    return result


def turns(result: dict[str, Any]) -> int:
    """How often the loop of the work turned."""
    rows = result["counts"]["regions"].get("copies_of_test:work", [])
    return sum(count for _, _, kind, count in rows if kind == "turn")


@pytest.mark.parametrize("how", ["here", "pool", "executor", "processes", "forked", "leaving", "within"])
def test_counts_of_copies_are_those_of_the_program(tmp_path: Path, how: str) -> None:
    """Those of the timed call alone, each once."""
    result = counted(tmp_path, how)
    assert turns(result) == 3210
    assert [*result["counts"]["regions"]["copies_of_test:work"][0][2:]] == ["call", 3]


def test_a_copy_that_is_killed_has_counted_nothing_and_its_time_is_that_of_another_process(
    tmp_path: Path,
) -> None:
    long = PROGRAM.replace("3000]", "3_000_000]")
    lost, kept = (counted(tmp_path, how, long) for how in ("killed", "forked"))
    assert (turns(lost), turns(kept)) == (0, 3_000_210)
    assert lost["plain"]["children_seconds"] > 0.5 * lost["plain"]["cpu_seconds"]
    assert kept["plain"]["children_seconds"] < 0.2 * kept["plain"]["cpu_seconds"]


def test_a_copy_that_hears_of_its_end_when_it_waits_already_ends(tmp_path: Path) -> None:
    """As it is with a signal that comes just before: it interrupts nothing, and is handled when something else does."""
    program = PROGRAM.replace(
        "def killed():",
        """def waiting():
    lock, ready = FORK.Lock(), FORK.Event()
    lock.acquire()
    copy = FORK.Process(target=wait, args=(lock, ready))
    copy.start()
    ready.wait()
    time.sleep(0.2)
    # What the copy is told, it has heard already.
    os.kill, kill = (lambda *_: None), os.kill
    copy.terminate()
    os.kill = kill
    copy.join()

def wait(lock, ready):
    work(7)
    threading.Timer(0.1, _thread.interrupt_main, [signal.SIGTERM]).start()
    ready.set()
    lock.acquire()

def killed():""",
    ).replace("import time\n", "import time\nimport threading\nimport _thread\n")
    assert turns(counted(tmp_path, "waiting", program)) == 7


def test_a_program_that_handles_the_signal_to_end_itself_still_does(tmp_path: Path) -> None:
    program = PROGRAM.replace(
        "def killed():",
        """def handling():
    signal.signal(signal.SIGTERM, lambda *_: (work(7), os._exit(3)))
    heard, told = os.pipe()
    copy = os.fork()
    if not copy:
        os.write(told, b"ready")
        time.sleep(60)
    os.read(heard, 5)
    os.kill(copy, signal.SIGTERM)
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 3

def killed():""",
    )
    assert turns(counted(tmp_path, "handling", program)) == 7
