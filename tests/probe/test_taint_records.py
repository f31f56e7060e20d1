"""Objects that are made by code which is not rewritten have no taint as a whole: each attribute has its own.

Each program prints, returns and raises the same plain and rewritten, whatever the options are. A comment on a line
names the options that its decisions have in td, "-" none. Options have different values, as validators and converters of
generated code know by identity what they are given where nothing else tells.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs, marked

CASES: dict[str, str] = {
    "classes_of_attrs": """
import attr
@attr.s
class D:
    a = attr.ib(default=0)
    b = attr.ib(default=0)
    c = attr.ib(default=0)
    @b.validator
    def check(self, attribute, value):
        if value == 7:  # B
            raise ValueError
    def m(self):
        if self.b:  # B
            pass
def run(o):
    d = D(a=o["A"], b=o["B"])
    d.m()
    if d.a:  # A
        pass
    if d.c:  # -
        pass
    if d == D():  # AB
        pass
    e = attr.evolve(d, c=o["C"])
    if e.a:  # A
        pass
    if e.c:  # C
        pass
    return repr(d), repr(e)
""",
    "attrs_that_convert_and_make_values": """
from attrs import Factory, asdict, define, field, frozen
def number(text):
    if text:  # B
        return 1
    return 0
@define
class D:
    a: int = 0
    _b: int = field(default=0, converter=number)
    c: list = Factory(list)
    d: int = field(init=False)
    k: int = field(default=0, kw_only=True, alias="kay")
    e: int = Factory(lambda self: self.a, takes_self=True)
    def __attrs_post_init__(self):
        if self.a:  # A
            pass
        if self._b:  # B
            pass
        self.d = self._b + 1
class G(D):
    pass
@frozen
class F:
    d: object
    x: int = 3
def run(o):
    d = D(o["A"], b=o["B"], kay=o["C"])
    if d.a:  # A
        pass
    if d.c:  # -
        pass
    if d.d:  # B
        pass
    if d.k:  # C
        pass
    f = F(d)
    if f.x:  # -
        pass
    if f.d.a:  # A
        pass
    if asdict(f)["d"]["k"]:  # C
        pass
    g = G(o["A"], b=o["B"])
    if g.a:  # A
        pass
    return repr(d), repr(f), repr(g)
""",
    "dataclasses_that_inherit": """
from dataclasses import InitVar, asdict, dataclass, field, replace
from typing import ClassVar
@dataclass
class D:
    n: ClassVar[int] = 0
    a: int = 0
    b: int = 0
class G(D):
    def m(self):
        if self.b:  # B
            pass
@dataclass
class H(D):
    c: int = field(init=False)
    d: InitVar[int] = 0
    def __post_init__(self, d):
        if self.a:  # AC
            pass
        if d:  # C
            pass
        self.c = self.b
def run(o):
    g = G(o["A"], b=o["B"])
    if g.a:  # A
        pass
    g.m()
    h = H(o["A"], b=o["B"], d=o["C"])
    if h.c:  # B
        pass
    r = replace(h, a=o["C"], d=0)
    if r.a:  # C
        pass
    if r.b:  # B
        pass
    if asdict(h)["b"]:  # B
        pass
    return repr(g), repr(r)
""",
    "a_tree_of_records": """
from dataclasses import dataclass, field
@dataclass
class Node:
    value: int
    left: object = None
    def __post_init__(self):
        self.depth = 1 + (self.left.depth if self.left else 0)
@dataclass
class Bag:
    items: list = field(default_factory=list)
    def __post_init__(self):
        if sorted(self.items, key=lambda one: one.value):  # A
            pass
def run(o):
    inner = Node(0)
    outer = Node(o["A"], inner)
    if inner.value:  # -
        pass
    if outer.left.value:  # -
        pass
    if outer.value:  # A
        pass
    if outer.depth > 2:  # -
        pass
    Bag([outer, inner] if o["A"] else [])  # A
    try:
        Node(o["A"], value=3)
    except TypeError as error:
        print(error)
    return list(map(lambda one: one.value, [inner, outer]))
""",
    "namespaces": """
from argparse import Namespace
from types import SimpleNamespace
def run(o):
    n = SimpleNamespace(a=o["A"], b=o["B"], c=1)
    if n.a:  # A
        pass
    if n.c:  # -
        pass
    m = Namespace(a=o["A"], b=o["B"], c=1)
    if m.b:  # B
        pass
    if m.c:  # -
        pass
    q = SimpleNamespace(**{"a": o["A"], "b": o["B"]})
    if q.b:  # B
        pass
    d = vars(q)
    if d["a"]:  # A
        pass
    if q.__dict__["b"]:  # B
        pass
    d["b"] = o["C"]
    if q.b:  # C
        pass
    return repr(n), m
""",
    "dicts_of_attributes": """
class S:
    def __init__(self, **given):
        self.__dict__.update(given)
class U:
    def __init__(self, given):
        vars(self).update(given)
        vars(self)["own"] = 1
def run(o):
    s = S(a=o["A"], b=o["B"])
    if s.a:  # A
        pass
    if s.b:  # B
        pass
    u = U(o)
    if u.C:  # C
        pass
    if u.own:  # -
        pass
    u.A = o["B"]
    if vars(u)["A"]:  # B
        pass
    if u.__dict__["own"]:  # -
        pass
    return sorted(vars(u).items()), U.__dict__["__module__"]
""",
    "copies": """
import copy
class S:
    pass
class K:
    def __copy__(self):
        made = K()
        made.a = self.a
        return made
def run(o):
    s = S()
    s.a, s.b = o["A"], [o["B"], 1]
    c = copy.copy(s)
    if c.a:  # A
        pass
    if c.b[1]:  # -
        pass
    d = copy.deepcopy([s, s, {"k": o["C"]}])
    if d[1].b[0]:  # B
        pass
    if d[0].a:  # A
        pass
    if d[2]["k"]:  # C
        pass
    if d[0].b[1]:  # -
        pass
    k = K()
    k.a = o["A"]
    if copy.copy(k).a:  # A
        pass
    x = copy.deepcopy(o["B"])
    if x:  # B
        pass
    return d[0] is d[1], c.b is s.b
""",
    "named_tuples_of_items": """
from collections import namedtuple
from typing import NamedTuple
N = namedtuple("N", "a b c", defaults=(1,))
class M(NamedTuple):
    a: int
    b: int = 0
    def m(self):
        if self.b:  # B
            pass
def run(o):
    p = N._make([o["A"], o["B"], 3])
    if p.b:  # B
        pass
    if p.c:  # -
        pass
    if p[0]:  # A
        pass
    m = M._make((o["A"], o["B"]))
    m.m()
    try:
        N._make([1])
    except TypeError as error:
        print(error)
    return p, m
""",
}


@pytest.mark.parametrize("name", CASES)
def test_each_attribute_of_an_object_has_its_own_taint(name: str, tmp_path: Path) -> None:
    text = CASES[name]
    programs = Programs(tmp_path)
    programs.options_at(text, A=0, B=0, C=0)
    assert programs.options_at(text, A=1, B=2, C=3) == marked(text)
