"""What an analysis names as left out is not listed again as unexplained."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.whitebox.count_evidence import Counted, Findings, findings
from analytics.whitebox.exploration import Exploration
from dashboard.management.analysis_output import unexplained_in_words
from dashboard.selectors.whitebox.missed import CountEvidence
from dashboard.services.whitebox.known import Known

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))
COUNTED = Counted.of(
    SPACE,
    np.array([[0, 0], [1, 1]], dtype=np.int8),
    np.array([[1, 3, 5], [1, 4, 6]], dtype=np.int64),
    (("main", 1, 0, "call"), ("main", 2, 4, "turn"), ("check", 9, 4, "if")),
)


def known_of(found: Findings, excluded: dict[str, str]) -> Known:
    """An analysis without taints, of two runs that differ in both options."""
    configurations = cast("Any", SimpleNamespace(space=SPACE, labels=lambda row: row.tolist()))
    exploration = Exploration(SPACE, (), frozenset())
    return Known(configurations, exploration, frozenset(), {}, COUNTED, found, (), excluded)


def test_the_statements_of_an_excluded_region_are_not_listed() -> None:
    found = findings(COUNTED, frozenset())
    for excluded, listed in (
        ({}, [("check", 9), ("main", 2)]),
        ({"check": "only parses options"}, [("main", 2)]),
    ):
        rows = known_of(found, excluded).unexplained()
        assert sorted((row["region"], row["line"]) for row in rows) == listed


@pytest.mark.parametrize(
    ("known", "options", "said"),
    [
        (("A",), ("B", "C"), "may depend on more than A (B or C)"),
        (("A",), ("A", "B"), "may depend on more than A (B)"),
        ((), ("B", "C"), "may depend on B or C"),
        (("A", "B"), ("A", "B"), "depends on A, B in more ways than were seen"),
    ],
)
def test_it_is_a_statement_that_may_depend_on_more_not_its_region(
    known: tuple[str, ...], options: tuple[str, ...], said: str
) -> None:
    one = CountEvidence("tiny:turn", options, known, 18, (5, 7), "line 18: 5 turns with A, 7 with B")
    assert unexplained_in_words(one) == f"a statement of tiny:turn {said}: {one.evidence}"


def test_the_docs_quote_what_the_command_says() -> None:
    docs = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "analyze-a-program.md"
    text = re.sub(r"\s+", " ", docs.read_text(encoding="utf-8"))
    one = CountEvidence("tiny:turn", ("B", "C"), ("A",), 18, (5, 7), "")
    assert f"`{unexplained_in_words(one).removesuffix(': ')}`" in text
