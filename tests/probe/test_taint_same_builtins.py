"""A rewritten program does what the plain one does: built-in functions and containers that packages use and whose models once did otherwise.

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
    "length_hint": """
from operator import length_hint
def run(o):
    items = [o["A"], 2, 3]
    walk, back, made = iter(items), reversed(items), {"n": o["A"]}
    next(walk)
    hints = [walk.__length_hint__(), length_hint(back), length_hint(iter(made.values())), length_hint(iter(items))]
    return hints, list(walk), walk.__length_hint__()
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
    "arguments_called_self": """
def run(o):
    return dict(self=o["A"], call=2)
""",
    "kind_of_a_value": """
class C:
    pass
def run(o):
    return type(o["A"]).__name__, type(C()) is C, [type(x) for x in (o["A"],)], type(*[C()]) is C
""",
}


@pytest.mark.parametrize("name", CASES)
def test_built_ins_do_the_same(name: str, tmp_path: Path) -> None:
    for level in (0, 1):
        Programs(tmp_path).run(CASES[name], A=level)
