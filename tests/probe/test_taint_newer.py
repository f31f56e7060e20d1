"""What newer versions of Python brought: syntax, and what was changed in what programs see.

Each program prints, returns and raises the same plain and rewritten, whatever the options are. A comment on a line
names the options that its decisions have in td, "-" none.
"""

import sys
from pathlib import Path

import pytest

from tests.probe.newer_programs import SINCE_3_12, SINCE_3_13
from tests.probe.programs import Programs

# Read by every version that the probe is for; the others by those that have the syntax.
CASES: dict[str, str] = {
    "documentation_strings": '''
"""Module
   doc."""
def f(v):
    """First line.

        Indented.
    Last.
    """
    if v:  # A
        return f.__doc__
class C:
    """Class
       doc.
    """
    def m(self):
        """M
            doc"""
        return self.m.__doc__
class D:
    x: int = 1
    "no docstring"
def only_doc():
    """Only."""
async def g():
    """G
       doc."""
def run(o):
    return f(o["A"]), f.__doc__, C.__doc__, C().m(), D.__doc__, only_doc.__doc__, g.__doc__, only_doc(), run.__doc__
''',
    "what_classes_say_of_themselves": '''
def deco(c): return c
@deco
class C:
    """Doc."""
    y: int = 1
    def __init__(self, v):
        self.a = v
        self.b, (self.c, *self.d) = 1, (2, 3)
        self.e: int = 3
        self.f += 1
        for self.g in []:
            pass
        with v as self.h:
            pass
        del self.i
        other = self
        other.j = 1
    f = 0
    def m(self):
        def inner(self):
            self.k = 1
        self.n[0] = 1
        return [1 for self.l in []]
    @staticmethod
    def s(self):
        self.m2 = 1
    class In:
        def m(self):
            self.q = 1
def f():
    class L:
        def m(self):
            self.r = 1
    return L
def run(o):
    def shown(c):
        return sorted((k, sorted(v) if k == "__static_attributes__" else v) for k, v in vars(c).items() if k in ("__static_attributes__", "__firstlineno__", "__doc__", "__qualname__", "__module__", "__annotations__"))
    return shown(C), shown(C.In), shown(f())
''',
    "names_in_comprehensions": """
def run(o):
    a = o["A"]
    x = [sorted(k for k in locals() if k != ".0") for b in [1]]
    y = {k: sorted(locals().keys() - {".0"}) for k in "k"}
    z = list(sorted(locals()) for c in [1])
    f = lambda q: sorted(locals())
    class C:
        m = 1
        n = [sorted(locals()) for c in [1]] if 0 else 2
        p = sorted(k for k in locals() if k[:2] != "__")
        locals()["made"] = a
    return x, y, [[n for n in w if n != ".0"] for w in z], f(1), C.p, C.made, [dir() for d in [2]][0][:1]
""",
    "tracebacks_through_comprehensions": """
import traceback
def boom(x):
    return 1 / x
def run(o):
    found = []
    for f in (lambda: [boom(x) for x in [0]], lambda: {x: boom(x) for x in [0]}, lambda: [[boom(y) for y in [x]] for x in [0]], lambda: {boom(x) for x in [0]}):
        try:
            f()
        except ZeroDivisionError as e:
            found.append(traceback.format_exc())
    def g():
        return [
            boom(x)
            for x in [1, 0]
            if x < 2
        ]
    try:
        g()
    except ZeroDivisionError as e:
        found.append([(t.name, t.lineno) for t in traceback.extract_tb(e.__traceback__)])
    return found
""",
    "super_in_comprehensions": """
class A:
    def m(self, v): return v
class B(A):
    def m(self, v):
        f = super().m
        return [f(v) for _ in [1]]
    def n(self, v):
        return [__class__.__name__ for _ in [1]] + [super(B, self).m(v) for _ in [1]]
def run(o):
    r = B().m(o["A"])
    if r[0]:  # A
        pass
    return r, B().n(o["A"])
""",
}
if sys.version_info >= (3, 12):
    CASES |= SINCE_3_12
if sys.version_info >= (3, 13):
    CASES |= SINCE_3_13


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_options_reach_the_decisions_that_they_should(
    name: str, tmp_path: Path
) -> None:
    Programs(tmp_path).reach_as_marked(CASES[name])
