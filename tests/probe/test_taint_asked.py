"""What the program's own methods answer where Python asks them: truth, length, comparison, class.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "truth": (
        """
class D:
    def __init__(self, a):
        self.a = a
    def __bool__(self):
        return self.a > 0
class L:
    def __init__(self, a):
        self.a = a
    def __len__(self):
        return self.a
def run(o):
    d, one = D(o["A"]), 1
    if d:  # if
        pass
    if not d:  # not
        pass
    while d:  # while
        break
    if L(o["A"]):  # length
        pass
    d.k = D(o["A"])
    if d.k:  # field
        pass
    if one and d:  # and
        pass
    x = not d
    if x:  # kept
        pass
    assert d  # assert
    y = 1 if d else 2  # ternary
    z = [1 for i in [1] if d]  # comprehension
    match one:
        case 1 if d:  # guard
            pass
    class C:
        if d:  # body
            pass
        while d:  # turns
            break
    if one:  # one
        pass
""",
        {"A": 1},
        {
            *((mark, "A", "") for mark in ("if", "not", "while", "length", "field", "and", "kept", "assert")),
            *((mark, "A", "") for mark in ("ternary", "comprehension", "guard", "body", "turns")),
        },
    ),
    "class_test": (
        """
class Proxy:
    def __init__(self, a):
        self.a = a
    @property
    def __class__(self):
        return int if self.a else str
class Meta(type):
    def __instancecheck__(cls, one):
        return one.a > 0
class Positive(metaclass=Meta):
    pass
def run(o):
    p, one = Proxy(o["A"]), 1
    if isinstance(p, int):  # class
        pass
    if isinstance(p, Positive):  # meta
        pass
    x = isinstance(p, int)
    if one:  # one
        pass
    if x:  # kept
        pass
    if isinstance(*[p, int]):  # called
        pass
""",
        {"A": 1},
        {(mark, "A", "") for mark in ("", "class", "meta", "kept", "called")},
    ),
    "comparison": (
        """
class D:
    def __init__(self, a):
        self.a = a
    def __eq__(self, other):
        return self.a == other
    def __lt__(self, other):
        return self.a < other
def run(o):
    d, one = D(o["A"]), 1
    if d == 1:  # eq
        pass
    if d < 3:  # lt
        pass
    x = d == 1
    if one:  # one
        pass
    if x:  # kept
        pass
    while d == 1:  # while
        break
""",
        {"A": 1},
        {(mark, "A", "") for mark in ("eq", "lt", "kept", "while")},
    ),
    "truth_of_the_first_operand": (
        """
class D:
    def __init__(self, a):
        self.a = a
    def __bool__(self):
        return self.a > 0
def f(n):
    if n:  # under
        return 1
def run(o):
    d, one = D(o["A"]), 1
    if d and f(one):  # both
        pass
    if one:  # one
        pass
""",
        {"A": 1},
        {("both", "A", ""), ("under", "", "A")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
