"""Decisions taint what is under them and what comes after an early exit.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "nested": (
        """
def run(o):
    if o["A"]:  # a
        if o["B"]:  # b
            return 1
""",
        {"A": 1, "B": 0},
        {("a", "A", ""), ("b", "B", "A")},
    ),
    "implicit": (
        """
def run(o):
    i = 0
    if o["A"]:  # a
        i = 1
    if i:  # i
        return 1
""",
        {"A": 1, "B": 0},
        {("a", "A", ""), ("i", "A", "")},
    ),
    "implicit_untaken": (
        """
def run(o):
    i = 0
    if o["B"]:  # a
        i = 1
    if i:  # i
        return 1
""",
        {"A": 1, "B": 0},
        {("a", "B", ""), ("i", "B", "")},
    ),
    "last_operand_is_empty": (
        """
def run(o):
    held = []
    if o["A"]:  # a
        held.append(1)
    x = 1
    if x and held:  # held
        pass
""",
        {"A": 1},
        {("a", "A", ""), ("held", "A", "")},
    ),
    "return_sticks": (
        """
def f(x):
    if x:  # x
        return 1
    y = 2
    return y
def run(o):
    if f(o["A"]):  # r
        pass
""",
        {"A": 0},
        {("r", "A", ""), ("x", "A", "")},
    ),
    "while": (
        """
def run(o):
    i = o["A"]
    n = 0
    while i > 0:  # w
        i -= 1
        n += 1
    if n:  # n
        pass
""",
        {"A": 2},
        {("n", "A", ""), ("w", "A", "")},
    ),
    "break": (
        """
def run(o):
    n = 0
    while True:
        n += 1
        if o["A"]:  # a
            break
        if n > 3:  # n
            break
    return n
""",
        {"A": 0},
        {("", "A", ""), ("a", "", "A"), ("a", "A", ""), ("n", "", "A")},
    ),
    "continue": (
        """
def run(o):
    n = 0
    for i in range(3):
        if o["A"]:  # a
            continue
        n += 1
    if n:  # n
        pass
    m = 0
    if m:  # m
        pass
""",
        {"A": 0},
        {("a", "A", ""), ("n", "A", "")},
    ),
    "for_else": (
        """
def run(o):
    for i in [1, 2]:
        if i == o["A"]:  # a
            break
    else:
        print("else")
    for j in range(o["B"]):  # r
        print(j)
    else:
        print("done")
""",
        {"A": 3, "B": 2},
        {("", "A", ""), ("a", "A", ""), ("r", "B", "")},
    ),
    "try_in_loop": (
        """
def run(o):
    out = []
    for k in ("A", "Z"):
        try:
            out.append(o[k])
        except KeyError:
            continue
        finally:
            print(k)
    if out[0]:  # a
        pass
    return out
""",
        {"A": 3},
        {("a", "A", "")},
    ),
    "raise_not_sticky": (
        """
def check(v):
    if v > 5:  # c
        raise ValueError
    return None
def run(o):
    check(o["A"])
    x = 1
    if x:  # x
        pass
""",
        {"A": 1},
        {("c", "A", "")},
    ),
    "except": (
        """
def f(x):
    if x:  # f
        raise ValueError("no")
    return 2
def run(o):
    y = 0
    try:
        y = f(o["A"])
    except ValueError as e:  # h
        y = 1
        print(e)
    else:
        y = 3
    finally:
        print("fin")
    if y:  # y
        pass
    z = 1
    if z:  # z
        pass
""",
        {"A": 1},
        {("f", "A", ""), ("h", "A", ""), ("y", "A", "")},
    ),
    "finally_return": (
        """
def f(x):
    try:
        return x
    finally:
        g(0)
def g(y):
    return y
def run(o):
    if f(o["A"]):  # r
        pass
""",
        {"A": 1},
        {("r", "A", "")},
    ),
    "match": (
        """
def run(o):
    match o["A"]:  # m
        case 1 if o["B"]:  # g
            x = 1
        case y:
            x = y
    if x:  # x
        pass
    match {"k": [o["B"], 2]}:  # n
        case {"k": [z, *_], **rest}:
            if z:  # z
                pass
""",
        {"A": 1, "B": 1},
        {("g", "B", ""), ("m", "A", ""), ("n", "B", ""), ("x", "AB", ""), ("z", "B", "")},
    ),
    "with": (
        """
import contextlib
class M:
    def __init__(self, v):
        self.v = v
    def __enter__(self):
        return self.v
    def __exit__(self, *e):
        if self.v:  # e
            print("exit", e[0])
        return True
@contextlib.contextmanager
def cm(v):
    try:
        yield v
    finally:
        print("done")
def run(o):
    with M(o["A"]) as m:
        if m:  # m
            raise ValueError(1)
    with cm(o["B"]) as c, M(3) as d:
        if c:  # c
            return 5
""",
        {"A": 1, "B": 1},
        {("c", "B", ""), ("e", "", "A"), ("m", "A", "")},
    ),
    "swallow": (
        """
import contextlib
def run(o):
    with contextlib.suppress(KeyError):
        if o["A"]:  # a
            raise KeyError
    x = 1
    if x:  # x
        pass
    return x
""",
        {"A": 1},
        {("a", "A", "")},
    ),
    "dispatch": (
        """
def f(x):
    if x:  # f
        pass
def g(x):
    if x:  # g
        pass
def run(o):
    h = f if o["A"] else g  # t
    h(1)
    {"f": f}["f"](o["B"])
    return [c(2) for c in (f, g)]
""",
        {"A": 1, "B": 1},
        {("f", "", "A"), ("f", "B", ""), ("t", "A", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
