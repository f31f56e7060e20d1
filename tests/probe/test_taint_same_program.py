"""A rewritten program does what the plain one does: constructs that packages use and that the rewriting once changed.

Each program is called with tainted options; what it prints, returns and raises has to be the same.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

CASES: dict[str, str] = {
    "zip_strict": """
def run(o):
    try:
        return list(zip([o["A"]], [1, 2], strict=True))
    except ValueError as error:
        return list(zip([o["A"]], [1], strict=True)), list(zip([1], [1, 2], strict=False)), str(error)
""",
    "set_updated_by_several": """
def run(o):
    found = {o["A"]}
    found.update([2], (3, 4), {o["A"]})
    found.update()
    return sorted(found)
""",
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
    "class_made_by_type": """
def run(o):
    made = type("Made", (object,), {"n": o["A"]})
    return made.__module__, repr(made), made.n
""",
    "views_of_a_dict_are_sets": """
def run(o):
    one, two = {"a": o["A"], "b": 2}, {"b": 3}
    keys = one.keys()
    return (
        sorted(keys & two.keys()), sorted(keys | {"c"}), sorted(keys - two.keys()), sorted(keys ^ two.keys()),
        sorted(two.keys() & keys), sorted({"b", "z"} - keys), keys >= two.keys(), keys > two.keys(), keys <= two.keys(),
        keys < {"a", "b", "c"}, keys == {"a", "b"}, keys.isdisjoint({"q"}), sorted(one.items() & {("b", 2)}),
        list(reversed(one.values())),
    )
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
    "pairs_that_can_be_read_once": """
def run(o):
    made = {"n": o["A"]}
    made.update(map(str.strip, part.split("=")) for part in "a = 1; b = 2".split(";"))
    return made, dict(map(str.strip, part.split("=")) for part in "a = 1; b = 2".split(";"))
""",
    "iterators_see_later_changes": """
def run(o):
    items = [o["A"], 2]
    walk = iter(items)
    first = next(walk)
    items.append(3)
    return first, list(walk)
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
    "failure_inside_arguments_that_with_swallows": """
from contextlib import suppress
def fail():
    raise KeyError
def other(*parts):
    return parts
def swallowing(a):
    with suppress(KeyError):
        other(*[a], fail())
    return [a, 2]
def run(o):
    return list(zip(*[[o["A"], 1]], swallowing(o["A"])))
""",
    "methods_of_ordered_dicts_take_names": """
from collections import OrderedDict
def run(o):
    made = OrderedDict(a=o["A"])
    return made.pop(key="a"), made.pop("b", default=o["A"]), made.setdefault(key="c", default=3), made
""",
    "what_never_changes_is_not_copied": """
def run(o):
    whole, some = (o["A"], 2), frozenset([o["A"]])
    return tuple(whole) is whole, frozenset(some) is some, list(whole)
""",
    "keys_without_a_hash": """
class Slots(dict):
    def __getitem__(self, key):
        return [dict.__getitem__(self, one) for one in key] if isinstance(key, list) else dict.__getitem__(self, key)
    def __setitem__(self, key, value):
        for one in key if isinstance(key, list) else [key]:
            dict.__setitem__(self, one, value)
    def __delitem__(self, key):
        for one in key:
            dict.__delitem__(self, one)
def run(o):
    made = Slots()
    made[["a", "b"]] = o["A"]
    made["c"] = o["A"]
    made[["a"]] += [2] if o["A"] else []
    found = made[["b", "c"]]
    del made[["b"]]
    return found, dict(made)
""",
    "generator_of_a_class_body_that_outlives_it": """
x = 5
def run(o):
    class C:
        x = o["A"]
        later = (x for _ in range(2))
    return list(C.later), C.x
""",
    "objects_that_claim_to_be_classes": """
class Lazy:
    asked = 0
    def __init__(self, made):
        self.made = made
    @property
    def __class__(self):
        Lazy.asked += 1
        return type
    def __call__(self, value):
        return self.made(value)
def run(o):
    return Lazy(str)(o["A"]), Lazy.asked
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
    "arguments_called_self": """
def run(o):
    return dict(self=o["A"], call=2)
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
    "kind_of_a_value": """
class C:
    pass
def run(o):
    return type(o["A"]).__name__, type(C()) is C, [type(x) for x in (o["A"],)], type(*[C()]) is C
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
