"""A workload of which little was measured: its influences are shown, marked as borrowed, with what they stand on."""

from collections.abc import Callable

import pytest

from dashboard.access import Principal, access_to, acting
from dashboard.figures.borrowed import borrowed_figure, own_text
from dashboard.models import System
from dashboard.pages.lens import Lens
from dashboard.pages.workloads.page import show_borrowed
from dashboard.selectors.borrowed_influences import borrowed_influences, little_measured
from dashboard.selectors.model_rows import Selection
from dashboard.selectors.workloads import choose_context, compare_workloads
from tests.dashboard.pages.test_workloads_page import LEVELS, rows, text

pytestmark = pytest.mark.django_db

# Every other one of the 16 configurations: `still` is on in all of them, so nothing tells what it does.
MEASURED = slice(1, 16, 2)


@pytest.fixture
def widened(study: Callable[..., Principal]) -> Principal:
    """The study of three workloads, and two more of which eight configurations and two were measured."""
    lines = rows(("1.1",)).splitlines()
    large = next(at for at, line in enumerate(lines) if ";large;" in line)
    new = [line.replace(";large;", ";new;") for line in lines[large : large + 16][MEASURED]]
    hardly = [line.replace(";large;", ";hardly;") for line in lines[large : large + 2]]
    return study("\n".join([*lines, *new, *hardly]) + "\n")


def test_a_workload_of_which_enough_was_measured_to_borrow_is_told(widened: Principal) -> None:
    system = System.objects.get()
    context, _ = choose_context(system, Selection())
    found = compare_workloads(system=system, context=context)
    assert {one.name: one.left_out for one in found.workloads if one.left_out} == {
        "new": "missing",
        "hardly": "missing",
    }
    assert little_measured(found) == ("new",)
    borrowed = borrowed_influences(system=system, context=context, workload="new")
    assert (borrowed.configurations, borrowed.runs, borrowed.known) == (8, 8, len(LEVELS))
    here = {one.key: one for one in borrowed.influences}
    # As in the large workload, whose values these are, and not as in the mean.
    assert here["fast"].here.value == pytest.approx(-0.693, abs=0.02)
    assert here["fast"].told > 0.9
    assert here["check"].here.value == pytest.approx(0.0953, abs=0.02)
    assert borrowed.error is not None
    assert borrowed.error < 0.05


def test_what_was_never_changed_in_the_workload_is_borrowed(widened: Principal) -> None:
    system = System.objects.get()
    context, _ = choose_context(system, Selection())
    borrowed = borrowed_influences(system=system, context=context, workload="new")
    never = next(one for one in borrowed.influences if one.key == "still")
    changed = next(one for one in borrowed.influences if one.key == "fast")
    assert never.told < changed.told
    figure = borrowed_figure(borrowed, lower_is_better=True)
    assert [one.name for one in figure.data] == ["mean of the others", "here"]
    assert len(figure.data[1].x) == len(borrowed.influences)
    assert own_text(0.25).replace("\N{NO-BREAK SPACE}", " ") == "25 % own, 75 % borrowed"


def test_the_page_shows_it_beneath_the_map(widened: Principal) -> None:
    hidden, _, *shown = show_borrowed(access_to(acting(), "study"), Lens(), None)
    said = text(shown)
    assert not hidden
    assert "new was measured in 8 configurations: the rest is borrowed from 3 other workloads" in said
    assert "Its own values, each left out, are predicted with an error of" in said
    assert "borrowed" in said


def test_which_workload_borrows_is_a_setting_of_the_page(widened: Principal) -> None:
    """Else links to other pages would lead to a model that is not there."""
    access = access_to(acting(), "study")
    _, menu, finding, *_ = show_borrowed(access, Lens(settings={"borrowed": "gone"}), None)
    assert menu is None
    assert finding.startswith("new was measured")
    assert "borrowed" not in Lens(settings={"borrowed": "new"}).query()


def test_where_all_workloads_are_compared_nothing_is_borrowed(study: Callable[..., Principal]) -> None:
    study(rows(("1.0",)))
    assert show_borrowed(access_to(acting(), "study"), Lens(), None)[0] is True
