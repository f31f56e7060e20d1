"""What differs in the source of regions between two revisions, and the pages that show it and what a step is made of."""

import json
from collections.abc import Iterator
from typing import Any

import plotly.utils
import pytest

from dashboard.access import Access, NotFound, Principal, current_principal
from dashboard.models import Region, RegionMeasurement, RegionVersion, Revision, System
from dashboard.pages.histories.explained import show_explained, step_button
from dashboard.pages.lens import Lens
from dashboard.pages.two_revisions.sources import show_sources
from dashboard.selectors.explanations.explained import explain_change
from dashboard.selectors.explanations.sources import changed_sources, source_difference
from tests.dashboard.explanations.conftest import add_version
from tests.dashboard.histories.stepping import add_stepping, only_history
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def said(*components: Any) -> str:
    """Everything that components say, with their attributes, as JSON."""
    text = json.dumps(components, cls=plotly.utils.PlotlyJSONEncoder, ensure_ascii=False)
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.fixture
def looking(stepped: Access, alice: Person) -> Iterator[Access]:
    """Alice looks at the system."""
    token = current_principal.set(alice.principal)
    yield stepped
    current_principal.reset(token)


def test_a_changed_body_is_told_with_its_lines_and_their_time(stepped: Access) -> None:
    for revision, lines in (("1", {"11": 0.5}), ("2", {"11": 4.0, "12": 0.5})):
        rows = RegionMeasurement.objects.filter(region__key="app:slow", run__revision__name=revision)
        rows.update(lines=lines)
    found = source_difference(system=stepped.system, key="app:slow", before="1", after="2")
    assert [(one.told, one.text.strip(), one.time_before, one.time_after) for one in found.lines] == [
        ("kept", "def slow(x):", None, None),
        ("added", "wait(4)", None, 4.0),
        ("kept", "return x", 0.5, 0.5),
    ]
    assert [(one.number_before, one.number_after) for one in found.lines] == [(10, 10), (None, 11), (11, 12)]
    assert found.configuration in {"A", "A + B"}
    assert found.changed == 1


def test_regions_whose_body_differs_are_named_and_no_others(stepped: Access) -> None:
    found = changed_sources(system=stepped.system, before="1", after="2")
    assert found is not None
    assert [(one.key, one.body, one.has_source) for one in found] == [("app:slow", "changed", True)]
    new = Region.objects.create(system=stepped.system, key="app:new", name="new")
    add_version(new, Revision.objects.get(name="2"), "def new(): pass\n")
    found = changed_sources(system=stepped.system, before="1", after="2")
    assert found is not None
    assert [(one.key, one.body, one.has_source) for one in found] == [
        ("app:slow", "changed", True),
        ("app:new", "added", False),
    ]


def test_where_no_source_is_stored_nothing_is_claimed(stepped: Access) -> None:
    RegionVersion.objects.filter(revision__name="1").delete()
    assert changed_sources(system=stepped.system, before="1", after="2") is None
    with pytest.raises(NotFound, match="no source of app:slow is stored for revision 1"):
        source_difference(system=stepped.system, key="app:slow", before="1", after="2")


def test_compare_revisions_lists_changed_functions_and_shows_the_chosen_one(looking: Access) -> None:
    lens = Lens(since="1", revision="2")
    assert "The source of 1 function differs between 1 and 2" in said(show_sources(looking, lens))
    shown = said(show_sources(looking, lens.setting(source="app:slow")))
    assert "wait(4)" in shown
    assert "1 changed line from 1 to 2" in shown
    assert "no source of app:none" in said(show_sources(looking, lens.setting(source="app:none")))


def test_the_card_of_a_change_says_what_it_is_made_of(system: System, operator: Principal) -> None:
    access = add_stepping(system, operator, 16, lambda at: 10.0 if at < 8 else 14.0)
    history = only_history(access)
    (change,) = history.changes
    shown = said(show_explained(access, Lens(), None))
    assert "What the change r7 → r8 is made of" in shown
    assert "by the levels of 5 measured revisions before and 5 measured revisions after" in shown
    assert "this configuration" in shown
    assert "mostly" not in shown
    assert "No subject is registered" in shown
    assert json.loads(said(step_button(change)))[0]["props"]["data-lens"] == '{"step": "r8"}'
    found = explain_change(system=system, history=history, change=change)
    assert found.step.amount == pytest.approx(4.0, abs=0.1)
    assert found.revisions == (5, 5)


def test_where_nothing_changed_there_is_no_card(system: System, operator: Principal) -> None:
    access = add_stepping(system, operator, 12, lambda _: 10.0)
    assert show_explained(access, Lens(), None) is None
