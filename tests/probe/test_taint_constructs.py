"""Rarer statements and expressions: the program does the same, and its decisions are known."""

from pathlib import Path

import pytest

from probe.taint.records import RECORD
from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "except_star": (
        """
def run(o):
    caught = []
    try:
        raise ExceptionGroup("g", [ValueError(1), KeyError(2), TypeError(3)])
    except* ValueError as e:
        caught.append(len(e.exceptions))
    except* (KeyError, TypeError) as e:
        if o["A"]:  # a
            caught.append([type(x).__name__ for x in e.exceptions])
    return caught
""",
        {"A": 1},
        {("a", "A", "")},
    ),
    "except_star_leaves_the_rest": (
        """
def run(o):
    try:
        raise ExceptionGroup(
            "g", [ValueError(o["A"]), KeyError(2)]
        )
    except* ValueError:
        pass
""",
        {"A": 1},
        set(),
    ),
    "match_patterns": (
        """
class P:
    __match_args__ = ("x", "y")
    def __init__(self, x, y):
        self.x, self.y = x, y
def kind(p):
    match p:  # m
        case P(0, y=1 | 2 as k):
            return k
        case [1, *rest] | (1, *rest):
            return rest
        case {"k": str() as s, **more}:
            return s, more
        case None:
            return "none"
        case _:
            return "other"
def run(o):
    return [kind(x) for x in (P(0, o["A"]), [1, 2], {"k": "v", "l": 1}, None, 7)]
""",
        {"A": 1},
        {("m", "A", "")},
    ),
    "order_of_evaluation": (
        """
def say(x):
    print(x)
    return x
def f(*a, **k):
    return a, k
def pick(name):
    print("callee", name)
    return f
def run(o):
    pick(1)(say("a"), say(o["A"]), k=say("k"), l=say("l"))
    x = [1]
    return f(x.append(2), x, x.pop(), len(x)), (say(1) < say(2) < say(o["A"]) < say(9))
""",
        {"A": 1},
        set(),
    ),
    "generators_that_end": (
        """
def inner(n):
    try:
        for i in range(n):
            got = yield i
            if got:  # g
                return got
    finally:
        print("closed", n)
def outer(n):
    result = yield from inner(n)
    yield ("result", result)
def run(o):
    g = outer(3)
    found = [next(g), g.send(o["A"])]
    other = outer(2)
    next(other)
    other.close()
    third = outer(1)
    next(third)
    try:
        third.throw(KeyError("k"))
    except KeyError as e:
        found.append(repr(e))
    return found
""",
        {"A": 1},
        {("g", "A", "")},
    ),
    "comprehension_scopes": (
        """
x = 5
def run(o):
    x = o["A"]
    squares = {x: y for x, y in enumerate([1, 2])}
    nested = [[(x, y) for y in range(x)] for x in range(3)]
    kept = [last := n for n in range(3) if n != o["B"]]
    pairs = [(a, b) for a, *b in [(1, 2, 3)]]
    if x:  # x
        pass
    return squares, nested, kept, last, pairs
""",
        {"A": 1, "B": 1},
        {("x", "A", "")},
    ),
    "empty_targets": (
        """
def run(o):
    () = []
    [] = ()
    for () in [(), ()]:
        pass
    (a, (b, *c)), d = (1, (o["A"], 3, 4)), "z"
    if b:  # b
        pass
    return a, b, c, d
""",
        {"A": 1},
        {("b", "A", "")},
    ),
    "unpacked_iterators": (
        """
def gen(o):
    yield o["A"]
    yield 2
class It:
    def __iter__(self):
        return iter("xy")
def run(o):
    a, b = gen(o)
    if a:  # a
        pass
    c, d = It()
    e, f = {"k": 1, "l": 2}
    g, h = "pq"
    try:
        i, j = gen({"A": 1}), 1, 2
    except ValueError as e2:
        print(e2)
    return a, b, c, d, e, f, g, h
""",
        {"A": 1},
        {("a", "A", "")},
    ),
    "finally_and_loops": (
        """
def f(x):
    for i in range(3):
        try:
            if x:  # x
                return "early"
        finally:
            if i > 1:  # i
                break
    else:
        return "else"
    return "late"
def run(o):
    n = 0
    while n < 3:  # n
        n += 1
    else:
        n = 9
    return f(o["A"]), f(0), n
""",
        {"A": 1},
        {("i", "", "A"), ("x", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_marked_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    found = Programs(tmp_path).run(text, **options)
    assert {one for one in found if one[0]} == expected


def test_texts_that_are_run_are_counted_as_not_followed(tmp_path: Path) -> None:
    Programs(tmp_path).run('def run(o):\n    x = o["A"]\n    return eval("y + 1", {"y": x})\n', A=1)
    assert RECORD.unfollowed["exec and eval"] == 1


def test_functions_of_values_alone_are_followed(tmp_path: Path) -> None:
    """What can only depend on what goes in is no code that a taint is lost in."""
    text = """
import re
def run(o):
    for i in range(int(o["A"])):  # r
        pass
    if str(abs(float(o["B"]))):  # s
        pass
    if re.compile("a" * o["A"], re.I).match("a"):  # m
        pass
"""
    found = Programs(tmp_path).run(text, A=1, B=2)
    assert found == {("r", "A", ""), ("s", "B", ""), ("m", "A", "")}
    assert RECORD.unfollowed == {}
