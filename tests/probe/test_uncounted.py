"""Which share of a call lies in code that no counter sees: Python of others, and long calls into C."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Each works for so many seconds of CPU time: the shares are known, however quick the machine is.
MODULE = """
import time
import zlib

DATA = bytes(range(256)) * 400

def in_python(seconds):
    until = time.thread_time() + seconds
    turns = 0
    while time.thread_time() < until:
        for turn in range(500):
            turns += turn % 7
    return turns

def in_c(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        zlib.compress(DATA, 9)
"""
ENTRY = """
import signal
import sys
import threading
import other_of_test
from counted_of_test import in_c, in_python

def run(options, workload):
    BODY
"""


def uncounted(folder: Path, body: str, *, seconds: float = 20.0) -> dict[str, float] | None:
    """What a counted run tells of an entry with this body; the entry and `counted_of_test` are counted."""
    (folder / "entry_of_test.py").write_text(ENTRY.replace("BODY", body), encoding="utf-8")
    for name in ("counted_of_test", "other_of_test"):
        (folder / f"{name}.py").write_text(MODULE, encoding="utf-8")
    job = {
        "entry": "entry_of_test:run",
        "options": {},
        "workload": {},
        "packages": ["counted_of_test", "entry_of_test"],
        "path": [str(folder)],
        "profile": False,
        "mode": "count",
        "result": str(folder / "result.json"),
        "uncounted_seconds": seconds,
    }
    path = folder / "job.json"
    path.write_text(json.dumps(job), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "probe", str(path)], cwd=ROOT, check=True)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    found: dict[str, float] | None = result["uncounted"]
    return found


@pytest.mark.parametrize(("own", "other"), [(0.15, 0.05), (0.05, 0.15)])
def test_what_python_of_other_modules_takes_is_their_share_with_the_c_that_they_call(
    tmp_path: Path, own: float, other: float
) -> None:
    body = f"return in_python({own}), other_of_test.in_python({other / 2}), other_of_test.in_c({other / 2})"
    found = uncounted(tmp_path, body)
    assert found is not None
    assert found == {"other_of_test": pytest.approx(other / (own + other), abs=0.08)}


@pytest.mark.parametrize(("own", "library"), [(0.15, 0.05), (0.05, 0.15)])
def test_long_calls_into_c_are_told_by_what_is_called(tmp_path: Path, own: float, library: float) -> None:
    found = uncounted(tmp_path, f"return in_python({own}), in_c({library})")
    assert found is not None
    assert found == {"zlib.compress": pytest.approx(library / (own + library), abs=0.08)}


def test_short_calls_into_c_are_the_work_of_the_lines_around_them(tmp_path: Path) -> None:
    assert uncounted(tmp_path, "return [len(str(n)) for n in range(100_000)]") == {}


@pytest.mark.parametrize(
    "body",
    [
        "sys.setprofile(lambda *_: None)",
        "signal.signal(signal.SIGALRM, lambda *_: None), in_python(0.05)",
        "[one.start() or one.join() for one in [threading.Thread(target=in_python, args=[0.1])]]",
        "in_python(0.05) if len(run.__dict__.setdefault('calls', []) or run.calls) < 2 and not run.calls.append(0) else 1 / 0",
    ],
)
def test_nothing_is_told_of_what_cannot_be_watched_or_raises_when_it_is_called_again(
    tmp_path: Path, body: str
) -> None:
    """The run itself is counted as ever."""
    assert uncounted(tmp_path, body) is None
    result = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert result["status"] == "ok"
    assert result["counts"]["regions"]


def test_a_call_that_would_take_too_long_again_is_not_watched(tmp_path: Path) -> None:
    assert uncounted(tmp_path, "return in_python(0.2)", seconds=0.5) is None
