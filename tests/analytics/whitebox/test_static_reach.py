"""Which options reach which function by the text of a program alone."""

import ast
import itertools

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.validity import ValidConfigurations
from analytics.whitebox.evidence import names_of
from analytics.whitebox.source_flow import SourceFlow
from analytics.whitebox.source_reader import read_module
from analytics.whitebox.static_reach import covering_configurations, options_reaching, static_partitions
from probe.functions import RegionIndex

ENTRY = "app:run"


def reached(text: str, options: str = "ABC", source: str = "") -> dict[str, set[str]]:
    """The options by the name of the function, of a program whose entry is `run(options)`."""
    flow = SourceFlow()
    read_module(flow, "app", text, RegionIndex("app", ast.parse(text)).key_at)
    names = {option: names_of(option, source.format(option)) for option in options}
    return {
        region.partition(":")[2]: set(own)
        for region, own in options_reaching(flow, names, frozenset({f"{ENTRY}:options"})).items()
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What a function tests, and what it is called under; the rest of the entry's mapping has no say.
        (
            """
def run(options):
    if options["A"]:
        heavy(options["B"])
    light(3)

def heavy(deep):
    for _ in range(deep):
        pass
    bottom()

def bottom():
    return 1

def light(n):
    return n
""",
            {"run": {"A"}, "heavy": {"A", "B"}, "bottom": {"A"}},
        ),
        # By the names of arguments, of attributes and of results; and what comes after a way out.
        (
            """
class Settings:
    def __init__(self, fast, wide=False):
        self.fast, self.wide = fast, wide

def choose(settings):
    if settings.fast:
        return "quick"
    return "slow"

def run(options):
    settings = Settings(wide=options["B"], fast=options.get("A", 0))
    work(choose(settings), settings)

def work(way, settings):
    if way == "quick":
        return
    more(settings)

def more(settings):
    while settings.wide:
        pass
""",
            {"choose": {"A"}, "work": {"A"}, "more": {"A", "B"}},
        ),
        # All options by their names, handed on as keywords and asked for elsewhere.
        (
            """
def run(options):
    render(**options)

def render(A, **others):
    table(others)
    return [1 for _ in range(A)]

def table(others):
    return 1 if others.get("C") else 2
""",
            {"render": {"A"}, "table": {"C"}},
        ),
        # The functions of a class that is made where an option says so; those that nobody calls under it are left alone.
        (
            """
class Filter:
    def process(self, text):
        return text

class Other:
    def process_all(self, text):
        return text

def run(options):
    stack = [Other()]
    if options["C"]:
        stack.append(Filter())
    return [one for one in stack]
""",
            {"run": {"C"}, "Filter.process": {"C"}},
        ),
        # What is put into a list, and into what a class in a function has.
        (
            """
def run(options):
    lines = []
    lines.append("x" * options["A"])

    class Inner:
        def take(self, deep):
            while deep:
                pass

        @staticmethod
        def give(wide):
            return 1 if wide else 2

    Inner().take(options["B"])
    Inner.give(options["C"])
    return join(lines)

def join(parts):
    return [part for part in parts]
""",
            {"run": {"B", "C"}, "join": {"A"}},
        ),
        # Keys that are computed may be any.
        (
            """
def run(options):
    return [name for name in ("A", "B") if options[name]]
""",
            {"run": {"A", "B", "C"}},
        ),
    ],
)
def test_what_a_function_tests_and_what_it_is_called_under(text: str, expected: dict[str, set[str]]) -> None:
    assert reached(text) == expected


def test_options_are_found_where_the_program_reads_them() -> None:
    """As an attribute of argparse's result, as another attribute, and as a parameter."""
    text = """
def main(arguments, depth):
    if arguments.A:
        one()
    if depth > 3:
        two()

def one():
    pass

def two():
    pass
"""
    assert reached(text, "A", "argument:{}") == {"main": {"A"}, "one": {"A"}}
    flow = SourceFlow()
    read_module(flow, "app", text, RegionIndex("app", ast.parse(text)).key_at)
    found = options_reaching(flow, {"D": names_of("D", "parameter:app:main.depth")})
    assert found == {"app:main": {"D"}, "app:two": {"D"}}


def test_each_combination_of_what_reaches_a_function_has_a_configuration() -> None:
    """Over two options all four, over four pairs of them where the cap says so; without any the default alone."""
    space = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCD"))
    valid = ValidConfigurations.unconstrained(space)
    reaching = {"app:heavy": frozenset("AB"), "app:wide": frozenset("ABCD")}
    parts = static_partitions(space, reaching, cap=8)
    assert [part.n_subspaces for part in parts["app:heavy"]] == [4]
    assert len(parts["app:wide"]) == 6
    chosen = covering_configurations(space, parts, valid)
    for first, second in itertools.combinations(range(4), 2):
        assert len(np.unique(chosen[:, [first, second]], axis=0)) == 4
    assert covering_configurations(space, {}, valid).tolist() == [[0, 0, 0, 0]]
