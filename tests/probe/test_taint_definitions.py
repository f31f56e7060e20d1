"""Functions and classes of rarer kinds: the program does the same, and its decisions are known."""

from pathlib import Path

import pytest

from probe.taint.tracing import traced
from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "properties_and_slots": (
        """
class C:
    __slots__ = ("_v",)
    def __init__(self, v):
        self._v = v
    @property
    def v(self):
        return self._v
    @v.setter
    def v(self, v):
        self._v = v + 1
    @v.deleter
    def v(self):
        del self._v
def run(o):
    c = C(o["A"])
    if c.v:  # a
        pass
    c.v = o["B"]
    if c.v:  # b
        pass
    del c.v
    return hasattr(c, "v")
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", "")},
    ),
    "class_body_and_metaclass": (
        """
class Meta(type):
    def __new__(cls, name, bases, body, **k):
        return super().__new__(cls, name, bases, body)
def make(flag):
    class C(metaclass=Meta):
        a = flag
        b = [x for x in [a, 2]]
        if flag:  # f
            def m(self):
                return 1
        else:
            def m(self):
                return 2
    return C
def run(o):
    c = make(o["A"])()
    if c.a:  # a
        pass
    return c.m(), c.b
""",
        {"A": 1},
        {("a", "A", ""), ("f", "A", "")},
    ),
    "class_decorator_and_wraps": (
        """
import functools
def mark(cls):
    cls.marked = True
    return cls
def twice(f):
    @functools.wraps(f)
    def inner(*a, **k):
        f(*a, **k)
        return f(*a, **k)
    return inner
@mark
class C:
    @twice
    def m(self, x, *, y=0):
        if x:  # x
            print(y)
        return x
    @functools.cached_property
    def p(self):
        return 3
def run(o):
    c = C()
    return c.m(o["A"], y=1), c.p, C.marked, C.m.__name__
""",
        {"A": 1},
        {("x", "A", "")},
    ),
    "nonlocal_and_global": (
        """
count = 0
def counter():
    n = 0
    def step(by):
        nonlocal n
        global count
        n += by
        count += 1
        return n
    return step
def run(o):
    step = counter()
    step(o["A"])
    n = step(0)
    if n:  # n
        pass
    return n, count
""",
        {"A": 1},
        {("n", "A", "")},
    ),
    "signatures": (
        """
def f(a, /, b, *c, d, e=5, **g):
    if a:  # a
        pass
    if d:  # d
        pass
    if c:  # c
        pass
    return a, b, c, d, e, g
def run(o):
    words = [1, 2]
    return f(o["A"], *words, d=o["B"], **{"h": 1}), (lambda x, y=2, *z, w=3: (x, y, z, w))(1, w=o["A"])
""",
        {"A": 1, "B": 0},
        {("a", "A", ""), ("d", "B", "")},
    ),
    "wrong_arguments": (
        """
nothing = None
def f(a, b=1):
    return a
def run(o):
    for call in (lambda: f(len([])) or f(1, 2, len([1])), lambda: f(b=len([])), lambda: nothing(len([]))):
        try:
            call()
        except TypeError as e:
            print(e)
    return f(
        len([1]),
        c=len([2]),
    )
""",
        {"A": 1},
        set(),
    ),
    "special_methods": (
        """
class V:
    def __init__(self, v):
        self.v = v
    def __getattr__(self, name):
        return name
    def __getitem__(self, key):
        return self.v
    def __call__(self, x):
        return self.v + x
    def __contains__(self, x):
        return bool(self.v)
    def __bool__(self):
        return bool(self.v)
    def __lt__(self, other):
        return self.v < other.v
    def __or__(self, other):
        return V(self.v | other.v)
    def __format__(self, spec):
        return f"<{self.v}{spec}>"
def run(o):
    a, b = V(o["A"]), V(2)
    if a["k"]:  # item
        pass
    if a(1):  # call
        pass
    if 1 in b:  # in
        pass
    c = a | b
    if c.v:  # or
        pass
    return [x.v for x in sorted([b, a])], a.missing, f"{a:x}", bool(a)
""",
        {"A": 1},
        {("call", "A", ""), ("item", "A", ""), ("or", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_marked_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    found = Programs(tmp_path).run(text, **options)
    assert {one for one in found if one[0]} == expected


def test_a_call_of_what_is_not_rewritten_leaves_no_taint_to_what_is_imported_after_it(tmp_path: Path) -> None:
    """A decorator that ran at the import of the next program got the options of the former one."""
    text = """
def deco(f):
    def w(x):
        return f(x)
    return w
@deco
def f(x):
    if x:  # f
        return 1
def run(o):
    f(o["A"])
"""
    traced(lambda options: options["A"], {"A": 1, "B": 1})
    assert Programs(tmp_path).run(text, A=1, B=1) == {("f", "A", "")}
