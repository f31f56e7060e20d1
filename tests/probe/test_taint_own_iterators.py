"""Iterators that the program's own classes return: the taint of each item, how many there are, and how often each class is asked.

Each program prints, returns and raises the same plain and rewritten. A comment on a line names the options that its
decisions have in td where all are on, "-" none.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

CASES: dict[str, str] = {
    "what_a_class_of_the_program_goes_through": """
class Registry:
    def __init__(self):
        self.held = {}
        self.names = []
    def add(self, name, value):
        self.held[name] = value
        self.names.append((name, 1))
    def __iter__(self):
        return iter([self.held[name] for name, order in self.names])

class Yields(Registry):
    def __iter__(self):
        for name, order in self.names:
            yield self.held[name]

class Steps:
    def __init__(self, items):
        self.items = items
        self.at = 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.at == len(self.items):
            raise StopIteration
        self.at += 1
        return self.items[self.at - 1]

def delegating(made):
    yield from made

def check(made):
    first, second, third = [one for one in made]
    if first:  # A
        pass
    if second:  # B
        pass
    if third:  # -
        pass
    first, second, third = made
    if second:  # B
        pass
    if list(made)[1]:  # B
        pass
    if sorted(made, key=lambda one: 1)[1]:  # B
        pass
    if [one for at, one in enumerate(made)][1]:  # AB
        pass
    if [one for one, other in zip(made, "xyz")][0]:  # AB
        pass
    if all(made):  # AB
        pass
    seen = []
    for one in made:
        seen.append(one)
    if seen[1]:  # B
        pass
    found = [one for one in delegating(made)]
    if found[1]:  # B
        pass

def run(o):
    for kind in (Registry, Yields):
        made = kind()
        made.add("a", o["A"])
        made.add("b", o["B"])
        made.add("c", 3)
        check(made)
    many = Registry()
    if o["C"]:
        many.add("a", 1)
    if len(list(many)):  # C
        pass
    n = 0
    for one in many:
        n += 1
    if n:  # C
        pass
    found = [one for one in Steps([o["A"], o["B"]])]
    if found[0]:  # A
        pass
    seen = []
    for one in Steps([o["A"], o["B"]]):
        seen.append(one)
    if seen[1]:  # B
        pass
""",
    "how_many_an_iterator_of_a_list_gives": """
def run(o):
    xs = [1]
    if o["A"]:  # A
        xs.append(2)
    if len(list(iter(xs))) > 1:  # A
        pass
    ys = [1, 2]
    if o["B"]:  # B
        ys.pop()
    n = 0
    for y in iter(ys):
        n += 1
    if n == 1:  # B
        pass
""",
}

SAME = """
class Asked:
    def __init__(self, items):
        self.items = items
    def __iter__(self):
        print("asked", len(self.items))
        return iter(self.items)
class Own:
    def __init__(self, item):
        self.left = [item, 2]
    def __iter__(self):
        print("asked")
        return self
    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop()
    def send(self, given):
        print("given", given)
        return given
class Wrong:
    def __iter__(self):
        return 5
class Failing:
    def __iter__(self):
        raise KeyError("no")
def delegating(made):
    yield from made
def run(o):
    for given in ([o["A"], 2], [3, 4]):
        made = Asked(given)
        for one in made:
            print(one)
        print([one for one in made], list(made), *made, any(made), sum(made), dict(zip(made, made)))
        print(list(enumerate(made)), sorted(made), list(map(str, made)), list(delegating(made)), max(made))
        one, two = made
    for one in Own(o["A"]):
        print(one)
    print([one for one in Own(o["A"])], list(Own(3)), list(enumerate(Own(4))), list(delegating(Own(o["A"]))))
    going = delegating(Own(o["A"]))
    next(going)
    print(going.send(7))
    for wrong in (Wrong, Failing):
        for use in (list, enumerate, lambda made: [one for one in made], lambda made: list(delegating(made)), zip):
            try:
                use(wrong())
            except (TypeError, KeyError) as error:
                print(repr(error))
    for one in Wrong():
        pass
"""


@pytest.mark.parametrize("name", CASES)
def test_options_reach_the_decisions_that_they_should(name: str, tmp_path: Path) -> None:
    Programs(tmp_path).reach_as_marked(CASES[name])


def test_each_class_is_asked_once_for_its_iterator(tmp_path: Path) -> None:
    for level in (0, 1):
        Programs(tmp_path).run(SAME, A=level)
