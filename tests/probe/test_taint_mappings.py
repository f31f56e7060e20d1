"""What decides about one key of a mapping is no part of the others.

Each program prints, returns and raises the same plain and rewritten. Decisions are named by the comment on their
line, then the options in td, then those in tc.
"""

from pathlib import Path

import pytest

from tests.probe.programs import Decision, Programs

CASES: dict[str, tuple[str, dict[str, int], set[Decision]]] = {
    "a_key_is_asked_for_and_no_other": (
        """
def run(o):
    d = {"a": o["A"], "b": 1}
    if o["B"]:  # o
        d["c"] = 1
    if "b" in d:  # b
        pass
    if "a" not in d.keys():  # a
        pass
    if "c" in d:  # c
        pass
    if 1 in d.values():  # v
        pass
    if (o["A"], 1) in {(0, 1): 1}:  # k
        pass
    if "b" in {**d, "e": o["A"]}:  # m
        pass
""",
        {"A": 1, "B": 1},
        {
            ("a", "A", ""),
            ("c", "B", ""),
            ("k", "A", ""),
            ("o", "B", ""),
            ("v", "AB", ""),
        },
    ),
    "a_key_of_the_options_themselves": (
        """
def run(o):
    for name in ("A", "B", "C"):
        if name in o:  # in
            pass
        if name != "B" and name in o:  # not_b
            pass
""",
        {"A": 1, "B": 1},
        {("in", "A", ""), ("in", "B", ""), ("not_b", "A", "")},
    ),
    "what_happens_to_a_key_is_of_no_other": (
        """
def run(o):
    d = {"a": 1, "b": 1, "c": 1, "d": 1}
    if o["A"]:  # A
        d.pop("a")
    if o["B"]:  # B
        del d["b"]
    if o["C"]:  # C
        d["e"] = 1
    if "a" in d:  # a
        pass
    if "b" in d.copy():  # b
        pass
    if "c" in dict(d):  # c
        pass
    if d.get("e"):  # e
        pass
    if {"e": 1, **d}["e"]:  # s
        pass
    if "a" in {**d}:  # t
        pass
    d.setdefault("a", 2)
    if "a" in d:  # g
        pass
    if d:  # n
        pass
    if len(d) > 1:  # l
        pass
    d["d"] = 2
    if d.pop("d") and "d" in d:  # p
        pass
""",
        {"A": 1, "B": 1, "C": 0},
        {
            ("A", "A", ""),
            ("B", "B", ""),
            ("C", "C", ""),
            ("a", "A", ""),
            ("b", "B", ""),
            ("e", "C", ""),
            ("s", "C", ""),
            ("t", "A", ""),
            ("g", "A", ""),
            ("n", "ABC", ""),
            ("l", "ABC", ""),
        },
    ),
    "a_loop_over_defaults": (
        """
DEFAULTS = {"A": 0, "B": 0, "C": 0}

class Settings:
    def __init__(self, given):
        given = dict(given)
        settings = {}
        for name, default in DEFAULTS.items():
            if name in given:  # in
                value = given.pop(name)
            else:
                value = default
            settings[name] = value
        if given:  # rest
            pass
        self.settings = settings

def run(o):
    settings = Settings(o).settings
    if settings["A"]:  # a
        pass
    if settings.get("B"):  # b
        pass
""",
        {"A": 1, "B": 1},
        {("in", "A", ""), ("in", "B", ""), ("rest", "AB", ""), ("a", "A", ""), ("b", "B", "")},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_program_does_the_same_and_its_decisions_are_known(name: str, tmp_path: Path) -> None:
    text, options, expected = CASES[name]
    assert Programs(tmp_path).run(text, **options) == expected
