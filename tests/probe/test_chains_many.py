"""Chains of programs with very many decisions one below the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.taint.flows import FLOWS, MOST_DECISIONS
from probe.taint.instrument import install_names
from tests.probe.chains import chains_of, lines
from tests.probe.programs import forget


@pytest.fixture(autouse=True)
def noted() -> Iterator[None]:
    """What values come from is noted in this process until the test ends."""
    install_names()
    forget()
    yield
    forget()


def elifs(count: int) -> str:
    """A program whose decisions each stand under all before it."""
    branches = "".join(f"    elif value == {at + 100}:\n        made = {at}\n" for at in range(count))
    return f"def run(options):\n    value = options['a'] + 5\n    if value < 0:\n        made = 0\n{branches}    else:\n        made = value\n    return made\n"


def test_of_many_decisions_that_led_to_a_step_the_first_ones_are_told(tmp_path: Path) -> None:
    """A row of `elif` takes as many links more as it has branches more; the last one is reached by the first as before."""
    found = chains_of(tmp_path, elifs(3 * MOST_DECISIONS), {"a": 1})
    noted = FLOWS.under.values()
    links = [len(one) for one in noted]
    assert max(links) == MOST_DECISIONS
    assert sum(links) < 4 * MOST_DECISIONS**2
    last = found.chains("a", "program:run")[-1]
    assert lines(last) == [
        "assignment: value = options['a'] + 5",
        f"if: elif value == {3 * MOST_DECISIONS + 99}:",
    ]


TWO_ROWS = """
def run(options):
    other = options["b"] + 1
    value = options["a"] + 5
    if value < 0:
        made = 0
ROW
    elif other:
        made = inner(3)
    else:
        made = 1
    return made
def inner(number):
    while number:
        number -= 1
"""


def test_decisions_on_another_option_are_told_however_many_there_are_on_one(tmp_path: Path) -> None:
    row = "".join(f"    elif value == {at + 100}:\n        made = {at}\n" for at in range(2 * MOST_DECISIONS))
    found = chains_of(tmp_path, TWO_ROWS.replace("ROW\n", row), {"a": 1, "b": 1})
    assert lines(found.chains("b", "program:inner")[0])[-3:] == [
        "if: elif other:",
        "call: made = inner(3)",
        "while: while number:",
    ]
