"""What an analysis names as left out is not listed again as unexplained."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.whitebox.count_evidence import ConfigurationCounts
from analytics.whitebox.decisions import Extensions
from analytics.whitebox.evidence import DependencyEvidence
from analytics.whitebox.result import WhiteBoxResult
from dashboard.management.analysis_output import residual_in_words
from dashboard.services.whitebox.analysis_state import AnalysisState

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "AB"))
COUNTED = ConfigurationCounts(
    SPACE,
    np.array([[0, 0], [1, 1]], dtype=np.int8),
    np.array([[1, 3, 5], [1, 4, 6]], dtype=np.int64),
    (("main", 1, 0, "call"), ("main", 2, 4, "turn"), ("check", 9, 4, "if")),
)


def evidence(options: tuple[str, ...], known: tuple[str, ...]) -> DependencyEvidence:
    """Two runs, with A on and with B on, whose turns differ."""
    return DependencyEvidence(
        region="tiny:turn",
        line=18,
        column=4,
        kind="turn",
        options=options,
        known=known,
        counts=(5, 7),
        levels=({"A": "on", "B": "off"}, {"A": "off", "B": "on"}),
    )


def unexplained(*excluded: str) -> list[DependencyEvidence]:
    """What remains of an analysis without taints, of two runs that differ in both options."""
    configurations = SimpleNamespace(
        space=SPACE,
        labels=lambda row: dict(zip("AB", map(str, row.tolist()), strict=True)),
        subject=SimpleNamespace(analysis=SimpleNamespace(exclude=excluded, include=()), sources={}),
    )
    result, refining = WhiteBoxResult.of_options("AB"), Extensions(callers=True)
    state = AnalysisState(result, frozenset(), COUNTED, cast("Any", configurations), refining)
    return list(state.findings["residual_variation"])


def test_the_statements_of_an_excluded_region_are_not_listed() -> None:
    for excluded, listed in (((), [("check", 9), ("main", 2)]), (("check",), [("main", 2)])):
        assert sorted((row.region, row.line) for row in unexplained(*excluded)) == listed


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
    counted = "line 18: 5 turns with A, 7 with B"
    assert residual_in_words(evidence(options, known), SPACE) == f"a statement of tiny:turn {said}: {counted}"


def test_the_docs_quote_what_the_command_says() -> None:
    docs = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "analyze-a-program.md"
    text = re.sub(r"\s+", " ", docs.read_text(encoding="utf-8"))
    said, _, _ = residual_in_words(evidence(("B", "C"), ("A",)), SPACE).partition(": line")
    assert f"`{said}`" in text
