"""Kept scenarios of What-if stand side by side, each told by the model that the page looks at."""

from collections.abc import Iterator

import pytest

from dashboard.access import Principal, access_to, acting, current_principal
from dashboard.models import PerformanceModel, System
from dashboard.pages.lens import Lens
from dashboard.pages.what_if.scenarios import show_scenarios
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.scenarios import scenarios
from dashboard.services.saved_views import save_view
from tests.dashboard.pages.test_pages import text
from tests.people import Person


@pytest.fixture(autouse=True)
def acting_vera(vera: Person) -> Iterator[Principal]:
    token = current_principal.set(vera.principal)
    yield vera.principal
    current_principal.reset(token)


def kept(person: Person, name: str, query: str, section: str = "what-if", *, is_shared: bool = False) -> int:
    access = access_to(person.principal, "small")
    return save_view(access=access, name=name, section=section, query=query, is_shared=is_shared).pk


def shown() -> str:
    return text(show_scenarios(access_to(acting(), "small"), Lens()))


def test_without_any_the_card_says_how_one_comes(measured: PerformanceModel) -> None:
    assert "press “Save this view” at the top" in shown()


def test_the_best_prediction_comes_first_and_what_was_measured_stands_beside(
    measured: PerformanceModel, vera: Person
) -> None:
    kept(vera, "all on", "compared=A*B")
    kept(vera, "plain", "")
    said = shown()
    assert "2 kept scenarios" in said
    assert said.index('"plain"') < said.index('"all on"')
    assert "80.0" in said


def test_others_are_seen_where_they_are_shared_and_other_pages_not_at_all(
    measured: PerformanceModel, vera: Person, alice: Person
) -> None:
    kept(alice, "of alice alone", "compared=A")
    kept(alice, "of alice for all", "compared=A", is_shared=True)
    kept(vera, "influences", "", "influences")
    said = shown()
    assert "1 kept scenario" in said
    assert "of alice for all" in said
    assert "of alice alone" not in said


def test_what_the_model_does_not_know_and_what_is_not_valid_is_not_predicted(
    measured: PerformanceModel, modelled: System, operator: Principal
) -> None:
    access = access_to(operator, "small")
    _, rows = scenarios(access=access, selection=Selection(), kept={1: "A*B", 2: "NOPE", 3: "A", 4: ""})
    told = {row.view: (row.configuration is not None, row.predicted is not None) for row in rows}
    assert told == {1: (True, False), 2: (False, False), 3: (True, True), 4: (True, True)}
    assert [row.view for row in rows][:2] == [4, 3]
