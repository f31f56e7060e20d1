"""Changes that people set by hand: told as that, kept through new fits, and counted by no search."""

from typing import Any

import pytest
from django.db.models import F

from dashboard.access import Access, Forbidden, NotFound, Principal, Refused, access_to
from dashboard.figures.histories import history_figure
from dashboard.models import HistoryFit, Point, Series, System, TriagedChange
from dashboard.selectors.histories.triaged import (
    brackets_by_hand,
    changes_by_hand,
    named_change,
    triage_of_history,
    triaged_history,
)
from dashboard.selectors.history_list.findings import found_changes, named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.triage import past_of
from dashboard.services import data_versions
from dashboard.services.changes_by_hand import move_change, set_change, take_hand_away
from dashboard.services.histories.fits import fit_system
from dashboard.services.reports.views import freeze_view
from dashboard.services.triage import TriageWords, triage_changes
from tests.dashboard.histories.stepping import add_stepping, only_history
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture
def stepped(system: System, operator: Principal) -> Access:
    """The default configuration is 30 % slower from r15 of 30 revisions on, r5 was not measured."""
    return add_stepping(system, operator, 30, lambda at: None if at == 5 else 1.3 if at >= 15 else 1.0)


def placed_at(access: Access, revision: str) -> int:
    return set_change(access=access, series_id=Series.objects.get().pk, revision=revision)


def found(access: Access) -> Any:
    return found_changes(access.system, HistoryQuery(state="all"))


def test_a_change_set_by_hand_is_told_as_that_and_counted_nowhere(stepped: Access) -> None:
    before = found(stepped)
    placed_at(stepped, "r22")
    told = found(stepped)
    assert (told.total, told.states) == (before.total, before.states) == (1, (("new", 1),))
    (row,) = told.by_hand
    assert (row.before, row.after, row.triage.placed_by) == ("r21", "r22", "operator")
    assert HistoryFit.objects.get().changes == 1
    history = only_history(stepped)
    assert len(history.changes) == 1
    ((key, triage),) = changes_by_hand(stepped.system, history)
    assert triage.placed == ("r21", "r22")
    assert triage.placed_relative == pytest.approx(0.0, abs=0.01)
    # It has a state as any other.
    for changes in (
        [named_change(stepped.system, key.text)],
        named_changes(stepped.system, HistoryQuery(), row.key, beside=False),
    ):
        triage_changes(access=stepped, changes=changes, words=TriageWords(state="acknowledged"))
    assert found(stepped).by_hand[0].triage.state == "acknowledged"
    frozen = freeze_view(access=stepped, view="histories", lens={})
    assert [row[2] for row in frozen.sections[1].rows][-1] == "set by hand by operator"
    assert frozen.sections[1].finding.startswith("1\N{NO-BREAK SPACE}change of")


def test_it_lies_between_the_measured_revisions_around(stepped: Access) -> None:
    placed_at(stepped, "r5")
    (row,) = found(stepped).by_hand
    assert (row.before, row.after) == ("r4", "r6")


def test_a_change_that_was_found_is_moved_and_goes_back(stepped: Access) -> None:
    history = only_history(stepped)
    ((key, triage),) = triage_of_history(stepped.system, history)
    pk = move_change(access=stepped, change=(key, triage.triage_id), revision="r3")
    ((_, moved),) = triage_of_history(stepped.system, only_history(stepped))
    assert (moved.placed, moved.placed_by) == (("r2", "r3"), "operator")
    assert brackets_by_hand(history, triaged_history(stepped.system, history)) == ((2, 3, True),)
    assert found(stepped).by_hand == ()
    assert found(stepped).told[0].triage.placed == ("r2", "r3")
    # It stays with its change where this is said to be something, and through a new fit.
    triage_changes(access=stepped, changes=[(key, pk)], words=TriageWords(state="noise"))
    data_versions.bump(system=stepped.system, series=[Series.objects.get().pk])
    fit_system(access=stepped)
    assert found(stepped).told[0].triage.placed == ("r2", "r3")
    take_hand_away(access=stepped, triage_id=pk)
    ((_, back),) = triage_of_history(stepped.system, only_history(stepped))
    assert (back.placed, back.state) == (None, "noise")
    assert [one.placed for one in past_of(stepped.system, pk)] == ["", "", "r2 → r3"]


def test_what_was_set_where_nothing_is_found_goes_as_a_whole(stepped: Access) -> None:
    pk = placed_at(stepped, "r22")
    take_hand_away(access=stepped, triage_id=pk)
    assert found(stepped).by_hand == ()
    assert TriagedChange.objects.get().closed
    with pytest.raises(NotFound):
        take_hand_away(access=stepped, triage_id=pk)
    placed_at(stepped, "r22")
    assert len(found(stepped).by_hand) == 1


def test_a_fit_that_finds_it_later_makes_one_of_both(stepped: Access) -> None:
    placed_at(stepped, "r24")
    late = [f"r{at}" for at in range(22, 30)]
    # It is for the better or the worse, as noise says: the step goes the same way, and not back to the first level.
    way = 1.3 if TriagedChange.objects.get().is_worse else 0.5
    Point.objects.filter(revision__name__in=late).update(median=F("median") * way)
    data_versions.bump(system=stepped.system, series=[Series.objects.get().pk])
    stepped.system.refresh_from_db()
    fit_system(access=stepped)
    told = found(stepped)
    assert (told.total, told.by_hand) == (2, ())
    assert next(one for one in told.told if one.after == "r22").triage.placed == ("r23", "r24")


def test_a_change_by_hand_has_a_dashed_frame(stepped: Access) -> None:
    figure = history_figure(only_history(stepped), by_hand=((21, 22, True),))
    (frame,) = (one for one in figure.layout.shapes if one.line.dash == "dash")
    assert (frame.x0, frame.x1) == (21, 22)
    assert "by hand" in {one.text for one in figure.layout.annotations}


def test_what_cannot_be_set_is_refused(stepped: Access, vera: Person) -> None:
    with pytest.raises(Refused, match="nothing was measured on one side"):
        placed_at(stepped, "r0")
    with pytest.raises(Refused, match="already"):
        placed_at(stepped, "r15")
    with pytest.raises(NotFound, match="no revision"):
        placed_at(stepped, "nowhere")
    ((key, _),) = triage_of_history(stepped.system, only_history(stepped))
    with pytest.raises(Refused, match="lies there already"):
        move_change(access=stepped, change=(key, None), revision="r15")
    viewer = access_to(vera.principal, "small")
    for forbidden in (
        lambda: placed_at(viewer, "r22"),
        lambda: move_change(access=viewer, change=(key, None), revision="r3"),
        lambda: take_hand_away(access=viewer, triage_id=1),
    ):
        with pytest.raises(Forbidden):
            forbidden()
