"""Programs in the syntax of newer versions of Python; `test_taint_newer` says what their comments mean."""

SINCE_3_12: dict[str, str] = {
    "type_parameters_of_functions": """
def first[T](items: list[T], at: int = 0) -> T:
    if items[at]:  # A
        return items[at]
    return items[0]
def two[K: (int, str), *Ts, **P](k: K, *a: *Ts, **kw) -> K:
    if k:  # B
        return k
    return T if False else K
async def co[T](v: T) -> T:
    if v:  # A
        return v
def gen[T](v: T):
    yield v
    yield T.__name__
def outer[T](v: T):
    def inner[U](w: U) -> tuple[T, U]:
        return v, w, T, U
    return inner(v)
def run(o):
    import asyncio
    r = first([o["A"]])
    if r:  # A
        pass
    if two(o["B"], 1, 2, z=3):  # B
        pass
    c = asyncio.run(co(o["A"]))
    g = list(gen(o["C"]))
    if g[0]:  # C
        pass
    q = outer(o["C"])
    if q[0]:  # C
        pass
    T = o["A"]
    if T:  # A
        pass
    return r, c, g, str(first.__type_params__), str(two.__type_params__), first.__annotations__["return"].__name__, str(q), two.__type_params__[0].__constraints__
""",
    "type_parameters_of_classes": '''
class Base[T]:
    def __init__(self, v: T) -> None:
        self.v = v
    def get(self) -> T:
        if self.v:  # A
            return self.v
        return self.v
class Child[K, V: dict](Base[K], metaclass=type):
    """Doc."""
    kind = "child"
    def both[W](self, w: W) -> tuple[K, W]:
        return super().get(), w
def make(o):
    class In[T](Base[list[T]]):
        x = o["B"]
        def t(self):
            return T
    return In
def run(o):
    c = Child[int, dict](o["A"])
    r = c.both(o["B"])
    if r[0]:  # A
        pass
    if r[1]:  # B
        pass
    i = make(o)
    if i.x:  # B
        pass
    return r, Child.__doc__, str(Child.__type_params__), str(Child.__orig_bases__), str(i(1).t()), i.__qualname__, str(Child.__parameters__), Child.__type_params__[1].__bound__
''',
    "type_statements": """
type Number = int | float
type Pair[T] = tuple[T, T]
class C:
    type Own = list[C]
    x = Own.__name__
def run(o):
    type Local = dict[str, o["A"]]
    type Rec[T] = T | list[Rec[T]]
    if Local.__value__.__args__[1]:
        pass
    n: Number = o["B"]
    if n:  # B
        pass
    match 1:
        case type:
            pass
    type = 3
    return str(Number.__value__), Pair.__type_params__[0].__name__, str(C.Own.__value__), C.x, str(Local.__value__), str(Rec.__value__), isinstance(o["A"], Number.__value__), type
""",
    "formatted_strings_inside_of_one_another": r"""
def run(o):
    names = ["a", "b"]
    a = f"{", ".join(names)} {o["A"]}"
    if a:  # A
        pass
    b = f"{f"{f"{o["B"]}"}"}"
    if b:  # B
        pass
    c = f"{
        o["C"]
        + 1
    :>{
        5
    }}"
    if c:  # C
        pass
    d = f"{'\n'.join(names)}{o["A"]!r:>{o["B"]}}{(lambda x: x)(1)}"
    if d:  # AB
        pass
    e = f"{o["C"] = }"
    return a, b, c, d, e
""",
    "formatted_strings_of_several_lines": '''
def run(o):
    return f"""{
        o["A"]} {
        1 / (o["A"] - o["A"])
    }"""
''',
    "eager_tasks": """
import asyncio
async def work(v, log):
    if v:  # A
        log.append("start")
    await asyncio.sleep(0)
    n = 1
    if n:
        log.append("end")
    return v
async def main(o):
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    log = []
    if o["B"]:  # B
        t = asyncio.create_task(work(o["A"], log))
    else:
        t = asyncio.create_task(work(0, log))
    log.append("created")
    m = 2
    if m:  # -
        pass
    await t
    return log
def run(o):
    return asyncio.run(main(o))
""",
    "batches_and_overrides": """
import itertools
from typing import override
class A:
    @override
    def m(self): return 1
def run(o):
    b = list(itertools.batched([o["A"], 2, 3], 2))
    if b[0][0]:  # A
        pass
    for x in b:  # A
        pass
    return b, A().m()
""",
    "groups_that_are_wrapped": """
def run(o):
    found = []
    try:
        raise ExceptionGroup("g", [ValueError(o["A"]), ExceptionGroup("h", [KeyError("k")])])
    except* (ValueError, KeyError) as e:
        found.append(repr(e))
        if o["B"]:  # B
            found.append("b")
    try:
        try:
            raise TypeError("naked")
        except* TypeError as e:
            raise
    except ExceptionGroup as g:
        found.append(repr(g))
    return found
""",
    "calls_in_the_bases_of_generic_classes": """
def made(v, *, k=None):
    class M: pass
    M.v = v
    return M
class C[T](made(max([1, 2], key=lambda x: x), k=T)):
    pass
def run(o):
    class D[T](made(o["A"])):
        def m(self, q=o["B"]):
            return q
    if D.v:  # A
        pass
    if D().m():  # B
        pass
    return C.v, D.v
""",
}
SINCE_3_13: dict[str, str] = {
    "defaults_of_type_parameters": """
class Box[T = int]:
    def __init__(self, v: T): self.v = v
def f[T = str](v: T) -> T:
    if v:  # A
        return v
type L[T = float] = list[T]
def run(o):
    r = f(o["A"])
    b = Box(o["B"])
    if b.v:  # B
        pass
    return r, Box.__type_params__[0].__default__, f.__type_params__[0].has_default(), L.__type_params__[0].__default__, str(Box[()])
""",
    "snapshots_of_locals": """
import sys
def run(o):
    a = o["A"]
    first = locals()
    b = 2
    second = locals()
    first["a"] = 99
    exec("c = 5")
    x = {}
    exec("c = a + 1", globals(), x)
    return sorted(first), sorted(second), a, first is second, "c" in locals(), sorted(x)
""",
    "copies_with_replacements": """
import copy, warnings
from dataclasses import dataclass
@dataclass
class D:
    a: int
    b: int = 0
@warnings.deprecated("old")
def old(v):
    return v
def run(o):
    d = copy.replace(D(1), b=o["A"])
    if d.b:  # A
        pass
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        r = old(o["B"])
    if r:  # B
        pass
    return repr(d), [(w.lineno, str(w.message)) for w in seen]
""",
}
