"""Counters say exactly how often things happen, and change nothing else."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probe import counting
from tests.probe.programs import outcome

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
