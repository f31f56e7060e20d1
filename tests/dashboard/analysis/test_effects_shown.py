"""What counts prove stands first, by size; what only taints say is folded away."""

from typing import Any

from dashboard.access import Principal, access_to, acting
from dashboard.management.analysis_output import analysis_in_words
from dashboard.models import Batch, System
from dashboard.pages.lens import Lens
from dashboard.pages.regions.partition import partition_card
from dashboard.pages.whitebox import page as analysis_page
from dashboard.selectors.whitebox.analyses import white_box_detail
from tests.dashboard.analysis.test_analysis_page import text
from tests.dashboard.whitebox.stored import FOO, MAIN, region_of, stored_analysis

RUNS = [
    {"levels": {"A": a, "B": "off"}, "status": "ok", "message": "", "place": "", "seconds": 0.1}
    for a in ("off", "on")
]
EFFECTS: dict[str, Any] = {
    "counted": RUNS,
    "effects": [
        {"region": FOO, "option": "A", "moved": 60, "differing": 3},
        {"region": MAIN, "option": "A", "moved": 5, "differing": 3},
    ],
    "pairs": {"A": 4, "B": 6, "C": 2},
    "work": {FOO: 150, MAIN: 50},
    "recall": 0.97,
}


def test_the_page_begins_with_what_each_option_changes(system: System, acting_alice: Principal) -> None:
    stored_analysis(system, **EFFECTS)
    sentence, subtitle, _, body, _ = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    assert "change" in text(sentence)
    assert "B and C change nothing that is counted" in text(sentence)
    assert "counted in" in text(subtitle)
    said = text(body).replace("\N{NO-BREAK SPACE}", " ")
    assert said.index("What each option changes") < said.index("Read by nothing")
    for told in ("30 %", "nothing, in 6 pairs of runs", "97 %", "A 30 %", "1 other may"):
        assert told in said
    assert "The value of B was seen on the way to a decision here" in said


def test_regions_and_options_are_ranked_by_time_where_that_is_known(system: System) -> None:
    stored_analysis(system, **EFFECTS)
    found = white_box_detail(system=system)
    assert found is not None
    assert [row.key for row in found.regions] == [FOO, MAIN]
    assert [name for name, _ in found.option_effects] == ["A", "B", "C"]
    Batch.objects.update(manifest={"count_weights": {FOO: 0.1, MAIN: 10.0}})
    found = white_box_detail(system=system)
    assert found is not None
    assert [row.key for row in found.regions] == [MAIN, FOO]
    assert found.ranked_effects[0]["share"] == 5 * 10 / (50 * 10 + 150 * 0.1)


def test_the_command_and_the_region_tell_the_same(system: System) -> None:
    stored_analysis(system, **EFFECTS)
    found = white_box_detail(system=system)
    assert found is not None
    lines = analysis_in_words(found).splitlines()
    assert lines[1:5] == [
        f"A changes 30.0 % of all counts in {FOO}, and 1 more regions",
        "B changes nothing that is counted, in 6 pairs of runs that differ in it alone",
        "C changes nothing that is counted, in 2 pairs of runs that differ in it alone",
        "that is 97.0 % of all pairs of a region and an option that changes its counts, as estimated",
    ]
    said = text(partition_card(region_of(system, FOO), None, "")).replace("\N{NO-BREAK SPACE}", " ")
    assert "Counts prove that it changes with A 30 % of all that the program does." in said
    assert "May, by taints alone: B; no count changed in 6 pairs of runs or more." in said


def test_a_share_above_all_that_a_mean_run_does_is_explained(system: System) -> None:
    """The largest difference of two runs stands against the mean of all runs."""
    effects = [{"region": FOO, "option": "A", "moved": 500, "differing": 3}]
    stored_analysis(system, **{**EFFECTS, "effects": effects})
    found = white_box_detail(system=system)
    assert found is not None
    lines = analysis_in_words(found).splitlines()
    assert f"A changes 250.0 % of all counts in {FOO}" in lines
    assert any("of what a run does on average" in line for line in lines)
