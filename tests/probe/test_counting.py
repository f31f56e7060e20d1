"""Counters say exactly how often things happen, and change nothing else."""

import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from probe import counting
from tests.probe.programs import outcome

ROOT = Path(__file__).resolve().parents[2]
TEXT = '''"""A module."""
from __future__ import annotations


class __Thing:
    """A class whose name begins with two underscores."""

    def __private(self, n):
        """Text only, then a loop."""
        while n:
            n -= 1
            if n % 2:
                yield n
            elif n == 4:
                print("four")
            else:
                continue

    def run(self, n):
        return list(self.__private(n))


def documented():
    """Nothing else."""


def match(value):
    match value:
        case 1:
            return "one"
        case [_, *_]:
            return "some"
    try:
        return value / 0
    except ZeroDivisionError:
        raise ValueError("no") from None


def run(n):
    documented()
    print([match(1), match([2])], f"{locals()}")
    for _ in range(n):
        __Thing().run(n)
    return match(n)
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "counted_program.py").write_text(TEXT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    hook = counting.install(["counted_program"])
    counting.clear()
    yield importlib.import_module("counted_program")
    sys.meta_path.remove(hook)
    sys.modules.pop("counted_program", None)


def test_entries_branches_turns_cases_and_handlers_are_counted(module: Any) -> None:
    with pytest.raises(ValueError, match="no"):
        module.run(5)
    regions = counting.counted()["regions"]
    assert regions["counted_program:__Thing.__private"] == [
        [8, 4, "call", 5],
        [10, 8, "turn", 25],
        [12, 12, "if", 10],
        [14, 12, "else", 10],
        [14, 12, "if", 5],
    ]
    assert regions["counted_program:documented"] == [[23, 0, "call", 1]]
    assert regions["counted_program:match"] == [
        [27, 0, "call", 3],
        [29, 13, "case", 1],
        [31, 13, "case", 1],
        [35, 4, "except", 1],
    ]


def test_two_calls_count_the_same_and_what_was_counted_can_be_forgotten(module: Any) -> None:
    def counts(n: int) -> object:
        counting.clear()
        with pytest.raises(ValueError, match="no"):
            module.run(n)
        return counting.counted()

    assert counts(4) == counts(4) != counts(5)
    counting.clear()
    assert counting.counted()["regions"] == {}


def test_output_and_traceback_are_those_of_the_plain_program(module: Any, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    plain: dict[str, Any] = {"__name__": "counted_program"}
    exec(compile(TEXT, str(path), "exec"), plain)  # noqa: S102 - the program of the test
    counted: dict[str, Any] = {"__name__": "counted_program"}
    exec(counting.compiled(TEXT.encode(), "counted_program", str(path)), counted)  # noqa: S102
    assert outcome(lambda: plain["run"](3)) == outcome(lambda: counted["run"](3))
    assert set(plain) == set(counted)


def test_threads_lose_no_counts(module: Any) -> None:
    def calls() -> None:
        for _ in range(20_000):
            module.documented()

    threads = [threading.Thread(target=calls) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counting.counted()["regions"] == {"counted_program:documented": [[23, 0, "call", 80_000]]}


def test_handlers_of_groups_and_coroutines_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """
import asyncio

async def numbers(n):
    for i in range(n):
        yield i

async def first():
    async for number in numbers(3):
        try:
            raise ExceptionGroup("both", [ValueError(number), KeyError(number)])
        except* ValueError:
            pass
        except* KeyError:
            pass

def run():
    asyncio.run(first())
"""
    (tmp_path / "grouped_program.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    counting.install(["grouped_program"])
    program = importlib.import_module("grouped_program")
    counting.clear()
    program.run()
    assert counting.counted()["regions"]["grouped_program:first"] == [
        [8, 0, "call", 1],
        [9, 4, "turn", 3],
        [12, 8, "except", 3],
        [14, 8, "except", 3],
    ]


def test_fresh_processes_count_the_same_whatever_the_seed_of_their_hashes(tmp_path: Path) -> None:
    text = """
def run(options, workload):
    seen = {}
    for word in {str(n) for n in range(200)}:
        if word.endswith("7"):
            seen[word] = len(word)
        else:
            seen.setdefault(word[-1], word)
    return len(seen)
"""
    (tmp_path / "seeded_program.py").write_text(text, encoding="utf-8")
    said = []
    for seed in ("1", "2"):
        result = tmp_path / f"{seed}.json"
        job = {
            "entry": "seeded_program:run",
            "options": {},
            "workload": {},
            "packages": ["seeded_program"],
            "path": [str(tmp_path)],
            "profile": False,
            "interval_seconds": 0.001,
            "mode": "count",
            "result": str(result),
        }
        path = tmp_path / "job.json"
        path.write_text(json.dumps(job), encoding="utf-8")
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "-m", "probe", str(path)], env=environment, check=True)
        said.append(json.loads(result.read_text(encoding="utf-8"))["counts"])
    assert said[0] == said[1]
    assert said[0]["regions"]["seeded_program:run"] == [
        [2, 0, "call", 1],
        [4, 4, "turn", 200],
        [5, 8, "else", 180],
        [5, 8, "if", 20],
    ]


def test_kept_code_counts_the_same_and_what_is_torn_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second process finds the rewritten code and rewrites nothing; where the file is cut short it does."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / "kept_program.py").write_text(TEXT, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    rewritten: list[object] = []
    monkeypatch.setattr(counting.CounterInserter, "visit", _told(counting.CounterInserter.visit, rewritten))

    def counts() -> object:
        monkeypatch.setattr(counting, "_modules", [])
        hook = counting.install(["kept_program"], str(kept), str(kept))
        try:
            module = importlib.import_module("kept_program")
        finally:
            sys.meta_path.remove(hook)
            sys.modules.pop("kept_program", None)
        counting.clear()
        with pytest.raises(ValueError, match="no"):
            module.run(5)
        return counting.counted()

    first = counts()
    assert rewritten
    rewritten.clear()
    assert counts() == first
    assert rewritten == []
    (file,) = kept.iterdir()
    file.write_bytes(file.read_bytes()[:100])
    assert counts() == first
    assert rewritten


def _told(visit: Callable[..., Any], told: list[object]) -> Callable[..., Any]:
    def telling(counters: counting.CounterInserter, node: Any) -> Any:
        told.append(node)
        return visit(counters, node)

    return telling
