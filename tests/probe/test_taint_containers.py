"""Containers keep a taint per item.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "list": (
        """
def run(o):
    x = [1, o["A"], 3]
    if x[1]:  # a
        pass
    if x[0]:  # b
        pass
    x.append(o["B"])
    for y in x:  # l
        if y:  # y
            pass
    z = x[1:]
    if z[0]:  # z
        pass
    if len(x):  # n
        pass
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("l", "A", ""), ("l", "B", ""), ("y", "", "A"), ("y", "", "B"), ("z", "A", "")},
    ),
    "dict": (
        """
def run(o):
    d = {"a": o["A"], "b": 1}
    if d["a"]:  # a
        pass
    if d["b"]:  # b
        pass
    d["b"] = o["B"]
    if d.get("b"):  # c
        pass
    for k, v in d.items():  # l
        if v:  # v
            pass
    if {**d}["a"]:  # m
        pass
""",
        {"A": 1, "B": 1},
        {
            ("a", "A", ""),
            ("c", "B", ""),
            ("l", "A", ""),
            ("l", "B", ""),
            ("m", "A", ""),
            ("v", "", "A"),
            ("v", "", "B"),
        },
    ),
    "unpack": (
        """
def run(o):
    a, (b, c) = o["A"], (1, o["B"])
    if a:  # a
        pass
    if b:  # b
        pass
    if c:  # c
        pass
    first, *rest = [0, o["A"], o["B"]]
    if rest[0]:  # r
        pass
    if first:  # f
        pass
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("c", "B", ""), ("r", "AB", "")},
    ),
    "starred_display": (
        """
def run(o):
    x = [1, *[o["A"], 2], *(3,)]
    if x[1]:  # a
        pass
    if x[2]:  # b
        pass
    t = (*x, o["B"])
    if t[-1]:  # t
        pass
    print({*x}, {**{"a": 1}, "b": 2})
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("t", "B", "")},
    ),
    "del": (
        """
def run(o):
    d = {"a": o["A"], "b": 1}
    del d["b"]
    x = 1
    del x
    try:
        x
    except UnboundLocalError as e:
        print(e)
    if d["a"]:  # d
        pass
""",
        {"A": 1},
        {("d", "A", "")},
    ),
    "implicit_heap": (
        """
class C:
    def __init__(self):
        self.x = 0
        self.l = []
def run(o):
    c = C()
    if o["A"]:  # a
        c.x = 1
        c.l.append(2)
    if c.x:  # x
        pass
    for i in c.l:  # l
        pass
    if c.l:  # e
        pass
""",
        {"A": 1},
        {("a", "A", ""), ("e", "A", ""), ("l", "A", ""), ("x", "A", "")},
    ),
    "zip_enumerate": (
        """
def run(o):
    x = [0, o["A"]]
    for i, v in enumerate(x):  # e
        if v:  # v
            pass
    for a, b in zip(x, [o["B"], 0]):  # z
        if b:  # b
            pass
    for k in reversed(x):  # r
        pass
    print(list(zip(x, "ab")), dict(zip("ab", x)), list(enumerate(x, 1)))
""",
        {"A": 1, "B": 0},
        {
            ("b", "", "A"),
            ("b", "", "B"),
            ("e", "A", ""),
            ("r", "A", ""),
            ("v", "", "A"),
            ("z", "A", ""),
            ("z", "B", ""),
        },
    ),
    "deque_and_islice": (
        """
from collections import deque
from itertools import islice

def run(o):
    x = [0, o["A"], o["B"]]
    d = deque(x, 2)
    if d.pop():  # b
        pass
    if d.pop():  # a
        pass
    for v in islice(x, 1):  # i
        if v:  # v
            pass
    for v in islice(x, 1, None):  # j
        pass
    for v in islice([1], o["B"]):  # n
        pass
    print(deque(x), deque(x, maxlen=1), list(islice(iter(x), 2)), deque("ab"))
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", ""), ("j", "A", ""), ("j", "B", ""), ("n", "B", "")},
    ),
    "bool_of_a_container": (
        """
def run(o):
    x = [o["A"]]
    if bool(x):  # n
        pass
    if o["B"]:  # b
        x.append(1)
    if bool(x):  # m
        pass
    print(bool(), bool([]), bool(x))
""",
        {"A": 1, "B": 1},
        {("b", "B", ""), ("m", "B", "")},
    ),
    "condition_of_a_comprehension_is_empty": (
        """
def run(o):
    held = []
    if o["A"]:  # a
        held.append(1)
    found = [x for x in [1, 2] if held]  # kept
    if found:  # found
        pass
""",
        {"A": 1},
        {("a", "A", ""), ("kept", "A", ""), ("found", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
