"""Exceptions are those of the plain program, raised on the same lines.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "raises": (
        """
def g(x):
    raise RuntimeError(
        "boom %s" % x
    )
def f(x):
    y = [
        1,
        g(x),
    ]
    return y
def run(o):
    try:
        f(o["A"])
    except RuntimeError as e:
        raise KeyError("k") from e
""",
        {"A": 1},
        set(),
    ),
    "raises_operator": (
        """
def run(o):
    x = o["A"]
    y = {}
    return (x +
        y["z"])
""",
        {"A": 1},
        set(),
    ),
    "raises_attr": (
        """
class C: pass
def h(c):
    return c.a.b
def run(o):
    c = C()
    c.a = C()
    return h(c)
""",
        {"A": 1},
        set(),
    ),
    "raises_type": (
        """
def run(o):
    return f(1, 2, o["A"])
def f(x):
    return x
""",
        {"A": 1},
        set(),
    ),
    "raises_unpack": (
        """
def run(o):
    for a, b in [(1, 2), (1, 2, o["A"])]:
        print(a)
""",
        {"A": 1},
        set(),
    ),
    "raises_call": (
        """
def run(o):
    return sorted([1, "a", o["A"]], key=lambda v: v)
""",
        {"A": 1},
        set(),
    ),
    "raised_inside_of_built_ins": (
        """
class P:
    def __init__(self, o):
        self.o = o
    @property
    def v(self):
        if self.o["B"]:  # property
            raise ValueError
        return 1
def run(o):
    def key(x):
        if o["A"]:  # key
            raise ValueError(x)
        return x
    try:
        [2, 1].sort(key=key)
    except ValueError:  # sort
        print("caught")
    try:
        getattr(P(o), "v", 0)
    except ValueError:  # getattr
        print("caught")
""",
        {"A": 1, "B": 1},
        {("key", "A", ""), ("sort", "A", ""), ("property", "B", ""), ("getattr", "B", "")},
    ),
    "exit": (
        """
def run(o):
    raise SystemExit(3)
""",
        {"A": 1},
        set(),
    ),
    "groups": (
        """
def run(o):
    try:
        raise ExceptionGroup("g", [ValueError(o["A"]), KeyError(2)])
    except* ValueError as e:
        print("v", e.exceptions)
    except* KeyError as e:
        print("k", e.exceptions)
    try:
        f(o["A"])
    except* TypeError:
        pass
def f(x):
    if x:  # f
        raise ExceptionGroup("h", [ValueError(1)])
""",
        {"A": 1},
        {("f", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
