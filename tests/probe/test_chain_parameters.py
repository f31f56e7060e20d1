"""Chains begin at the parameter by which a library hands an option to the program."""

from pathlib import Path
from typing import Any

import pytest

from tests.probe.chains import chains_of

CALLED = """
def run(options):
    call_back(main, is_fast=options["fast"], level=options["level"])

def main(is_fast, level):
    level = level + 1
    work(is_fast, level)

def work(fast, depth):
    if fast:
        pass
    while depth > 1:
        depth -= 1
"""


def call_back(function: Any, **named: Any) -> None:
    """As a library that parses a command line and calls the program."""
    function(**named)


def test_chains_begin_where_a_library_hands_the_option_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.call_back", call_back, raising=False)
    sources = {"fast": "parameter:program:main.is_fast", "level": "parameter:program:main.level"}
    found = chains_of(tmp_path, CALLED, {"fast": 1, "level": 2}, sources=sources)
    for option, first in (("fast", "work(is_fast, level)"), ("level", "level = level + 1")):
        (chain,) = found.chains(option, "program:work")
        assert chain.from_read
        assert (chain.steps[0].region, chain.steps[0].text) == ("program:main", first)
