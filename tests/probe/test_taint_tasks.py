"""Threads and tasks that interleave: the program does the same, and each keeps its own taints."""

import sys
from pathlib import Path

import pytest

from probe.taint.flows import FLOWS
from probe.taint.instrument import install_names
from probe.taint.shadows import _Table
from probe.taint.tracing import traced
from tests.probe.programs import Decision, Programs, forget

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "threads": (
        """
import threading
def work(name, value, mine, other, out):
    for turn in range(20):
        mine.wait()
        mine.clear()
        if value:  # w
            out.append((name, turn))
        plain = turn
        if plain > 30:  # p
            out.append("never")
        other.set()
def run(o):
    one, two = threading.Event(), threading.Event()
    out = []
    threads = [
        threading.Thread(target=work, args=("a", o["A"], one, two, out)),
        threading.Thread(target=work, args=("b", 1, two, one, out)),
    ]
    for thread in threads:
        thread.start()
    one.set()
    for thread in threads:
        thread.join()
    return out
""",
        {"A": 1, "B": 0},
        set(),
    ),
    "tasks": (
        """
import asyncio
async def work(name, value, out):
    if value:  # w
        for turn in range(3):
            await asyncio.sleep(0)
            out.append((name, turn))
    else:
        await asyncio.sleep(0)
    plain = len(name)
    if plain > 3:  # p
        out.append("never")
async def main(o):
    out = []
    await asyncio.gather(work("a", o["A"], out), work("b", o["B"], out), work("c", 0, out))
    if len(name_of(0)) > 1:  # m
        pass
    return out
def name_of(x):
    return "n"
def run(o):
    return asyncio.run(main(o))
""",
        {"A": 1, "B": 0},
        {("w", "A", ""), ("w", "B", "")},
    ),
    "contextvars": (
        """
import asyncio, contextvars
VALUE = contextvars.ContextVar("VALUE", default=0)
async def work(value):
    VALUE.set(value)
    await asyncio.sleep(0)
    return VALUE.get()
async def main(o):
    return await asyncio.gather(work(o["A"]), work(o["B"]))
def run(o):
    return asyncio.run(main(o))
""",
        {"A": 1, "B": 2},
        set(),
    ),
    "async_with_and_for": (
        """
import asyncio
class M:
    def __init__(self, v):
        self.v = v
    async def __aenter__(self):
        await asyncio.sleep(0)
        return self.v
    async def __aexit__(self, *e):
        return True
async def items(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i
async def main(o):
    async with M(o["A"]) as v:
        if v:  # v
            raise KeyError(v)
    found = [i async for i in items(2)]
    async for i in items(o["B"]):
        found.append(i)
    return found
def run(o):
    return asyncio.run(main(o))
""",
        {"A": 1, "B": 2},
        {("v", "A", "")},
    ),
    "awaits_in_arguments": (
        """
import asyncio
async def g(x):
    await asyncio.sleep(0)
    return x
def f(a, b, c=0):
    if a:  # a
        pass
    if b:  # b
        pass
    return a, b, c
async def main(o):
    return f(await g(o["A"]), await g(0), c=await g(3))
def gen(o):
    x = f((yield 1), (yield o["A"]))
    yield x
def run(o):
    g = gen(o)
    return asyncio.run(main(o)), next(g), g.send(4), g.send(5)
""",
        {"A": 1},
        {("a", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_marked_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    found = Programs(tmp_path).run(text, **options)
    # Which thread comes to its own decisions when is not told here; see below.
    assert {one for one in found if one[0]} >= expected


def test_threads_keep_their_control_taints_apart(tmp_path: Path) -> None:
    """What an option decides in one thread does not taint what another does between two of its steps."""
    text, _, _ = CASES["threads"]
    found = Programs(tmp_path).run(text, A=1, B=0)
    assert not {one for one in found if one[0] == "p" and one[1:] != ("", "")}


def test_tasks_keep_their_control_taints_apart(tmp_path: Path) -> None:
    """A task that decides on A and waits does not taint another's decision, nor what comes after both."""
    text, options, expected = CASES["tasks"]
    found = Programs(tmp_path).run(text, **options)
    assert {one for one in found if one[0]} == expected


_KEPT = """
import threading
class Kept:
    def __init__(self, value):
        self.value = value
        self.own = {"x": value}
"""
_STEP = """
def step_NUMBER(value, turn):
    a = value + turn
    b = [a, value]
    c = {turn: a, "b": b}
    d = Kept(a)
    e = (b[0], c["b"], d.value, d.own["x"])
    return e[0] + a, c, d
"""
_TOGETHER = """
STEPS = [one for name, one in sorted(globals().items()) if name.startswith("step_")]
def run(o):
    begin, out = threading.Barrier(6), []
    def work(name):
        begin.wait()
        value, kept = o[name], {}
        for at, step in enumerate(STEPS):
            kept[at] = step(value, at)
        out.append(value)
    threads = [threading.Thread(target=work, args=(name,)) for name in sorted(o)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(out)
"""


def test_threads_that_run_at_once_do_not_fail_because_of_the_tracing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes numbers of its own, and goes through a table that another adds to."""
    monkeypatch.setattr(_Table, "smallest", 64)
    monkeypatch.setattr(_Table, "full", 64)
    options = {name: at for at, name in enumerate("ABCDEF")}
    text = "".join([_KEPT, *(_STEP.replace("NUMBER", str(number)) for number in range(60)), _TOGETHER])
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    install_names()
    try:
        for _ in range(5):
            forget()
            FLOWS.begin(len(options))
            module = Programs(tmp_path).load(text, rewritten=True)
            assert traced(module.run, options) == [0, 1, 2, 3, 4, 5]
    finally:
        sys.setswitchinterval(before)
        forget()
