"""What an analysis could not tell, on its pages: regions left out, subspaces not seen, counts that vary."""

import json
from collections.abc import Iterator
from typing import Any

import plotly.utils
import pytest

from dashboard.access import Principal, access_to, acting, current_principal
from dashboard.management.commands.chain import written
from dashboard.models import Batch, Revision, System
from dashboard.pages.influences import page as influences_page
from dashboard.pages.lens import Lens
from dashboard.pages.overview.model import analysis_cards
from dashboard.pages.regions import page as regions_page
from dashboard.pages.regions.traced import show_traced
from dashboard.pages.whitebox import page as analysis_page
from dashboard.selectors.whitebox.analyses import option_chains, region_analysis
from tests.dashboard.whitebox.stored import FOO, MAIN, SITES, change_stored, region_of, site, stored_analysis
from tests.people import Person

CHECK, BAR = "tiny:check", "tiny:bar"
LEFT_OUT: dict[str, Any] = {
    "sites": [*SITES, site(CHECK, 12, "if", 'if options["C"] is None:', reads=["['C']"], data=["C"])],
    "excluded": {CHECK: "tests 4 of 4 options one by one"},
}

RUN: dict[str, Any] = {"status": "ok", "message": "", "place": "", "seconds": 1.0}
ELSEWHERE = [
    RUN | {"levels": {"A": "off", "B": "off"}},
    RUN | {"levels": {"A": "on", "B": "off"}, "children_share": 0.62},
]


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture(autouse=True)
def acting_alice(alice: Person) -> Iterator[Principal]:
    """Alice's request."""
    token = current_principal.set(alice.principal)
    yield alice.principal
    current_principal.reset(token)


def test_functions_that_only_parse_options_are_named_with_the_reason(system: System) -> None:
    stored_analysis(system, **LEFT_OUT)
    sentence, _, _, body, _ = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    # C is tested in a region that is left out, and in no other.
    assert text(sentence) == '"2 of 3 options decide in 2 regions of Small"'
    said = text(body)
    assert "1 region left out: only parsing options" in said
    assert "tests 4 of 4 options one by one: C" in said
    assert "/app/s/small/regions/tiny%3Acheck?region=tiny%3Acheck&revision=1.0" in said
    assert "C decides only in regions that are left out" in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({"reached": "C"}), None)[3]
    )


def test_work_in_other_processes_is_told_with_what_starts_them(system: System) -> None:
    """What runs there is not counted: a function that counts less may do the same work elsewhere."""
    row = stored_analysis(system, counted=ELSEWHERE)
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Other processes work in 1 of 2 configurations" in said
    assert "Up to 62 % of a run's processor time, where A is on; what runs there is not counted." in said
    change_stored(row, counted=row.result.counted[:1])
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Other processes" not in said


SAMPLED = [
    RUN | {"levels": {"A": "off", "B": "off"}, "uncounted": {"libz.so.1": 0.62, "libc.so.6": 0.04, "": 0.01}},
    RUN | {"levels": {"A": "on", "B": "off"}, "uncounted": {"libc.so.6": 0.02}},
    RUN | {"levels": {"A": "on", "B": "on"}},
]


def test_the_share_of_the_time_that_no_counter_sees_is_told_with_what_follows(system: System) -> None:
    moved = [{"region": FOO, "option": "A", "moved": 3, "differing": 1}]
    row = stored_analysis(system, counted=SAMPLED, effects=moved)
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Not counted: up to 67 % of the time" in said
    assert (
        "Measured in 2 runs: 2 % to 67 % of the processor time, most where A is off; on average libz.so.1 (31 %) and libc.so.6 (3 %)."
    ) in said
    assert (
        "An option that works there shows in no count, or too little: look at its influence on the time."
        in said
    )
    beside = "Up to 67 % of the time is not counted: an option that works there changes more than this shows."
    assert beside in said
    change_stored(row, counted=row.result.counted[1:])
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "changes more than this shows" not in said
    assert "Not counted: less than 5 % of the time" in said
    assert "look at its influence" not in said


def test_a_share_that_was_not_measured_is_told_as_unknown_with_the_reason(system: System) -> None:
    row = stored_analysis(system, counted=SAMPLED[2:], unsampled="perf is not installed")
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Not counted: unknown" in said
    assert "Which share of the time lies in libraries was not measured: perf is not installed." in said
    change_stored(row, counted=())
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Not counted" not in said


def test_the_program_region_depends_on_what_starts_processes_and_says_so(system: System) -> None:
    """No taint tells that: the region has no effect of its own, and its row gives the reason."""
    moved = [{"region": FOO, "option": "A", "moved": 3, "differing": 1}]
    partitions = {FOO: [["!A", "A"]], "program": [["!A", "A"]]}
    stored_analysis(system, effects=moved, partitions=partitions, counted=ELSEWHERE)
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "1 option may" in said
    assert "With A other processes work, whose time is here; nothing of them is counted." in said


def test_the_page_of_a_function_that_is_left_out_does_not_say_that_it_has_one_path(system: System) -> None:
    stored_analysis(system, **LEFT_OUT)
    said = text(show_traced(access_to(acting(), "small"), Lens.read({}), CHECK)[1])
    assert "Left out: it only parses options" in said
    assert "Why: tests 4 of 4 options one by one." in said
    assert "One path for all configurations" not in said


@pytest.mark.parametrize(
    ("ended", "why"),
    [
        ("complete", "No further valid configuration leads there"),
        ("budget", "had used up its runs"),
        ("minutes", "had used up its time"),
    ],
)
def test_why_subspaces_were_not_seen_is_told_once_the_analysis_has_ended(
    system: System, ended: str, why: str
) -> None:
    analysis = stored_analysis(system)
    assert "not seen" not in text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    change_stored(analysis, ended=ended)
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "1 of 5 subspaces not seen" in said
    assert why in said


def test_what_the_command_says_of_packages_and_of_tracing_the_page_says_too(system: System) -> None:
    runs = [
        {"levels": {"A": a, "B": "off"}, "status": "ok", "message": "", "place": "", "seconds": 0.1}
        for a in ("off", "on")
    ]
    analysis = stored_analysis(
        system,
        runs=[run | {"said": "as ever"} for run in runs],
        counted=[run | {"said": said} for run, said in zip(runs, ("as ever", "else"), strict=True)],
    )
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "1 of 2 configurations printed or returned something else when traced" in said
    assert '"A=on"' in said
    assert "Nothing ran" not in said
    change_stored(analysis, ended="complete", unexecuted_packages=("lost",))
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Nothing ran in 1 package" in said
    assert '"lost"' in said


def test_modules_that_run_as_they_are_stand_apart_from_calls(system: System) -> None:
    module = "module: tiny.fast (SyntaxError: no)"
    stored_analysis(system, unfollowed={module: 1, "re.compile": 7})
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Not followed into 1 place and 1 module" in said
    assert '"tiny.fast (SyntaxError: no)"' in said
    assert "module: " not in said
    Batch.objects.all().delete()
    stored_analysis(system, unfollowed={module: 1})
    assert "Not followed into 1 module" in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3]
    )


# Only counts tell that the number of calls of bar depends on A, and that B matters in main.
COUNTED: dict[str, Any] = {
    "partitions": {
        MAIN: [["!A & !B", "!A & B", "A & !B", "A & B"]],
        FOO: [["!A", "A & !B", "A & B"]],
        BAR: [["!A", "A"]],
    },
    "missed": [
        {
            "region": region,
            "options": [option],
            "known": [option],
            "line": 20,
            "column": 0,
            "kind": "call",
            "counts": [1, 2],
            "levels": [{"A": "off"}, {"A": "on"}],
        }
        for region, option in ((BAR, "A"), (MAIN, "B"))
    ],
}


def test_options_that_only_counts_show_are_among_those_that_reach_a_function(system: System) -> None:
    stored_analysis(system, **COUNTED)
    sentence, _, _, body, _ = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    assert text(sentence) == '"2 of 3 options decide in 3 regions of Small; C is read by nothing"'
    assert "A decides in 3 regions" in text(body)
    assert "B decides in 2 regions" in text(body)
    assert "Only counts show that A matters in tiny:bar" in text(body)


def test_an_option_that_counts_speak_for_is_not_told_never_to_reach_a_function(
    system: System, acting_alice: Principal
) -> None:
    stored_analysis(system, **COUNTED)
    told = region_analysis(system=system, region=MAIN)
    assert told is not None
    assert (told.tainted, told.counted, told.unreached) == (("A",), ("B",), ("C",))
    chain, partition, _ = (
        text(part) for part in show_traced(access_to(acting(), "small"), Lens.read({"option": "B"}), MAIN)
    )
    assert "as counts show, also by" in partition
    assert "does not reach" not in chain
    assert "But how often its lines run depends on it, as counts show" in chain


def test_a_function_that_only_counts_tell_of_has_a_page(system: System, acting_alice: Principal) -> None:
    stored_analysis(system, **COUNTED)
    said = text(regions_page.layout(access_to(acting(), "small"), BAR, Lens()))
    assert "1 option reaches bar; its time is not known yet" in said
    assert "counts have shown" in text(show_traced(access_to(acting(), "small"), Lens.read({}), BAR)[2])
    assert region_of(system, BAR).added == {"A"}


def test_the_command_says_where_counts_speak_against_it(system: System, operator: Principal) -> None:
    stored_analysis(system, **COUNTED)
    region = region_of(system, MAIN)
    lines = list(written(region, "B", option_chains(region, "B")))
    assert lines[-1] == "but counts show that tiny:main depends on B: taints have missed it"


def test_of_a_function_that_was_split_the_pairs_of_the_chosen_option_come_first(system: System) -> None:
    pairs = [["!A", "A"]] * 12 + [["!B", "B"]]
    stored_analysis(system, partitions={FOO: pairs})
    said = text(show_traced(access_to(acting(), "small"), Lens.read({"option": "B"}), FOO)[1])
    assert said.index('"!B"') < said.index('"!A"')
    assert "and 2 more: choose an option to see its pairs" in said


def test_functions_whose_counts_vary_are_named(system: System) -> None:
    stored_analysis(system, unsteady=[[FOO, 8, 4, "if"], [FOO, 9, 4, "turn"]])
    said = text(analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[3])
    assert "Counts prove nothing in 1 region" in said


def test_other_revisions_that_were_analyzed_can_be_chosen(system: System) -> None:
    stored_analysis(system)
    assert "Choose: revision" not in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)[4]
    )
    Revision.objects.create(system=system, name="2.0")
    stored_analysis(system, "2.0", partitions={MAIN: [["!A", "A"]]})
    sentence, _, _, _, actions = analysis_page.show(access_to(acting(), "small"), Lens.read({}), None)
    assert "in 1 region" in text(sentence)
    assert "Choose: revision, now 2.0" in text(actions)
    assert "in 2 regions" in text(
        analysis_page.show(access_to(acting(), "small"), Lens.read({"revision": "1.0"}), None)[0]
    )


def test_one_function_depends_on_options(system: System) -> None:
    stored_analysis(system, partitions={MAIN: [["!A", "A"]]})
    assert "1 region depends on 1 option" in text(analysis_cards(access_to(acting(), "small"), Lens()))


def test_the_page_of_influences_leads_on_from_an_analysis(system: System) -> None:
    assert "manage.py fit small" in text(influences_page.layout(access_to(acting(), "small"), "", Lens()))
    stored_analysis(system)
    said = text(influences_page.layout(access_to(acting(), "small"), "", Lens()))
    assert "/app/s/small/analysis" in said
    assert "manage.py" not in said
