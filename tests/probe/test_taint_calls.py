"""Taints go where arguments go, and come back with results.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "call": (
        """
def f(x, y):
    if y:  # f
        return x
def run(o):
    z = f(o["A"], o["B"])
    if z:  # z
        pass
""",
        {"A": 1, "B": 1},
        {("f", "B", ""), ("z", "AB", "")},
    ),
    "class_test": (
        """
def run(o):
    a = o["A"]
    if isinstance(a, int):  # a
        pass
    if isinstance(o["B"], (int, str)):  # b
        pass
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", "")},
    ),
    "class_test_of_its_own": (
        """
def isinstance(x, y):
    if y:  # y
        return x
def run(o):
    a = o["A"]
    b = o["B"]
    if isinstance(a, b):  # a
        pass
""",
        {"A": 1, "B": 1},
        {("y", "B", ""), ("a", "AB", "")},
    ),
    "call_names": (
        """
def f(x, y):
    if y:  # f
        return x
def run(o):
    a = o["A"]
    b = o["B"]
    z = f(y=b, x=a)
    if z:  # z
        pass
""",
        {"A": 1, "B": 1},
        {("f", "B", ""), ("z", "AB", "")},
    ),
    "star_args": (
        """
def f(*a, k=0, **kw):
    if a[0]:  # a
        pass
    if k:  # k
        pass
    if kw["m"]:  # m
        pass
    if a[1]:  # z
        pass
def run(o):
    f(o["A"], 2, k=o["B"], m=o["C"])
    args = [o["A"], 0]
    kw = {"k": o["B"], "m": o["C"]}
    f(*args, **kw)
""",
        {"A": 1, "B": 1, "C": 1},
        {("a", "A", ""), ("k", "B", ""), ("m", "C", "")},
    ),
    "lambda": (
        """
def run(o):
    f = lambda x, *a, k=1: x + k
    if f(o["A"], k=o["B"]):  # f
        pass
    g = lambda: o["A"]
    if g():  # g
        pass
    x = sorted([(1, 2), (0, o["B"])], key=lambda p: p[0])
    if x[0][1]:  # x
        pass
    if list(map(lambda v: v + 1, [o["A"]]))[0]:  # m
        pass
""",
        {"A": 1, "B": 1},
        {("f", "AB", ""), ("g", "A", ""), ("m", "A", ""), ("x", "B", "")},
    ),
    "closure": (
        """
def run(o):
    a = o["A"]
    def f():
        if a:  # f
            return 1
    f()
    fs = [lambda: b for b in (o["B"], 0)]
    if fs[0]():  # c
        pass
""",
        {"A": 1, "B": 1},
        {("", "B", ""), ("c", "B", ""), ("f", "A", "")},
    ),
    "decorator": (
        """
import functools
def deco(f):
    @functools.wraps(f)
    def w(*a, **k):
        return f(*a, **k)
    return w
def par(n):
    def d(f):
        def w(x):
            if n:  # n
                return f(x)
        return w
    return d
@deco
def f(x, y=0):
    if x:  # f
        return y
def run(o):
    if f(o["A"], y=o["B"]):  # r
        pass
    @par(o["A"])
    def g(x):
        return x
    if g(o["B"]):  # g
        pass
""",
        {"A": 1, "B": 1},
        {("f", "A", ""), ("g", "AB", ""), ("n", "A", ""), ("r", "AB", "")},
    ),
    "partial": (
        """
import functools
def f(x, y):
    if x:  # f
        return y
def run(o):
    p = functools.partial(f, o["A"])
    if p(o["B"]):  # p
        pass
    @functools.lru_cache
    def g(x):
        return x
    if g(o["A"]):  # g
        pass
""",
        {"A": 1, "B": 1},
        {("f", "AB", ""), ("g", "A", ""), ("p", "AB", "")},
    ),
    "recursion": (
        """
def f(n, x):
    if n == 0:
        return x
    return f(n - 1, x)
def run(o):
    if f(300, o["A"]):  # f
        pass
    def g():
        return g()
    try:
        g()
    except RecursionError as e:
        print(type(e))
""",
        {"A": 1},
        {("f", "A", "")},
    ),
    "globals": (
        """
G = 0
def set_(v):
    global G
    G = v
def outer(v):
    n = 0
    def inner():
        nonlocal n
        n = v
    inner()
    if n:  # n
        pass
def run(o):
    set_(o["A"])
    if G:  # g
        pass
    outer(o["B"])
""",
        {"A": 1, "B": 1},
        {("g", "A", ""), ("n", "B", "")},
    ),
    "annotations": (
        """
def f(x: int = 3, *, y: "str" = "a") -> int:
    z: int = x
    w: list
    return z
def run(o):
    print(f.__annotations__, f.__defaults__, f.__kwdefaults__, f.__doc__, f.__name__, f.__qualname__)
    if f(o["A"]):  # f
        pass
""",
        {"A": 1},
        {("f", "A", "")},
    ),
    "warn": (
        """
import warnings
def f():
    warnings.warn("x", stacklevel=2)
def run(o):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        f()
        f(*[], **{})
    print([(i.lineno, i.category.__name__) for i in w])
    import sys, inspect
    def who():
        return sys._getframe(1).f_code.co_name, sys._getframe(1).f_lineno, inspect.stack()[1].function
    print(who())
    import enum, traceback
    class E(enum.Enum):
        A = 1
        B = 2
        def m(self):
            return 1
    print(list(E), E.A.m(), traceback.extract_stack()[-1].lineno)
""",
        {"A": 1},
        set(),
    ),
    "locals": (
        """
def run(o):
    a = o["A"]
    print(sorted(locals()), "%(a)s" % locals())
    def f(self=1, *args, **kw):
        print(sorted(vars()), dir())
    f()
    exec("b = a + 1")
    print(eval("a + 1"))
    print(sorted(k for k in globals() if k[:2] != "__"))
""",
        {"A": 3},
        set(),
    ),
    "thread": (
        """
import threading
def f(x, out):
    if x:  # f
        out.append(1)
def run(o):
    out = []
    t = threading.Thread(target=f, args=(o["A"], out))
    if o["B"]:  # b
        t.start()
        t.join()
    y = 1
    if y:  # y
        pass
    return out
""",
        {"A": 1, "B": 1},
        {("b", "B", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
