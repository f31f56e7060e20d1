"""A rewritten program does what the plain one does: constructs that packages use and that the rewriting once changed.

Each program is called with tainted options; what it prints, returns and raises has to be the same.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

CASES: dict[str, str] = {
    "item_changed_in_place_while_an_inner_change_failed": """
def parse(into):
    try:
        into["b"] += int("x")
    except ValueError:
        pass
    return 1
def run(o):
    counts, other = {"a": o["A"]}, {"b": 0}
    counts["a"] += parse(other)
    return counts, other
""",
    "attribute_changed_in_place_by_what_is_awaited": """
import asyncio
class C:
    n = 0
async def slow(c, by):
    c.n += await later(by)
async def later(by):
    await asyncio.sleep(0)
    return by
async def both(o):
    one, two = C(), C()
    items = {"x": 1, "y": 2}
    async def item(key, by):
        items[key] += await later(by)
    await asyncio.gather(slow(one, o["A"]), slow(two, 20), item("x", 5), item("y", 7))
    return one.n, two.n, items
def run(o):
    return asyncio.run(both(o))
""",
    "slices_beside_an_index": """
class Table:
    def __getitem__(self, key):
        return key
def run(o):
    at = o["A"]
    return Table()[:, at], Table()[at:2, 0, ...], Table()[at, 1:at]
""",
    "class_name_of_underscores": """
class _:
    def __init__(self, value):
        self.__value = value
    def read(self):
        return [self.__value, sorted(vars(self))]
def run(o):
    return _(o["A"]).read()
""",
    "text_given_with_a_star": """
def run(o):
    text = ("a + 1", {"a": o["A"]})
    return eval(*text)
""",
    "with_targets_that_are_no_names": """
from contextlib import nullcontext
class C:
    pass
def run(o):
    c = C()
    with nullcontext((o["A"], 2)) as (one, two), nullcontext(one) as c.n, nullcontext(c.n + two) as three:
        return one, two, c.n, three
""",
    "return_in_an_asynchronous_generator": """
import asyncio
async def numbers(until):
    for at in range(5):
        if at == until:
            return
        yield at
async def collected(o):
    return [at async for at in numbers(o["A"])]
def run(o):
    return asyncio.run(collected(o))
""",
    "walrus_in_a_guard": """
def run(o):
    match [o["A"], 0]:
        case [1, 1] if (kept := 5):
            return kept
        case [x, 0] if (kept := x):
            return kept, x
""",
    "lambda_and_await_inside_an_iterable": """
import asyncio
async def pair(a):
    return [a, 2]
async def collected(o):
    return [x for x in sorted(*[await pair(o["A"])], key=lambda x: -x)]
def run(o):
    return asyncio.run(collected(o))
""",
    "arguments_with_a_star_and_a_suspending_part_inside_an_iterable": """
import asyncio
def both(*parts, last):
    return [*parts, last]
async def pair(a):
    return [a, 2]
async def collected(o):
    return [x for x in both(*await pair(o["A"]), last=await pair(1))]
def run(o):
    return asyncio.run(collected(o))
""",
    "nonlocal_in_a_class_body": """
def run(o):
    n = o["A"]
    class C:
        nonlocal n
        n += 1
        m = n
    return n, C.m
""",
    "generator_of_a_class_body_that_outlives_it": """
x = 5
def run(o):
    class C:
        x = o["A"]
        later = (x for _ in range(2))
    return list(C.later), C.x
""",
    "who_called_and_which_line_is_to_blame": """
import sys
import warnings
def caller():
    return sys._getframe(1).f_code.co_name
def old(*parts):
    warnings.warn("call", stacklevel=2)
    return parts
def run(o):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        old(o["A"])
        old(*[o["A"]], old(1))
    return caller(), [(str(one.message), one.filename.rpartition("/")[2], one.lineno) for one in seen]
""",
    "tracebacks_as_they_are_printed": """
import traceback
class C:
    def __getattr__(self, name):
        return {}[name]
def broken(n):
    return 1 / n
def run(o):
    found = []
    for one in (lambda: broken(o["A"] - 1), lambda: C().x.y, lambda: [][o["A"]], lambda: f"{broken(0)}", lambda: next(x for x in [broken(0)])):
        try:
            one()
        except Exception:
            found.append(traceback.format_exc())
    return found
""",
    "names_of_a_module_that_defines_its_own_built_ins": """
def super(a):
    return a + 1
def eval(*parts):
    return parts
def run(o):
    return super(o["A"]), eval(o["A"], 2), eval(*[1, 2])
""",
    "what_cannot_be_taken_apart": """
import itertools
class C:
    def __getattribute__(self, name):
        raise AssertionError(name)
def run(o):
    found = []
    for value in (5, None, itertools.count(o["A"]), [1], C()):
        try:
            a, b = value
        except Exception as error:
            found.append(repr(error))
        try:
            (a, [b, *c]), d = value, o["A"]
        except Exception as error:
            found.append(repr(error))
        if value == 5:
            continue
        if type(value) is itertools.count:
            break
    return found
""",
    "nonlocal_class_cell": """
class C:
    def change(self, a):
        nonlocal __class__
        before, __class__ = __class__, a
        return before.__name__, __class__
def run(o):
    return C().change(o["A"])
""",
    "exceptions_seen_by_managers": """
import traceback
class Told:
    def __enter__(self):
        return self
    def __exit__(self, kind, error, trace):
        self.names = [frame.name for frame in traceback.extract_tb(trace)]
        return True
class Broken:
    def __getitem__(self, key):
        raise KeyError(key)
def run(o):
    with Told() as told:
        Broken()[o["A"]].x
    return told.names
""",
}


@pytest.mark.parametrize("name", CASES)
def test_rewritten_programs_do_the_same(name: str, tmp_path: Path) -> None:
    for level in (0, 1):
        Programs(tmp_path).run(CASES[name], A=level)
