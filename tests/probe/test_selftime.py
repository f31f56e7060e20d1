"""Self time goes to the function that used it, and nothing is lost or counted twice."""

import importlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

import pytest

from probe import selftime
from probe.selftime import DEEPER, MOST_FRAMES, TimerTaken, sampled

PROGRAM = """
import threading, time

def main(n):
    for _ in range(n):
        hot()
        cold()

def hot():
    return sum(x * x for x in range(3000))

def cold():
    return len("x")

def straight(n):
    a = 1.5
    for _ in range(n):
        a = a * 2 - a + a * 3 - a * 3; a = a * 2 - a + a * 3 - a * 3; a = a * 2 - a + a * 3 - a * 3
        a = a * 2 - a + a * 3 - a * 3; a = a * 2 - a + a * 3 - a * 3; a = a * 2 - a + a * 3 - a * 3
        nothing()

def nothing():
    pass

class Thing:
    def nested(self, n):
        def inner(k):
            return [(lambda z: z + 1)(y) for y in range(k)]
        return {k: inner(40) for k in range(n)}

def in_a_library(n):
    import json
    for _ in range(n):
        json.dumps(list(range(500)), indent=1)

def in_threads(n):
    thread = threading.Thread(target=main, args=(n,))
    thread.start()
    thread.join()

def one_way(n):
    for _ in range(3 * n):
        hot()

def other_way(n):
    for _ in range(n):
        hot()

# In turns: the time that passes while a busy machine lets nobody look goes to where it is looked at next.
def both_ways(n):
    for _ in range(n):
        one_way(1)
        other_way(1)

def deep(n):
    return deeper(n - 1) if n else [hot() for _ in range(40)]

def deeper(n):
    return deep(n)

def asleep():
    time.sleep(0.2)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The program above, as a module of a package."""
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured" / "__init__.py").touch()
    (tmp_path / "measured" / "work.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("measured.work")
    for name in ("measured.work", "measured"):
        del sys.modules[name]


def profiled(call: Any, packages: tuple[str, ...] = ("measured",)) -> dict[str, Any]:
    return sampled(call, packages=packages, interval_seconds=0.0005).profile()


def share(result: dict[str, Any], name: str) -> float:
    """The part of all CPU time that a region of the program has."""
    region = result["regions"].get(f"measured.work:{name}", {"seconds": 0.0})
    return float(region["seconds"] / result["cpu_seconds"])


def test_regions_and_the_program_sum_to_the_cpu_time_of_the_call(program: ModuleType) -> None:
    result = profiled(lambda: program.main(300))
    parts = sum(region["seconds"] for region in result["regions"].values()) + result["program_seconds"]
    assert parts == pytest.approx(result["cpu_seconds"], rel=1e-9)
    for region in result["regions"].values():
        assert sum(region["lines"].values()) == pytest.approx(region["seconds"], rel=1e-9)


def test_the_hot_function_has_most_of_the_time(program: ModuleType) -> None:
    result = profiled(lambda: program.main(600))
    assert share(result, "hot") > 0.8
    assert share(result, "cold") < 0.1


def test_time_in_straight_line_code_is_not_the_next_functions(program: ModuleType) -> None:
    result = profiled(lambda: program.straight(200_000))
    assert share(result, "straight") > 0.8
    assert share(result, "nothing") < 0.1


def test_nested_functions_lambdas_and_comprehensions_belong_to_their_method(program: ModuleType) -> None:
    result = profiled(lambda: program.Thing().nested(8000))
    assert list(result["regions"]) == ["measured.work:Thing.nested"]
    function = result["functions"]["measured.work:Thing.nested"]
    assert function["file"] == "measured/work.py"
    first, last = function["first_line"], function["last_line"]
    lines = result["regions"]["measured.work:Thing.nested"]["lines"]
    assert all(first <= int(line) <= last for line in lines)


def test_time_in_another_library_belongs_to_the_line_that_called_it(program: ModuleType) -> None:
    result = profiled(lambda: program.in_a_library(300))
    assert list(result["regions"]) == ["measured.work:in_a_library"]
    call = next(at for at, line in enumerate(PROGRAM.splitlines(), 1) if "json.dumps" in line)
    lines = result["regions"]["measured.work:in_a_library"]["lines"]
    assert lines[str(call)] > 0.8 * sum(lines.values())


def test_a_package_that_was_not_asked_for_has_no_regions(program: ModuleType) -> None:
    result = profiled(lambda: program.main(100), packages=("measure", "work"))
    assert result["regions"] == {}
    assert result["program_seconds"] == result["cpu_seconds"]


def test_other_threads_count_for_the_program_region(program: ModuleType) -> None:
    result = profiled(lambda: program.in_threads(300))
    assert result["program_seconds"] > 0.8 * result["cpu_seconds"]


def test_waiting_is_wall_time_and_no_regions_time(program: ModuleType) -> None:
    result = profiled(program.asleep)
    assert result["wall_seconds"] >= 0.2
    assert result["cpu_seconds"] < 0.1


def test_the_timer_is_put_back(program: ModuleType) -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(ZeroDivisionError):
        profiled(lambda: 1 / 0)
    assert signal.getsignal(signal.SIGALRM) == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_program_that_takes_the_timer_is_told_so() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(TimerTaken, match="without a profile"):
        profiled(lambda: signal.signal(signal.SIGALRM, signal.SIG_IGN))
    assert signal.getsignal(signal.SIGALRM) == before


def test_another_thread_than_the_main_one_is_refused() -> None:
    said: list[str] = []

    def refused() -> None:
        try:
            profiled(time.time)
        except RuntimeError as error:
            said.append(str(error))

    thread = threading.Thread(target=refused)
    thread.start()
    thread.join()
    assert "main thread" in said[0]


def test_a_deep_stack_and_a_tiny_interval_do_no_harm(program: ModuleType) -> None:
    def deep(left: int) -> int:
        return deep(left - 1) if left else int(program.main(200) is None)

    result = sampled(lambda: deep(300), packages=("measured",), interval_seconds=0.00002).profile()
    assert result["ticks"] > 100


def by_path(result: dict[str, Any]) -> dict[tuple[str, ...], float]:
    """Self seconds by the names of the functions on the path."""
    paths: list[tuple[str, ...]] = []
    found = {}
    for parent, key, seconds in result["paths"]["nodes"]:
        above = paths[parent] if parent >= 0 else ()
        paths.append((*above, key.rpartition(":")[2]))
        found[paths[-1]] = seconds
    return found


def test_paths_hold_the_self_time_of_every_region(program: ModuleType) -> None:
    result = profiled(lambda: program.both_ways(100))
    for key, region in result["regions"].items():
        held = [seconds for _, own, seconds in result["paths"]["nodes"] if own == key]
        assert sum(held) == pytest.approx(region["seconds"], rel=1e-9)
    assert result["paths"]["cut_seconds"] == pytest.approx(0, abs=1e-9)


def test_a_function_that_is_called_on_two_ways_has_the_time_of_each(program: ModuleType) -> None:
    shares = []
    for _ in range(5):
        paths = by_path(profiled(lambda: program.both_ways(400)))
        one, other = paths["both_ways", "one_way", "hot"], paths["both_ways", "other_way", "hot"]
        shares.append(one / (one + other))
    # A machine that stands still for a tenth of a second gives all of that to where it goes on.
    assert median(shares) == pytest.approx(0.75, abs=0.1)


def test_a_function_and_those_nested_in_it_are_one_node(program: ModuleType) -> None:
    assert list(by_path(profiled(lambda: program.Thing().nested(4000)))) == [("Thing.nested",)]


def test_a_path_that_is_too_deep_begins_in_the_middle_and_says_so(program: ModuleType) -> None:
    paths = by_path(profiled(lambda: program.deep(150)))
    # Where a call is entered or left, a frame more or less is seen.
    hot = [path for path in paths if path[-1] == "hot"]
    assert {path[0] for path in hot} == {DEEPER}
    assert max(map(len, hot)) <= MOST_FRAMES + 1


def test_of_too_many_stacks_the_time_is_that_of_their_regions_alone(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftime, "MOST_STACKS", 1)
    result = profiled(lambda: program.both_ways(60))
    held = sum(seconds for *_, seconds in result["paths"]["nodes"])
    inside = sum(region["seconds"] for region in result["regions"].values())
    assert result["paths"]["cut_seconds"] == pytest.approx(inside - held)
    assert result["paths"]["cut_seconds"] > 0


def test_of_too_many_nodes_the_paths_that_took_least_are_cut(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selftime, "MOST_NODES", 3)
    result = profiled(lambda: program.both_ways(200))
    assert list(by_path(result)) == [
        ("both_ways",),
        ("both_ways", "one_way"),
        ("both_ways", "one_way", "hot"),
    ]
    assert result["paths"]["cut_seconds"] > 0
