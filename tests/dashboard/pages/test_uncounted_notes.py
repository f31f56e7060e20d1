"""Influences and regions say which share of the time the analysis of their model's revision does not count."""

from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.access import Principal, access_to, acting, current_principal
from dashboard.models import PerformanceModel
from dashboard.pages.influences import page as influences
from dashboard.pages.lens import Lens
from dashboard.pages.regions.page import show_regions
from tests.dashboard.influences_page import shown
from tests.dashboard.pages.test_influences_pages import text
from tests.dashboard.whitebox.stored import change_stored, stored_analysis
from tests.people import Person

RUN: dict[str, Any] = {
    "status": "ok",
    "message": "",
    "place": "",
    "seconds": 1.0,
    "levels": {"A": "off", "B": "off"},
}


@pytest.fixture(autouse=True)
def acting_vera(vera: Person) -> Iterator[Principal]:
    """The request of a viewer."""
    token = current_principal.set(vera.principal)
    yield vera.principal
    current_principal.reset(token)


def notes() -> tuple[str, str, str]:
    """What stands above the figures: of influences at first and after the callback, and of regions."""
    access = access_to(acting(), "small")
    return (
        text(influences.layout(access, "", Lens())),
        text(shown({})["page"][0]),
        text(show_regions(access, Lens(), None)[0]),
    )


def test_the_share_that_is_not_counted_stands_above_influences_and_regions(
    measured: PerformanceModel,
) -> None:
    many = [RUN | {"uncounted": {"libz.so.1": 0.62, "": 0.05}}]
    row = stored_analysis(measured.system, measured.revision.name, counted=many)
    for said in notes():
        assert "On workload regular up to 67 % of the processor time is not counted." in said
        assert "/docs/explanation/white-box#what-is-not-counted" in said
    (run,) = row.result.counted
    change_stored(row, counted=(run.model_copy(update={"uncounted": {"": 0.04}}),))
    for said in notes():
        assert "On workload regular less than 5 % of the processor time is not counted." in said
    change_stored(row, counted=(run.model_copy(update={"uncounted": None}),))
    for said in notes():
        assert "Which share of the time lies in libraries was not measured." in said


def test_where_nothing_was_counted_nothing_is_said_of_it(measured: PerformanceModel) -> None:
    assert notes()[1:] == ("null", "null")
    stored_analysis(measured.system, measured.revision.name)
    assert notes()[1:] == ("null", "null")
