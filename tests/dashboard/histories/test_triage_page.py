"""What the pages of changes do with what is pressed and typed, called as ordinary functions."""

import json
from dataclasses import replace
from typing import Any

import plotly.utils
import pytest
from dash import no_update

from dashboard.access import Access, access_to
from dashboard.models import TriagedChange
from dashboard.pages import triage as page
from dashboard.pages.components.triage import triage_tools
from dashboard.pages.history_list import list as suite_list
from dashboard.pages.history_list.findings import filtered_content, findings_content, states_filter
from dashboard.pages.history_list.words import filtered_texts
from dashboard.pages.lens import Lens
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.triage import STATES
from tests.dashboard.histories.test_triage import stepped
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]
__all__ = ["stepped"]


def said(content: Any) -> str:
    """Everything that components say, with their attributes, as JSON."""
    text = json.dumps(content, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return text.replace("\N{NO-BREAK SPACE}", " ")


def asked(access: Access, **wish: Any) -> dict[str, Any]:
    """What the browser sends of the first finding."""
    key = found_changes(access.system, HistoryQuery(state="all")).told[-1].key
    return {"key": key, "of": "finding", **wish}


def test_what_is_pressed_is_said_and_taken_back(stepped: Access) -> None:
    words, no_undo, action, version = page.say(stepped, asked(stepped, state="noise"), Lens())
    assert (said(words), no_undo) == ('"2 changes set to noise."', False)
    assert version
    words, no_undo, _ = page.take_back(stepped, 1, action)
    assert (said(words), no_undo) == ('"Taken back: 2 changes."', True)
    assert "nothing to take back" in said(page.take_back(stepped, 1, action))
    assert "field-error" in said(page.take_back(stepped, 1, "no number"))


def test_a_wish_that_cannot_be_granted_is_answered_in_words(stepped: Access, vera: Person) -> None:
    viewer = access_to(vera.principal, "small")
    assert "needs the role" in said(page.say(viewer, asked(stepped, state="noise"), Lens()))
    assert "is no state" in said(page.say(stepped, asked(stepped, state="x"), Lens()))
    gone = {"key": "x", "of": "finding", "state": "noise"}
    assert (
        "load the page again" in said(page.say(stepped, gone, Lens())) or TriagedChange.objects.count() == 0
    )
    assert "there is no such change" in said(page.open_dialog(stepped, {"key": "x", "of": "change"}, Lens()))
    typed: dict[str, Any] = {
        "asked": asked(stepped),
        "state": "noise",
        "owner": None,
        "note": "",
        "lens": Lens(),
    }
    assert "needs the role" in said(page.save(viewer, **typed, address=""))
    assert "begin it with https" in said(page.save(stepped, **typed, address="ftp://x"))
    assert not TriagedChange.objects.exists()


def test_the_dialog_holds_what_was_said_and_keeps_what_is_typed(stepped: Access, vera: Person) -> None:
    typed: dict[str, Any] = {
        "state": "acknowledged",
        "owner": str(vera.user.pk),
        "note": "seen",
        "address": "https://a.example",
    }
    fault, words, *_ = page.save(stepped, asked=asked(stepped), lens=Lens(), **typed)
    assert (fault, said(words)) == (None, '"2 changes kept as acknowledged."')
    shown = said(page.open_dialog(stepped, {**asked(stepped), "name": "A at r12"}, Lens()))
    for text in (
        "What became of A at r12 in 2 histories",
        "acknowledged",
        "seen",
        "https://a.example",
        "vera",
    ):
        assert text in shown


def test_viewers_see_states_and_set_none(stepped: Access, vera: Person) -> None:
    found = found_changes(stepped.system, HistoryQuery())
    assert "data-triage-key" in said(findings_content(found, stepped))
    viewed = said(findings_content(found, access_to(vera.principal, "small")))
    assert "triage-new" in viewed
    assert "data-triage-key" not in viewed
    assert "data-triage-key" not in said(findings_content(found, stepped, settable=False))


def test_the_lines_of_menus_are_on_the_page_once(stepped: Access) -> None:
    """However many changes are listed: Dash takes time for each component times all others."""
    found = found_changes(stepped.system, HistoryQuery())
    assert "data-triage-key" in said(findings_content(found, stepped))
    assert '"data-triage":' not in said(findings_content(found, stepped))
    assert said(triage_tools()).count('"data-triage":') == 2 * len(STATES) + 1


def test_what_is_not_told_is_drawn_once_it_is_opened(stepped: Access) -> None:
    found = found_changes(stepped.system, HistoryQuery())
    found = replace(found, filtered=(("went away", 1, found.told[:1]),))
    assert filtered_texts(found) == ["", "Not told: 1 went away again", "", "", ""]
    row = "data-triage-key"
    assert said(filtered_content(found, stepped)["went away"]).count(row) == 1
    assert said(findings_content(found, stepped)).count(row) == len(found.told)
    assert suite_list.show_filtered(stepped, [None] * 5, Lens()) == [no_update] * 5
    opened = suite_list.show_filtered(stepped, [None, 1, None, None, None], Lens())
    assert opened == [no_update, None, no_update, no_update, no_update]


def test_states_are_offered_with_their_counts(stepped: Access) -> None:
    page.say(stepped, asked(stepped, state="expected"), Lens())
    found = found_changes(stepped.system, HistoryQuery())
    offered = said(states_filter(found, HistoryQuery()))
    assert "Show open: 1 finding" in offered
    assert "Show expected: 1 finding" in offered
    assert "Show all: 2 findings" in offered
    assert "Not shown: 1 expected." in offered
    assert "Not shown" not in said(states_filter(found, HistoryQuery(state="all")))
