"""`map`, `filter`, slices of iterators and deques: how many items they give, and what ends them.

Each program prints, returns and raises the same plain and rewritten. A comment on a line names the options that its
decisions have in td where all are on, "-" none.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

CASES: dict[str, str] = {
    "how_many_there_are": """
from collections import deque
from itertools import islice

def run(o):
    xs = [1]
    if o["A"]:  # A
        xs.append(2)
    if len(list(map(str, xs))) > 1:  # A
        pass
    if len(sorted(map(str, xs))) > 1:  # A
        pass
    if tuple(islice([1, 2, 3], o["B"])):  # B
        pass
    if len(deque([1, 2, 3], o["B"])):  # B
        pass
    e = deque(maxlen=o["B"])
    if len(e):  # B
        pass
    if deque(iterable=[o["C"]])[0]:  # C
        pass
    return list(map(str, xs)), deque([1, 2], 1), deque(), deque(maxlen=2)
""",
    "kinds_that_are_not_followed_lose_nothing": """
from collections import deque
from itertools import chain, repeat
import re

class L(list):
    pass

def run(o):
    for made in map(lambda v: v, deque([o["A"]])):  # A
        print(made)
    for made in map(str, chain([o["A"]], [1])):  # A
        print(made)
    for made in filter(None, chain([o["B"]], [1])):  # B
        print(made)
    for made in map(str, repeat(o["B"], 2)):  # B
        print(made)
    for made in map(str, L([o["C"]])):  # C
        print(made)
    for made in map(str, re.finditer("a", "a" * o["C"])):  # C
        print(made)
""",
    "what_writes_a_counter_and_what_does_not": """
from collections import Counter, OrderedDict

def run(o):
    c = Counter("ab")
    if o["A"]:  # A
        c.most_common(1)
    if c["a"]:  # -
        pass
    c.update({"a": o["B"]})
    if c["a"]:  # B
        pass
    d = OrderedDict(a=1, b=2)
    if o["A"]:  # A
        d.move_to_end("a")
    if d["a"]:  # -
        pass
    return c, d
""",
    "texts_of_objects": """
class C:
    def __init__(self, a, n):
        self.a, self.n = a, n
    def __str__(self):
        return str(self.n)

def run(o):
    if f"{C(o['A'], o['B'])}":  # B
        pass
    if f"{[o['A']]}":  # A
        pass
""",
}


@pytest.mark.parametrize("name", CASES)
def test_options_reach_the_decisions_that_they_should(name: str, tmp_path: Path) -> None:
    Programs(tmp_path).reach_as_marked(CASES[name])


SAME: dict[str, str] = {
    "an_end_that_a_function_tells": """
def run(o):
    its = [iter([1]), iter([])]
    if o["A"]:
        its.append(iter([2]))
    def over(v):
        if v > 1:
            raise StopIteration
        return True
    return list(map(next, its)), list(filter(over, [o["A"], 2, 1]))
""",
    "an_exception_ends_nothing": """
def run(o):
    found = []
    for m in (map(int, ["1", "x", str(o["A"])]), filter(int, ["1", "x", str(o["A"])])):
        while True:
            try:
                found.append(next(m))
            except ValueError:
                continue
            except StopIteration:
                break
    return found
""",
    "nothing_can_be_sent_to_a_list": """
def parts(o):
    yield from [o["A"], 2]
def run(o):
    x = parts(o)
    next(x)
    x.send(5)
""",
    "what_stands_in_classes_and_is_no_method": """
def words(*given):
    return given
def run(o):
    class Made:
        one = o["A"]
        kept = words(one, [v for v in (one, 2) if v])
        asked = lambda self: words(self.one, [v for v in (self.one, 2) if v])
        def given(self, x=[v for v in (1, one) if v]):
            class Inner:
                held = words(self.one, [v for v in (1, 2) if v])
                told = lambda inner, v=self.one: [v for _ in (1, 2) if v]
            def nested():
                return [x for _ in (1, 2) if x]
            return nested(), Inner.held, Inner().told(), [self.one for _ in (1, 2) if self.one]
        @staticmethod
        def plain(one):
            return [one for _ in (1, 2) if one]
        @classmethod
        def of_class(cls):
            return [cls.one for _ in (1, 2) if cls.one]
        def renamed(self):
            one, self = self.one, None
            return [one for _ in (1, 2) if one]
        def forgotten(self):
            one = self.one
            del self
            return [one for _ in (1, 2) if one]
        def yielding(self):
            while self.one:
                yield [self.one for _ in (1, 2) if self.one]
                return
    made = Made()
    print(made.asked(), made.given(), made.plain(o["A"]), made.of_class(), made.renamed(), made.forgotten())
    return list(made.yielding()), Made.kept
""",
    "what_a_class_of_the_program_is_asked": """
class D(dict):
    def __iter__(self):
        print("asked")
        return super().__iter__()
def run(o):
    d = {"a": o["A"]}
    d |= D(b=1)
    e = D(c=o["A"])
    e |= {"a": 1}
    return d, dict.keys(e)
""",
}


@pytest.mark.parametrize("name", SAME)
def test_the_program_does_the_same(name: str, tmp_path: Path) -> None:
    for level in (0, 1):
        Programs(tmp_path).run(SAME[name], A=level)
