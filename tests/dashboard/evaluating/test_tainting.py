"""Which options an analysis says may matter to each region."""

from analytics.configurations.options import Option, OptionSpace
from dashboard.selectors.whitebox.tainting import tainting_options

SPACE = OptionSpace(tuple(Option(name, (False, True)) for name in "ABCDE"))


def test_taints_and_what_counts_have_added_count_alike() -> None:
    """Of decisions, of what led to an entry, of single statements and of whole regions."""
    found = {
        "decisions": [["m:f", "3:4", ["A"], {"B": "on"}]],
        "entries": [["m:g", {"B": "off"}]],
        "statements": [["m:f", "3:4", ["C"]]],
        "missed": [{"region": "m:h", "options": ["D"]}],
    }
    assert tainting_options(found, SPACE) == {
        "m:f": frozenset({0, 1, 2}),
        "m:g": frozenset({1}),
        "m:h": frozenset({3}),
    }


def test_an_analysis_of_an_older_release_has_taints_alone() -> None:
    """Without entries and without what counts have added."""
    assert tainting_options({"decisions": [["m:f", "1:0", ["E"], {}]]}, SPACE) == {"m:f": frozenset({4})}
