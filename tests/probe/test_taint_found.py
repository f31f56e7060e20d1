"""Constructs that packages use and whose options once were lost, or taken for others.

Each program prints, returns and raises the same plain and rewritten, whatever the options are. A comment on a line
names the options that its decisions have in td, "-" none.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

CASES: dict[str, str] = {
    "defaults_of_parameters": """
def f(a, b=3):
    if b:  # -
        return a
def run(o):
    def g(x, y=o["A"], *, z=o["B"], w=1):
        if y:  # A
            pass
        if z:  # B
            pass
        if w:  # -
            pass
        return x
    g(1)
    g(1, w=2)
    later = [lambda v=v: v for v in (o["C"], 2)]
    if later[0]():  # C
        pass
    class D:
        def m(self, q=o["B"]):
            if q:  # B
                return q
        async def n(self, q=f(o["A"])):
            if q:  # A
                return q
        def p(self, q=o["C"]):
            yield q
    D().m()
    if next(D().p()):  # C
        pass
    import asyncio
    asyncio.run(D().n())
    h = lambda k=o["A"], *, l=2: k if l else 0
    if h():  # A
        pass
    print(g.__defaults__, g.__kwdefaults__, h.__defaults__)
    return f(2)
""",
    "dataclasses_with_keywords_only": """
from dataclasses import dataclass, field
@dataclass
class D:
    a: int = field(kw_only=True)
    b: int = 0
def run(o):
    d = D(o["B"], a=1)
    if d.a:  # -
        pass
    if d.b:  # B
        pass
    return repr(d)
""",
    "attributes_that_are_worked_out_once": """
import functools
class C:
    def __init__(self, a):
        self.a = a
    @functools.cached_property
    def p(self):
        return self.a
    @functools.cached_property
    def q(self):
        return 1
def run(o):
    c = C(o["A"])
    if c.p:  # A
        pass
    if c.p:  # A
        pass
    if c.q:  # -
        pass
    if c.q:  # -
        pass
    return sorted(vars(c).items())
""",
    "functions_that_are_mapped": """
def run(o):
    def f(v):
        if v:  # A
            return v
        return 0
    m = map(f, [o["A"], 0])
    for v in m:  # A
        pass
    both = list(map(lambda a, b: a, [1, 2], [o["A"], 2]))
    if both[0]:  # -
        pass
    lengths = list(map(len, [[1], "b" * o["B"]]))
    if lengths[1]:  # B
        pass
    if lengths[0]:  # -
        pass
    g = list(filter(None, [o["B"], 1]))
    if g:  # B
        pass
    h = list(filter(lambda v: v > o["C"], [5]))
    if h:  # C
        pass
    k = [v for v in filter(lambda v: v > 0, [o["A"], 3])]
    if k[-1]:  # -
        pass
    try:
        map(f, 5)
    except TypeError as error:
        print(error)
    return both, g, h, k, lengths, list(map(str, (o["A"], 2))), list(filter(str, [0, o["A"]]))
""",
    "variables_of_a_context": """
import contextvars
V = contextvars.ContextVar("V", default=0)
W = contextvars.ContextVar("W")
def run(o):
    token = V.set(o["B"])
    if V.get():  # B
        pass
    V.reset(token)
    if W.get(o["A"]):  # A
        pass
    if W.get(3):  # -
        pass
    return V.get(), W.get(None)
""",
    "what_is_sent_to_asynchronous_generators": """
import asyncio
async def gen():
    got = yield 1
    while got:  # B
        got = yield 0
async def main(o):
    g = gen()
    found = [await anext(g)]
    try:
        await g.asend(o["B"])
        await g.asend(0)
    except StopAsyncIteration:
        found.append("stopped")
    return found
def run(o):
    return asyncio.run(main(o))
""",
    "handlers_that_write_to_objects": """
def check(v):
    if v:  # A
        raise ValueError(1)
def run(o):
    errors, other = [], []
    try:
        check(o["A"])
    except ValueError as error:
        errors.append(error)
    if errors:  # A
        pass
    if other:  # -
        pass
    return repr(errors)
""",
    "comprehensions_in_class_bodies": """
x = "global"
def run(o):
    x = o["A"]
    class C:
        x = o["B"]
        a = [x for _ in [1]]
        b = [(x, y) for x in [x] for y in [x]]
        c = list(x for _ in [1])
        e = {x: x for x in [x]}
    if C.a[0]:  # A
        pass
    if C.e[C.x]:  # B
        pass
    return C.a, C.b, C.c, C.e
""",
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_options_reach_the_decisions_that_they_should(
    name: str, tmp_path: Path
) -> None:
    Programs(tmp_path).reach_as_marked(CASES[name])
