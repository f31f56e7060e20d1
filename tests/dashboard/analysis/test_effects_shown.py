"""What counts prove stands first, by size; what only taints say is folded away."""

import json
from types import SimpleNamespace
from typing import Any

from django.db import transaction

from analytics.whitebox.evidence import CheckedPairs
from dashboard.access import Principal, access_to, acting
from dashboard.management.analysis_output import analysis_in_words
from dashboard.models import Batch, System, WhiteBoxAnalysis
from dashboard.models.whitebox import result_of
from dashboard.pages.lens import Lens
from dashboard.pages.regions.partition import partition_card
from dashboard.pages.whitebox import page as analysis_page
from dashboard.selectors.whitebox.analyses import newest_analysis, white_box_detail
from dashboard.services.whitebox.analyzing import keep_checked_pairs
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

# 3 of 4 true pairs are told among 6; each of 3 options of 4 functions would be 12.
CHECKED = {
    "options": ["A", "B", "C"], "configurations": 8, "functions": 4, "true": 4, "claimed": 6, "right": 3, "proved": 2,
    "proved_right": 2, "tainted": 5, "tainted_right": 3,
}  # fmt: skip


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


def test_what_taints_say_is_told_as_refuted_where_many_pairs_of_runs_say_otherwise(
    system: System, acting_alice: Principal
) -> None:
    """Nine pairs are too few."""
    stored_analysis(system, **EFFECTS, unmoved=[[FOO, "B", 9]])
    assert (region_of(system, FOO).refuted, region_of(system, FOO).possible) == ({}, ("B",))
    stored_analysis(system, **EFFECTS, unmoved=[[FOO, "B", 12], [MAIN, "B", 12]])
    row = region_of(system, FOO)
    assert (row.refuted, row.possible, row.options) == ({"B": 12}, (), ("A",))
    assert "B" not in row.unreached
    *_, body, _ = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    said = text(body).replace("\N{NO-BREAK SPACE}", " ")
    assert "1 refuted" in said
    assert "in none of 12 pairs of runs that differ in it alone" in said
    said = text(partition_card(row, None, "")).replace("\N{NO-BREAK SPACE}", " ")
    assert "Refuted: B." in said
    assert "no count changed in 12 pairs of runs" in said


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
        f"A changes 30.0 % of all counts in {FOO}, and 1 more region",
        "B changes nothing that is counted, in 6 pairs of runs that differ in it alone",
        "C changes nothing that is counted, in 2 pairs of runs that differ in it alone",
        "that is 97.0 % of all pairs of a region and an option that changes its counts, as estimated",
    ]
    said = text(partition_card(region_of(system, FOO), None, "")).replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "Counts prove that it changes with A (30 %); in brackets, by how much of all that the program does."
        in said
    )
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


def test_claims_that_were_held_against_all_configurations_tell_how_many_are_true(
    system: System, acting_alice: Principal
) -> None:
    """That is known, so no estimate stands beside it."""
    stored_analysis(system, **EFFECTS, checked=CHECKED)
    found = white_box_detail(system=system)
    assert found is not None
    said = (
        "Held against all 8 configurations over A, B, C: of 4 pairs of a function and an option that changes its counts, 3 are told "
        "(75.0 %), 2 of them proved by counts. Of 6 told pairs 50.0 % are true, where telling each option of each function would "
        "reach 33.3 %."
    )
    lines = analysis_in_words(found).splitlines()
    assert said in lines
    *_, body, _ = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    shown = text(body).replace("\N{NO-BREAK SPACE}", " ")
    assert said in shown
    assert "as estimated" not in "".join([*lines, shown])


def test_what_a_later_release_adds_to_checked_pairs_is_kept_and_their_options_are_named(
    system: System,
) -> None:
    """Results of before have none."""
    assert stored_analysis(system, **EFFECTS).result.checked is None
    stored = {**stored_analysis(system, **EFFECTS).result.as_json(), "checked": {**CHECKED, "later": 1}}
    read = result_of(json.dumps(stored))
    assert read.as_json() == stored
    stored["checked"]["options"] = ["D"]
    assert "D" in result_of(json.dumps(stored)).named_options()


def test_an_analysis_that_went_on_meanwhile_keeps_what_it_has(system: System) -> None:
    """All configurations were held against the claims of before."""
    before, checked = (
        stored_analysis(system, **EFFECTS),
        CheckedPairs.model_validate_json(json.dumps(CHECKED)),
    )
    context: Any = SimpleNamespace(fenced=transaction.atomic)
    assert newest_analysis(system) == before
    keep_checked_pairs(context=context, analysis=before, checked=checked)
    stored = newest_analysis(system)
    assert stored is not None
    assert stored.result.checked == checked
    went_on = before.result.model_copy(update={"recall": 0.5})
    WhiteBoxAnalysis.objects.update(result=went_on)
    keep_checked_pairs(context=context, analysis=before, checked=checked)
    assert WhiteBoxAnalysis.objects.get().result == went_on
