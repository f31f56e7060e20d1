"""Which options an analysis says may matter to each region."""

from typing import Any

from analytics.configurations.options import Option, OptionSpace
from analytics.whitebox.dependencies import candidate_options
from analytics.whitebox.evidence import DependencyEvidence
from analytics.whitebox.result import WhiteBoxResult

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCDE"))


def result(**more: Any) -> WhiteBoxResult:
    return WhiteBoxResult.of_options("ABCDE").model_copy(update=more)


def test_taints_and_what_counts_have_added_count_alike() -> None:
    """Of decisions, of what led to an entry, of single statements and of whole regions."""
    added = DependencyEvidence(
        region="m:h", line=1, column=0, kind="call", options=("D",), known=(), counts=(1, 2), levels=({}, {})
    )
    found = result(
        decisions=(("m:f", "3:4", ("A",), {"B": "on"}),),
        entries=(("m:g", {"B": "off"}),),
        statements=(("m:f", "3:4", ("C",)),),
        missed_dependencies=(added,),
    )
    assert candidate_options(found, SPACE) == {
        "m:f": frozenset({0, 1, 2}),
        "m:g": frozenset({1}),
        "m:h": frozenset({3}),
    }


def test_an_analysis_of_an_older_release_has_taints_alone() -> None:
    """Without entries and without what counts have added."""
    assert candidate_options(result(decisions=(("m:f", "1:0", ("E",), {}),)), SPACE) == {
        "m:f": frozenset({4})
    }
