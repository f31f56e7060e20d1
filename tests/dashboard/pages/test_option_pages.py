"""The page of one option and the list of all: what each costs, where, why, since when, and with which others."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import plotly.utils
import pytest

from analytics.configurations.identities import key_options
from dashboard.access import NotFound, Principal, access_to, acting, current_principal
from dashboard.figures.option_words import option_sentence
from dashboard.models import Configuration, PerformanceModel, Region, System
from dashboard.pages.lens import Lens
from dashboard.pages.options import page as options
from dashboard.pages.options import parts
from dashboard.pages.options.history import show_history
from dashboard.pages.options.index import show_options
from dashboard.pages.options.page import show_option, show_way
from dashboard.selectors.influences import term_regions
from dashboard.selectors.model_rows import Estimate, Selection
from dashboard.selectors.options import option_functions, system_options
from dashboard.services.reports.views import freeze_view
from tests.dashboard.whitebox.stored import FOO, MAIN, stored_analysis
from tests.people import Person


def text(component: Any) -> str:
    said = json.dumps(component, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return said.replace("\N{NO-BREAK SPACE}", " ")


def way(name: str, **lens: str) -> str:
    return text(show_way(access_to(acting(), "small"), Lens.read(lens), name))


def shown(name: str, **lens: str) -> tuple[Any, ...]:
    return show_option(access_to(acting(), "small"), Lens.read(lens), None, name)


@pytest.fixture(autouse=True)
def acting_alice(alice: Person) -> Iterator[Principal]:
    """Alice's request."""
    token = current_principal.set(alice.principal)
    yield alice.principal
    current_principal.reset(token)


def test_an_option_is_told_by_what_it_costs_where_and_with_which_other(measured: PerformanceModel) -> None:
    """A adds 10 ms in `hot`, with B 30 ms more."""
    _, hidden, sentence, *_ = found = shown("A")
    assert hidden is False
    assert sentence.startswith("A costs 10.")
    assert sentence.replace("\N{NO-BREAK SPACE}", " ").endswith("of it in hot; it interacts with B")
    said = text(found)
    assert "/app/s/small/options/B" in said
    assert "/app/s/small/influences?term=A%2AB" in said
    assert "/app/s/small/what-if?compared=A" in said
    assert "/app/s/small/regions/pkg.hot" in said


def test_an_option_without_influence_of_its_own_is_told_with_the_one_that_it_needs(
    measured: PerformanceModel,
) -> None:
    sentence = shown("B")[2].replace("\N{NO-BREAK SPACE}", " ")
    assert sentence.startswith("Alone B has no influence that is surely not zero; ")
    assert "A with B costs 30" in sentence


def test_only_the_terms_and_levels_that_the_data_hold_are_told(measured: PerformanceModel) -> None:
    found = system_options(access=access_to(acting(), "small"), selection=Selection())
    assert found.found is not None
    one = found.by_name["A"]
    still = replace(one, option=replace(one.option, varied=False))
    said = option_sentence(still, found.found.model, found.found.base, None)
    assert said == "A is off in all of these measurements: what it costs is not known"
    nothing = replace(one.alone[0], influence=Estimate(0.001, 0.002))
    quiet = option_sentence(
        replace(one, alone=(nothing,), together=()), found.found.model, found.found.base, None
    )
    assert quiet == "A has no influence on the wall time that is surely not zero by default"


def test_the_base_of_the_address_is_what_an_option_is_told_relative_to(measured: PerformanceModel) -> None:
    sentence = shown("A", base="B")[2].replace("\N{NO-BREAK SPACE}", " ")
    assert "A costs 40" in sentence
    assert "with B on" in sentence


def test_a_chosen_term_tells_its_functions_and_one_of_another_option_does_not(
    measured: PerformanceModel,
) -> None:
    assert "A × B [off → on], by function" in text(shown("A", term="A*B"))
    assert "A [off → on], by function" in text(shown("A", term="B"))


def test_functions_stand_by_the_time_that_moves_and_what_only_may_be_reached_is_folded(
    measured: PerformanceModel,
) -> None:
    Region.objects.filter(key="pkg.hot").update(key=MAIN)
    stored_analysis(measured.system)
    analysis = system_options(access=access_to(acting(), "small"), selection=Selection()).analysis
    where = term_regions(system=measured.system, selection=Selection(), term="A")
    rows, may = option_functions("A", where, analysis)
    assert [(row.key, row.reached) for row in rows] == [(MAIN, True)]
    assert may == (FOO,)
    said = text(shown("A")) + way("A")
    assert "1 function that it may reach and never changed" in said
    assert "gets to line 3 of" in said
    assert "/app/s/small/regions/tiny%3Amain?region=tiny%3Amain&revision=1.0&option=A&line=3" in said
    chain = freeze_view(access=access_to(acting(), "small"), view="options", lens={"option": "A"}).sections[
        -1
    ]
    assert chain.finding == "A gets to line 3 of main in 1\N{NO-BREAK SPACE}step"
    assert [row[0] for row in chain.rows] == ["decides: if"]


def test_what_a_list_of_functions_leaves_out_is_a_press_away(
    measured: PerformanceModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    Region.objects.filter(key="pkg.hot").update(key=MAIN)
    stored_analysis(measured.system)
    monkeypatch.setattr(parts, "_MOST_MAY", 0)
    said = text(shown("A"))
    assert "and 1 more: " in said
    assert "/app/s/small/analysis?reached=A" in said


def test_without_an_analysis_the_page_says_what_it_would_tell_and_how_to_get_it(
    measured: PerformanceModel,
) -> None:
    said = way("A")
    assert "An analysis runs the program a few times and follows the value of A" in said
    assert "/app/s/small/analysis" in said


def test_an_option_that_nothing_reads_is_told_so(system: System) -> None:
    stored_analysis(system, sites=[], decisions=[], partitions={})
    assert "is read by nothing" in way("B")


def test_without_a_model_an_option_is_told_by_its_counts(system: System) -> None:
    stored_analysis(system)
    _, hidden, sentence, *_ = shown("A")
    assert not hidden
    assert sentence == "What A costs is not known yet"
    assert shown("A", revision="1.0")[2] == "What A costs at 1.0 is not known yet"


def test_an_address_of_what_the_data_do_not_hold_says_so(measured: PerformanceModel) -> None:
    message, hidden, *_ = shown("A", revision="9.9")
    assert hidden
    assert "The data do not hold this selection" in text(message)
    with pytest.raises(NotFound, match="has no option 'Z'"):
        options.layout(access_to(acting(), "small"), "Z", Lens())


def test_the_history_of_an_option_is_missed_with_the_way_to_one(measured: PerformanceModel) -> None:
    said = text(show_history(access_to(acting(), "small"), Lens(), "A"))
    assert "The history of A is not known" in said
    assert "/app/s/small/measure" in said


def test_the_list_ranks_options_by_their_largest_influence(measured: PerformanceModel) -> None:
    _, sentence, _, rows = show_options(access_to(acting(), "small"), Lens())
    assert (
        str(sentence)
        .replace("\N{NO-BREAK SPACE}", " ")
        .startswith("2 of 2 options change the wall time of Small; A with B costs 30")
    )
    said = text(rows)
    assert said.index("/options/A") < said.index("/options/B")


def test_nothing_is_said_of_options_that_were_the_same_in_all_measurements(
    measured: PerformanceModel,
) -> None:
    """C has two levels, of which one was measured: it does not count among those that change nothing."""
    added = measured.system.options.create(name="C", position=9)
    for position, label in enumerate(("off", "on")):
        added.levels.create(label=label, value=label, position=position)
    _, sentence, _, rows = show_options(access_to(acting(), "small"), Lens())
    assert "2 of 2 varied options change" in str(sentence).replace("\N{NO-BREAK SPACE}", " ")
    assert "not varied" in text(rows)


def test_a_system_without_options_says_where_they_come_from(system: System) -> None:
    Configuration.objects.filter(system=system).delete()
    system.options.all().delete()
    message, sentence, *_ = show_options(access_to(acting(), "small"), Lens())
    assert sentence == "Small has no options"
    assert "No options are known" in text(message)


def test_a_key_names_its_options_whatever_signs_are_in_them() -> None:
    assert key_options("a%2Ab*mode=fast") == ("a*b", "mode")
    assert key_options("") == ()
