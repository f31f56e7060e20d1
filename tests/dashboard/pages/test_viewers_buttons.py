"""Each page of a system x a viewer, from the list of pages: what a role may not do has its button off."""

import json
from collections.abc import Iterator
from typing import Any

import dash_mantine_components as dmc
import pytest
from dash import html
from dash.development.base_component import Component

from dashboard.access import Access, Principal, access_to
from dashboard.models import Membership
from dashboard.pages.addresses import REPORTS
from dashboard.pages.frame.routes import SERVED
from dashboard.pages.lens import Lens
from dashboard.selectors.reports import FrozenView
from dashboard.services.reports.freezing import store_report
from dashboard.services.reports.share_links import create_share_link
from tests.people import Person

# Buttons for everybody who sees a page, as nothing is kept of what they do.
_FOR_ALL = {
    "measure-preset": "fills the form in",
    "two-export": "saves a file",
    "triage-undo": "hidden until one said something",
    "history-all": "ticks what is listed, which viewers see no list of",
}
_PAGES = [*((section, "") for section in SERVED), (REPORTS, "new")]


@pytest.fixture
def shared_report(tiny: str, operator: Principal) -> str:
    """A subject with a report that a link leads to; the short name of its system."""
    access = access_to(operator, tiny)
    frozen = FrozenView(title="Fast", facts=(), sections=())
    report = store_report(access=access, view="influences", address="", frozen=frozen)
    create_share_link(principal=operator, report_id=report, days=7)
    return tiny


def _buttons(access: Access, section: str, key: str) -> Iterator[Any]:
    """The buttons of a page that have an id, as all have that the server answers."""
    page = SERVED[section](access, key, Lens())
    for one in page._traverse():  # type: ignore[no-untyped-call] # Dash's
        if isinstance(one, (html.Button, dmc.Button)) and "id" in one.to_plotly_json()["props"]:
            yield one


def _name(button: Component) -> str:
    return button.id if isinstance(button.id, str) else json.dumps(button.id, sort_keys=True)  # type: ignore[attr-defined] # each kind of component has its own


@pytest.mark.parametrize(("section", "key"), _PAGES, ids=["/".join(one) for one in _PAGES])
def test_a_viewer_can_press_nothing_that_changes_the_system(
    shared_report: str, vera: Person, section: str, key: str
) -> None:
    """What is on is for everybody."""
    access = access_to(_member(vera, shared_report), shared_report)
    shown = list(_buttons(access, section, key))
    on = {_name(one) for one in shown if not getattr(one, "disabled", False)}
    assert on <= set(_FOR_ALL)


def test_an_editor_can_press_what_a_viewer_cannot(shared_report: str, bob: Person) -> None:
    """The buttons of reports are among those that the test above looks at."""
    access = access_to(_member(bob, shared_report, Membership.Role.EDITOR), shared_report)
    on = {_name(one) for one in _buttons(access, REPORTS, "") if not getattr(one, "disabled", False)}
    verbs = {json.loads(one)["act"] for one in on if one.startswith("{")}
    assert "reports-freeze" in on
    assert verbs == {"share-7", "share-30", "share-90", "revoke", "delete"}


def _member(person: Person, slug: str, role: str = Membership.Role.VIEWER) -> Principal:
    system = access_to(Principal.operator(), slug).system
    Membership.objects.create(system=system, user=person.user, role=role)
    return person.principal
