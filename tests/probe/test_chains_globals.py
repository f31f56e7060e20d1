"""A chain leads through the names of a module, which one function writes and another one reads."""

from pathlib import Path

import pytest

from tests.probe.chains import chains_of, lines

GIVEN = """
VERBOSE = 0
LIMIT = 1
def configure(options):
    global VERBOSE, LIMIT
    VERBOSE = options["verbose"]
    LIMIT += options["limit"]
def run(options):
    configure(options)
    return used("a")
def used(text):
    if VERBOSE:
        return text
    while LIMIT > len(text):
        text += "a"
"""

HELD = """
SETTINGS = {}
NAMES = []
def run(options):
    SETTINGS["columns"] = options["wide"]
    if options["deep"]:
        NAMES.append("deep")
    return used(), named()
def used():
    if SETTINGS["columns"]:
        return 1
def named():
    for name in NAMES:
        return name
"""

LOCAL = """
LIMIT = 0
def configure(options):
    global LIMIT
    LIMIT = options["limit"]
def run(options):
    configure(options)
    return used(options["limit"]), LIMIT
def used(value):
    LIMIT = value
    if LIMIT:
        return 1
"""


def the_lines(tmp_path: Path, text: str, option: str, region: str, options: tuple[str, ...]) -> list[str]:
    (chain,) = chains_of(tmp_path, text, dict.fromkeys(options, 2)).chains(option, f"program:{region}")
    return lines(chain)


@pytest.mark.parametrize(
    ("option", "read", "decision"),
    [
        ("verbose", 'assignment: VERBOSE = options["verbose"]', "if: if VERBOSE:"),
        ("limit", 'assignment: LIMIT += options["limit"]', "while: while LIMIT > len(text):"),
    ],
)
def test_a_name_that_a_function_declares_global(
    tmp_path: Path, option: str, read: str, decision: str
) -> None:
    options = {"verbose": 0, "limit": 2}
    (chain,) = (
        one
        for one in chains_of(tmp_path, GIVEN, options).chains(option, "program:used")
        if one.decision.kind == decision.partition(":")[0]
    )
    assert lines(chain) == [read, decision]


def test_an_item_of_a_dictionary_of_the_module(tmp_path: Path) -> None:
    assert the_lines(tmp_path, HELD, "wide", "used", ("wide", "deep")) == [
        'item: SETTINGS["columns"] = options["wide"]',
        "call: return used(), named()",
        'if: if SETTINGS["columns"]:',
    ]


def test_a_list_of_the_module_that_is_added_to_under_a_decision(tmp_path: Path) -> None:
    assert the_lines(tmp_path, HELD, "deep", "named", ("wide", "deep")) == [
        'if: if options["deep"]:',
        'call: NAMES.append("deep")',
        "call: return used(), named()",
        "for: for name in NAMES:",
    ]


def test_a_local_name_is_not_that_of_the_module(tmp_path: Path) -> None:
    assert the_lines(tmp_path, LOCAL, "limit", "used", ("limit",)) == [
        'call: return used(options["limit"]), LIMIT',
        "assignment: LIMIT = value",
        "if: if LIMIT:",
    ]
