"""Objects keep the taints of their attributes.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "method": (
        """
class C:
    def __init__(self, a):
        self.a = a
        self.b = 0
    def m(self):
        if self.a:  # m
            return 1
        if self.b:  # b
            pass
def run(o):
    c = C(o["A"])
    if c.m():  # r
        pass
    if c.b:  # cb
        pass
""",
        {"A": 1},
        {("m", "A", ""), ("r", "A", "")},
    ),
    "property": (
        """
class C:
    def __init__(self, a):
        self._a = a
    @property
    def a(self):
        return self._a
    @a.setter
    def a(self, v):
        self._a = v
def run(o):
    c = C(o["A"])
    if c.a:  # p
        pass
    c.a = o["B"]
    if c.a:  # q
        pass
""",
        {"A": 1, "B": 1},
        {("p", "A", ""), ("q", "B", "")},
    ),
    "class_body": (
        '''
def run(o):
    class C:
        """Doc."""
        x = o["A"]
        y = 1
        if x:  # b
            z = 3
        w = [x for x in range(2)]  # w
        def m(self):
            return self.x
    if C.x:  # x
        pass
    if C().m():  # m
        pass
    if C.y:  # y
        pass
    print(sorted(k for k in vars(C) if k[0] != "_"), C.__doc__)  # v
''',
        {"A": 1},
        {("b", "A", ""), ("m", "A", ""), ("v", "", "A"), ("v", "A", ""), ("x", "A", "")},
    ),
    "dataclass": (
        """
import dataclasses
@dataclasses.dataclass
class D:
    a: int
    b: int = 0
    c: list = dataclasses.field(default_factory=list)
    def __post_init__(self):
        if self.a:  # p
            pass
def run(o):
    d = D(o["A"], b=o["B"])
    if d.a:  # a
        pass
    if d.b:  # b
        pass
    if d.c:  # c
        pass
    print(d, d == D(1, 2))
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", ""), ("p", "A", "")},
    ),
    "namedtuple": (
        """
from typing import NamedTuple
from collections import namedtuple
class N(NamedTuple):
    a: int
    b: int = 0
M = namedtuple("M", "x y")
def run(o):
    n = N(o["A"])
    if n.a:  # a
        pass
    if n.b:  # b
        pass
    m = M(1, y=o["B"])
    if m[1]:  # y
        pass
    if m.x:  # x
        pass
    print(N.__module__, M.__module__, m)
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("y", "B", "")},
    ),
    "dunder": (
        """
class V:
    def __init__(self, v):
        self.v = v
    def __add__(self, other):
        return V(self.v + other.v)
    def __bool__(self):
        return bool(self.v)
    def __getitem__(self, k):
        return self.v
    def __iter__(self):
        yield self.v
    def __len__(self):
        return self.v
    def __contains__(self, x):
        return self.v == x
    def __call__(self, x):
        return self.v
    def __getattr__(self, n):
        if n == "dyn":
            return self.v
        raise AttributeError(n)
def run(o):
    v = V(o["A"])
    if v[0]:  # i
        pass
    if len(v):  # n
        pass
    if 1 in v:  # c
        pass
    if v(2):  # k
        pass
    if v.dyn:  # d
        pass
    for x in v:  # l
        if x:  # x
            pass
    w = v + V(o["B"])
    if w.v:  # w
        pass
    print(hasattr(v, "no"))
""",
        {"A": 1, "B": 1},
        {
            ("c", "A", ""),
            ("d", "A", ""),
            ("i", "A", ""),
            ("k", "A", ""),
            ("l", "A", ""),
            ("n", "A", ""),
            ("w", "AB", ""),
            ("x", "", "A"),
        },
    ),
    "super": (
        """
class A:
    def __init__(self, v):
        self.v = v
    def m(self, x):
        return x
class B(A):
    def __init__(self, v):
        super().__init__(v)
        self.__p = v
    def m(self, x):
        return super().m(x) or self.__p
def run(o):
    b = B(o["A"])
    if b.v:  # v
        pass
    if b.m(o["B"]):  # m
        pass
""",
        {"A": 1, "B": 0},
        {("", "B", ""), ("m", "AB", ""), ("v", "A", "")},
    ),
    "static": (
        """
class C:
    @staticmethod
    def s(x):
        return x
    @classmethod
    def c(cls, x):
        return x
    __slots__ = ("q",)
def run(o):
    if C.s(o["A"]):  # s
        pass
    if C.c(o["B"]):  # c
        pass
    c = C()
    c.q = o["A"]
    if c.q:  # q
        pass
""",
        {"A": 1, "B": 1},
        {("c", "B", ""), ("q", "A", ""), ("s", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
