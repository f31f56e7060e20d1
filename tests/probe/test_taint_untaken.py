"""Weak updates: what a path that is not taken would have written depends on the decision all the same."""

from pathlib import Path

import pytest

from tests.probe.programs import Programs

# Program, options, decisions expected; `# name` marks a line.
CASES = {
    "attribute": (
        """
class C: pass
def run(o):
    c = C()
    c.mode = 0
    if o["A"]:  # a
        c.mode = 1
    if o["B"]:  # b
        c.mode = 2
    if c.mode:  # m
        pass
""",
        {("a", "A", ""), ("b", "B", ""), ("m", "AB", "")},
    ),
    "whether_there_is_an_attribute": (
        """
class C: pass
def run(o):
    c = C()
    if o["A"]:  # a
        c.v = 1
    if hasattr(c, "v"):  # has
        pass
    if getattr(c, "v", None):  # get
        pass
    if hasattr(c, "w"):  # other
        pass
""",
        {("a", "A", ""), ("has", "A", ""), ("get", "A", "")},
    ),
    "attribute_of_an_attribute": (
        """
class C: pass
def run(o):
    c = C()
    c.inner = C()
    c.inner.mode = 0
    if o["A"]:  # a
        c.inner.mode = 1
    if c.inner.mode:  # m
        pass
""",
        {("a", "A", ""), ("m", "A", "")},
    ),
    "item": (
        """
def run(o):
    d = {"k": 0, "l": 0}
    if o["A"]:  # a
        d["k"] = 1
    if d["k"]:  # k
        pass
    if d["l"]:  # l
        pass
""",
        {("a", "A", ""), ("k", "A", "")},
    ),
    "append": (
        """
def run(o):
    found = []
    if o["A"]:  # a
        found.append(1)
    for one in found:  # f
        pass
""",
        {("a", "A", ""), ("f", "A", "")},
    ),
    "global": (
        """
mode = 0
def choose(o):
    global mode
    if o["A"]:  # a
        mode = 1
def run(o):
    choose(o)
    if mode:  # m
        pass
""",
        {("a", "A", ""), ("m", "A", "")},
    ),
    "after_an_early_return": (
        """
class C: pass
def choose(c, o):
    if not o["A"]:  # a
        return
    c.mode = 1
def run(o):
    c = C()
    c.mode = 0
    choose(c, o)
    if c.mode:  # m
        pass
""",
        {("a", "A", ""), ("m", "A", "")},
    ),
    "no_turn": (
        """
def run(o):
    n = 0
    while o["A"]:  # w
        n = 1
        break
    m = 0
    for _ in range(o["B"]):  # f
        m += 1
    if n:  # n
        pass
    if m:  # m
        pass
""",
        {("f", "B", ""), ("m", "B", ""), ("n", "A", ""), ("w", "A", "")},
    ),
    "other_case": (
        """
def run(o):
    n = 0
    match o["A"]:  # c
        case 1:
            n = 1
    if n:  # n
        pass
""",
        {("c", "A", ""), ("n", "A", "")},
    ),
    "a_name_without_a_value": (
        """
def run(o):
    if o["A"]:  # a
        late.mode = 1
    late = None
    if late:  # l
        pass
""",
        {("a", "A", "")},
    ),
    "a_property_is_not_read": (
        """
class C:
    @property
    def inner(self):
        print("read")
        return self
def run(o):
    c = C()
    if o["A"]:  # a
        c.inner.mode = 1
""",
        {("a", "A", "")},
    ),
}
OFF = {"A": 0, "B": 0}


@pytest.mark.parametrize("name", CASES)
def test_what_was_not_written_depends_on_what_decided_so(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    assert Programs(tmp_path).run(text, **OFF) == expected


@pytest.mark.parametrize("name", ["attribute", "item", "append", "after_an_early_return"])
def test_as_published_only_what_was_written_does(name: str, tmp_path: Path) -> None:
    text, expected = CASES[name]
    found = Programs(tmp_path, weak=False).run(text, **OFF)
    assert {one for one in found if one[0] in "ab"} == {one for one in expected if one[0] in "ab"}
    assert not {one for one in found if one[0] in "mkf"}
