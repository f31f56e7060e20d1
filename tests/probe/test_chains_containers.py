"""Chains through what holds an option's choice without being it: lists, keyword arguments, iterators, calls from outside."""

from pathlib import Path

import pytest

from tests.probe.chains import chains_of, lines

THROUGH_A_LIST = """
NAMES = ("tables", "notes")

class Registry:
    __slots__ = ("names", "index")

    def __init__(self):
        self.names = []
        self.index = {}

    def register(self, name):
        self.names.append(name)

    def all(self):
        return list(self.names)

class Converter:
    def __init__(self, **settings):
        self.registry = Registry()
        self.load(extensions=settings.get("extensions", []))

    def load(self, extensions):
        for extension in extensions:
            self.registry.register(extension)

    def convert(self):
        return [self.one(name) for name in self.registry.all()]

    def one(self, name):
        return 2 if name else 1

def run(options):
    extensions = [name for name in NAMES if options[name]]
    return Converter(extensions=extensions).convert()
"""


def test_a_chain_leads_through_a_list_of_what_was_chosen_and_a_registry(tmp_path: Path) -> None:
    (chain,) = chains_of(tmp_path, THROUGH_A_LIST, {"tables": 1, "notes": 0}).chains(
        "tables", "program:Converter.one"
    )
    assert lines(chain) == [
        "comprehension if: extensions = [name for name in NAMES if options[name]]",
        "call: return Converter(extensions=extensions).convert()",
        'call: self.load(extensions=settings.get("extensions", []))',
        "for: for extension in extensions:",
        "call: self.registry.register(extension)",
        "call: self.names.append(name)",
        "comprehension: return [self.one(name) for name in self.registry.all()]",
        "call: return [self.one(name) for name in self.registry.all()]",
        "ternary: return 2 if name else 1",
    ]


GENERATED = """
def chosen(flag):
    for number in range(3):
        yield number * flag

def used(number):
    return 1 if number else 0

def run(options):
    numbers = chosen(options["flag"])
    return [used(number) for number in numbers]
"""


def test_a_chain_leads_through_what_a_generator_yields(tmp_path: Path) -> None:
    (chain,) = chains_of(tmp_path, GENERATED, {"flag": 1}).chains("flag", "program:used")
    assert lines(chain) == [
        'call: numbers = chosen(options["flag"])',
        "call: return [used(number) for number in numbers]",
        "return: yield number * flag",
        "comprehension: return [used(number) for number in numbers]",
        "call: return [used(number) for number in numbers]",
        "ternary: return 1 if number else 0",
    ]


TWO_CALLERS = """
def same(value):
    return value

def slow(value):
    if value:
        return 1
    return 0

def run(options):
    first = same(options["first"])
    second = same(options["second"])
    return slow(first) + len(str(second))
"""


@pytest.mark.parametrize("option", ["first", "second"])
def test_a_function_returns_to_the_one_that_called_it(tmp_path: Path, option: str) -> None:
    chains = chains_of(tmp_path, TWO_CALLERS, {"first": 1, "second": 1}).chains(option, "program:slow")
    expected = [
        'call: first = same(options["first"])',
        "return: return value",
        'assignment: first = same(options["first"])',
        "call: return slow(first) + len(str(second))",
        "if: if value:",
    ]
    assert [lines(chain)[-3:] for chain in chains] == ([expected[-3:]] if option == "first" else [])


CONTROL_OF_A_CALLEE = """
def inner():
    return 1

def middle(mode):
    if mode:
        return inner_of()
    return 0

def inner_of():
    return 1 if inner() else 0

def outer(text, mode):
    return len(text) + middle(mode)

def run(options):
    return outer("abc", options["mode"])
"""


def test_only_calls_under_a_decision_lead_to_it_not_those_before_it(tmp_path: Path) -> None:
    (chain,) = chains_of(tmp_path, CONTROL_OF_A_CALLEE, {"mode": 1}).chains("mode", "program:inner_of")
    assert lines(chain) == [
        'call: return outer("abc", options["mode"])',
        "call: return len(text) + middle(mode)",
        "if: if mode:",
        "call: return inner_of()",
        "ternary: return 1 if inner() else 0",
    ]


PLUGINS = """
class Parser:
    def __init__(self):
        self.rules = []

    def register(self, name):
        if name not in self.rules:
            self.insert(self.rules, name)

    def insert(self, rules, name):
        rules.append(name)

    def parse(self):
        return [self.one(name) for name in self.rules]

    def one(self, name):
        return 2 if name else 1

def notes(parser):
    parser.register("notes")

def tables(parser):
    parser.register("tables")

def run(options):
    parser = Parser()
    for plugin in [one for one in (notes, tables) if options[one.__name__]]:
        plugin(parser)
    return parser.parse()
"""
PARSER = tuple(f"program:Parser.{name}" for name in ("register", "insert", "one"))
THROUGH_TABLES = [
    "comprehension if: for plugin in [one for one in (notes, tables) if options[one.__name__]]:",
    "for: for plugin in [one for one in (notes, tables) if options[one.__name__]]:",
    "call: plugin(parser)",
    'call: parser.register("tables")',
]


def test_of_several_functions_that_one_line_calls_the_chain_goes_through_the_one_whose_counts_the_option_moves(
    tmp_path: Path,
) -> None:
    """As far as taints tell, whether the first of a list is called depends on all of its items."""
    moved = {"notes": ("program:notes", *PARSER), "tables": ("program:tables", *PARSER)}
    found = chains_of(tmp_path, PLUGINS, {"notes": 1, "tables": 1}, moved=moved)
    (chain,) = found.chains("tables", "program:Parser.register")
    assert lines(chain) == [*THROUGH_TABLES, "if: if name not in self.rules:"]
    others = found.chains("notes", "program:Parser.register")
    assert all('call: parser.register("notes")' in lines(chain) for chain in others)


def test_a_chain_leads_through_a_function_that_changes_what_it_is_given(tmp_path: Path) -> None:
    moved = {"notes": ("program:notes", *PARSER), "tables": ("program:tables", *PARSER)}
    found = chains_of(tmp_path, PLUGINS, {"notes": 1, "tables": 1}, moved=moved)
    (chain,) = found.chains("tables", "program:Parser.one")
    assert lines(chain) == [
        *THROUGH_TABLES,
        "call: self.insert(self.rules, name)",
        "call: rules.append(name)",
        "comprehension: return [self.one(name) for name in self.rules]",
        "call: return [self.one(name) for name in self.rules]",
        "ternary: return 2 if name else 1",
    ]
