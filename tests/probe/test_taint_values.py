"""Values carry the taints of what they were made of.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "option": (
        """
def run(o):
    if o["A"]:  # x
        return 1
""",
        {"A": 1, "B": 0},
        {("x", "A", "")},
    ),
    "none": (
        """
def run(o):
    x = 3
    if x:  # x
        return 1
""",
        {"A": 1, "B": 0},
        set(),
    ),
    "operator": (
        """
def run(o):
    x = o["A"] + o["B"]
    if x * 2 > 1:  # x
        return x
""",
        {"A": 1, "B": 0},
        {("x", "AB", "")},
    ),
    "unary": (
        """
def run(o):
    x = -o["A"]
    if not x:  # x
        return x
""",
        {"A": 1, "B": 0},
        {("x", "A", "")},
    ),
    "chain": (
        """
def run(o):
    x = o["A"]
    y = o["B"]
    if 0 < x < y:  # x
        return x
""",
        {"A": 1, "B": 0},
        {("x", "AB", "")},
    ),
    "ternary": (
        """
def run(o):
    x = 1 if o["A"] else 2  # t
    if x == 1:  # x
        return x
""",
        {"A": 1, "B": 0},
        {("t", "A", ""), ("x", "A", "")},
    ),
    "and": (
        """
def run(o):
    if (o["A"]  # a
        and o["B"]):
        return 1
""",
        {"A": 1, "B": 0},
        {("a", "A", ""), ("a", "AB", "")},
    ),
    "augmented": (
        """
class C: pass
def run(o):
    x = 1
    x += o["A"]
    if x:  # a
        pass
    c = C()
    c.y = 1
    c.y += o["B"]
    if c.y:  # b
        pass
    d = {"k": 0}
    d["k"] += o["A"]
    if d["k"]:  # d
        pass
    l = [1]
    l += [o["B"]]
    if l[1]:  # l
        pass
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", ""), ("d", "A", ""), ("l", "B", "")},
    ),
    "order": (
        """
class C:
    def __init__(self):
        self.n = 1
    def f(self):
        self.n = 10
        return 5
def run(o):
    c = C()
    c.n += c.f()
    print(c.n)
    d = {"k": 1}
    def g():
        d["k"] = 100
        return 1
    d["k"] += g()
    print(d)
""",
        {"A": 1},
        set(),
    ),
    "fstring": (
        """
def run(o):
    s = f"{o['A']!r:>{o['B']}} {1:.2f}"
    print(s)
    if s:  # s
        pass
""",
        {"A": 1, "B": 5},
        {("s", "AB", "")},
    ),
    "slices": (
        """
def run(o):
    x = list(range(5))
    y = x[o["A"]:]
    if y:  # y
        pass
    x[1:o["B"]] = [9]
    if x[0]:  # x
        pass
    s = "abc"[:o["A"]]
    if s:  # s
        pass
    del x[o["A"]]
    print(x, y, s, x[::-1][f(1):])
def f(v):
    return v
""",
        {"A": 1, "B": 3},
        {("s", "A", ""), ("x", "B", ""), ("y", "A", "")},
    ),
    "string_methods": (
        """
def run(o):
    s = "x" * o["A"]
    t = s.upper().replace("X", "y")
    if t.startswith("y"):  # s
        pass
    u = ",".join(["a", str(o["B"])])
    if u:  # j
        pass
    v = "%s-%d" % ("a", o["A"])
    if v:  # p
        pass
    w = "{} {x}".format(1, x=o["B"])
    if w:  # f
        pass
""",
        {"A": 1, "B": 1},
        {("f", "B", ""), ("j", "B", ""), ("p", "A", ""), ("s", "A", "")},
    ),
    "walrus": (
        """
def run(o):
    if (n := o["A"]) and n:  # w
        pass
    if n:  # n
        pass
    x = [y := 1, y + o["B"]]
    if x[1]:  # x
        pass
    print([last := i for i in range(3)], last)
    while (k := o["A"] - 1):  # k
        pass
""",
        {"A": 1, "B": 1},
        {("k", "A", ""), ("n", "A", ""), ("w", "A", ""), ("x", "B", "")},
    ),
    "getattr": (
        """
class C: pass
def run(o):
    c = C()
    setattr(c, "a", o["A"])
    if getattr(c, "a"):  # a
        pass
    if getattr(c, "b", o["B"]):  # b
        pass
    if getattr(c, "a", o["B"]):  # d
        pass
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", ""), ("d", "A", "")},
    ),
    "re": (
        """
import re
def run(o):
    p = re.compile("a" if o["A"] else "b")  # t
    m = p.match("abc")
    if m:  # m
        pass
    s = re.sub("b", lambda x: x.group() + str(o["B"]), "abc")
    if s:  # s
        pass
""",
        {"A": 1, "B": 1},
        {("m", "A", ""), ("s", "B", ""), ("t", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
