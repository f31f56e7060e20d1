"""Containers whose items packages write or copy, and whose options once were lost, or taken for others.

Each program prints, returns and raises the same plain and rewritten, whatever the options are. A comment on a line
names the options that its decisions have in td, "-" none.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

CASES: dict[str, str] = {
    "slices_that_are_written": """
def run(o):
    x = [0, 1, o["A"], 3, 4]
    x[1:2] = [o["B"], 9]
    if x[0]:  # -
        pass
    if x[1]:  # B
        pass
    if x[3]:  # A
        pass
    if x[4]:  # -
        pass
    y = [1, 2, 3]
    y[::2] = [o["A"], o["B"]]
    if y[0]:  # A
        pass
    if y[1]:  # -
        pass
    if y[2]:  # B
        pass
    z = [1, 2, 3]
    z[o["A"]:] = [5]
    if z[0]:  # A
        pass
    if len(z) > 1:  # A
        pass
    w = [1]
    w[:] = iter([o["C"], 2])
    if w[0]:  # C
        pass
    if w[1]:  # -
        pass
    v = [1]
    v[:0] = (o["B"],)
    if v[0]:  # B
        pass
    if v[1]:  # -
        pass
    try:
        y[::2] = [o["A"]]
    except ValueError as error:
        return x, y, z, w, v, str(error)
""",
    "dicts_that_are_merged": """
from collections import Counter, OrderedDict
def run(o):
    d = {"a": o["A"], "b": 1}
    e = d | {"z": o["C"]}
    if e["z"]:  # C
        pass
    if e["a"]:  # A
        pass
    if e["b"]:  # -
        pass
    e |= {"y": o["B"]}
    if e["y"]:  # B
        pass
    if e["b"]:  # -
        pass
    more = {"b": o["B"]}
    e |= more
    if e["b"]:  # B
        pass
    e |= [("p", o["A"])]
    if e["p"]:  # A
        pass
    ordered = OrderedDict([("a", o["A"]), ("b", 1)])
    if ordered["a"]:  # A
        pass
    if ordered["b"]:  # -
        pass
    counted = Counter("aab")
    counted.update([o["A"]])
    if counted[1]:  # A
        pass
    return d, e, ordered, counted
""",
    "environment_that_is_copied": """
import os
def run(o):
    os.environ["PERFATLAS_COPIED"] = str(o["B"])
    try:
        one, two, three = dict(os.environ), os.environ.copy(), {**os.environ}
    finally:
        del os.environ["PERFATLAS_COPIED"]
    if one["PERFATLAS_COPIED"] == "1":  # B
        pass
    if two["PERFATLAS_COPIED"] == "1":  # B
        pass
    if three["PERFATLAS_COPIED"] == "1":  # B
        pass
    if one["PATH"]:  # -
        pass
    return one == two == three
""",
    "named_tuples_that_are_replaced": """
from collections import namedtuple
from typing import NamedTuple
N = namedtuple("N", "x y")
class M(NamedTuple):
    a: int
    b: int = 2
def run(o):
    n = N(o["C"], 7)._replace(y=o["A"])
    if n.x:  # C
        pass
    if n.y:  # A
        pass
    if n._asdict()["x"]:  # C
        pass
    x, y = n
    if x:  # C
        pass
    if y:  # A
        pass
    m = M(1)._replace(b=o["B"])
    if m.a:  # -
        pass
    if m.b:  # B
        pass
    return n, m
""",
    "order_that_an_option_has_chosen": """
def run(o):
    x = [3, 1, 2]
    x.sort(reverse=bool(o["C"]))
    if x[0]:  # C
        pass
    if sorted([3, 1, 2], reverse=o["B"])[0]:  # B
        pass
    if sorted([3, o["A"], 2], key=lambda v: v)[-1]:  # -
        pass
    return x
""",
    "texts_of_containers": """
def run(o):
    held = [o["A"], 2]
    a = f"{held}"
    if a:  # A
        pass
    b = f"{held!r:>20}"
    if b:  # A
        pass
    c = f"{[1]}{o['B']:>{o['C']}}"
    if c:  # BC
        pass
    return a, b, c
""",
    "items_that_are_passed_on": """
def gen(o):
    yield from {"k": o["B"], "l": 1}.values()
    yield from enumerate([o["A"]])
def run(o):
    found = list(gen(o))
    if found[0]:  # B
        pass
    if found[1]:  # -
        pass
    if found[2][1]:  # A
        pass
    return found
""",
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_options_reach_the_decisions_that_they_should(
    name: str, tmp_path: Path
) -> None:
    Programs(tmp_path).reach_as_marked(CASES[name])
