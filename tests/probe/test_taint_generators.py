"""What is yielded, awaited or collected keeps its own taint.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "next_turn_unless_the_loop_is_left": (
        """
def run(o):
    turn = 0
    while more(turn):  # while
        turn = turn + 1
        if o["A"]:  # if
            break
def more(turn):
    if turn < 3:  # more
        return True
    return False
""",
        {"A": 0},
        {("if", "A", ""), ("if", "", "A"), ("while", "A", ""), ("more", "", "A")},
    ),
    "next_turn_because_the_end_was_skipped": (
        """
def run(o):
    turn = 0
    while more(turn):  # while
        turn = turn + 1
        if o["A"]:  # if
            continue
        break
def more(turn):
    if turn < 3:  # more
        return True
    return False
""",
        {"A": 1},
        {("if", "A", ""), ("if", "", "A"), ("while", "A", ""), ("more", "", "A")},
    ),
    "next_turn_after_continue": (
        """
def run(o):
    turn = 0
    while more(turn):
        turn += 1
        if o["A"]:  # in while
            continue
        print(turn)
    for item in items():
        if o["A"]:  # in for
            continue
        print(item)
def items():
    for at in range(3):  # at
        if at % 2:  # odd
            yield at
def more(turn):
    if turn < 3:  # more
        return True
    return False
""",
        {"A": 1},
        {("in while", "A", ""), ("in for", "A", "")},
    ),
    "listcomp": (
        """
def run(o):
    x = [n for n in "AB" if o[n]]  # c
    for y in x:  # l
        print(y)
""",
        {"A": 1, "B": 1},
        {("c", "A", ""), ("c", "B", ""), ("l", "A", ""), ("l", "AB", ""), ("l", "B", "")},
    ),
    "dictcomp": (
        """
def run(o):
    x = {k: v for k, v in o.items()}  # c
    if x["A"]:  # a
        pass
    if x["B"]:  # b
        pass
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", ""), ("c", "A", ""), ("c", "B", "")},
    ),
    "genexp": (
        """
def run(o):
    x = [o["A"], o["B"]]
    g = (y for y in x)  # c
    for z in g:  # l
        if z:  # z
            pass
    if any(y for y in x):  # d
        pass
""",
        {"A": 1, "B": 0},
        {
            ("c", "A", ""),
            ("c", "B", ""),
            ("d", "A", ""),
            ("l", "A", ""),
            ("l", "B", ""),
            ("z", "", "A"),
            ("z", "", "B"),
        },
    ),
    "generator_that_two_callers_resume_in_turn": (
        """
def values():
    turn = 0
    while True:
        yield turn
        if turn == 0:  # of first
            pass
        yield turn
        if turn == 0:  # of second
            pass
def run(o):
    made = values()
    next(made)
    for _ in range(2):
        if o["A"]:  # a
            next(made)
        if o["B"]:  # b
            next(made)
""",
        {"A": 1, "B": 1},
        {("a", "A", ""), ("b", "B", ""), ("of first", "", "A"), ("of second", "", "B")},
    ),
    "generator": (
        """
def g(a, b):
    yield a
    if b:  # g
        yield 1
    yield b
def run(o):
    for x in g(o["A"], o["B"]):  # l
        if x:  # x
            pass
    return list(g(o["A"], o["B"]))
""",
        {"A": 1, "B": 0},
        {("g", "B", ""), ("l", "A", ""), ("l", "B", ""), ("x", "", "A"), ("x", "", "B")},
    ),
    "yield_from": (
        """
def g(a):
    x = yield from h(a)
    if x:  # g
        yield 9
def h(a):
    yield 1
    yield a
    return a
def run(o):
    for x in g(o["A"]):  # l
        if x:  # x
            pass
""",
        {"A": 1},
        {("g", "A", ""), ("l", "A", ""), ("x", "", "A")},
    ),
    "send": (
        """
def g():
    x = 0
    while True:
        x = yield x
        if x:  # g
            pass
def run(o):
    c = g()
    next(c)
    y = c.send(o["A"])
    if y:  # y
        pass
    c.close()
""",
        {"A": 1},
        {("g", "A", ""), ("y", "A", "")},
    ),
    "closed": (
        """
def items(o):
    if o["A"]:  # items
        try:
            yield 1
        except BaseException:  # closed
            raise
def f(x):
    if x:  # f
        return 1
def run(o):
    g = items(o)
    next(g)
    g.close()
    if f(o["B"]):  # r
        pass
""",
        {"A": 1, "B": 1},
        {("items", "A", ""), ("closed", "", "A"), ("f", "B", ""), ("r", "B", "")},
    ),
    "throw": (
        """
def g():
    try:
        yield 1
    except ValueError as e:
        yield repr(e)
    finally:
        print("f")
def run(o):
    c = g()
    next(c)
    print(c.throw(ValueError("x")))
    c.close()
""",
        {"A": 1},
        set(),
    ),
    "async": (
        """
import asyncio
async def f(x):
    await asyncio.sleep(0)
    if x:  # f
        return x
    return 0
async def g(a, b):
    if a:  # g
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        y = 1
        if y:  # y
            pass
    r = await f(b)
    if r:  # r
        pass
async def main(o):
    a, b = o["A"], o["B"]
    await asyncio.gather(g(a, b), g(0, 0), f(b))  # ga
    async with L() as l:  # aw
        if l:  # l
            pass
    async for i in agen(a):  # af
        if i:  # i
            pass
    return [i async for i in agen(b)]  # rc
class L:
    async def __aenter__(self):
        return 1
    async def __aexit__(self, *e):
        return None
async def agen(x):
    yield x
    await asyncio.sleep(0)
    yield 2
def run(o):
    return asyncio.run(main(o))
""",
        {"A": 1, "B": 1},
        {("af", "A", ""), ("f", "B", ""), ("g", "A", ""), ("i", "", "A"), ("r", "B", ""), ("y", "", "A")},
    ),
    "comp_scope": (
        """
x = 5
def run(o):
    y = [x for x in (o["A"], 2)]
    if x:  # x
        pass
    z = {k: [w for w in v] for k, v in {"a": [o["B"]]}.items()}
    if z["a"][0]:  # z
        pass
    t = {a + b for a, b in [(1, o["A"])]}
    if t:  # t
        pass
    print([[i * j for j in range(2)] for i in range(2)], [p for q in [[1], [2]] for p in q if p])
""",
        {"A": 1, "B": 1},
        {("", "A", ""), ("", "B", ""), ("t", "A", ""), ("z", "B", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
