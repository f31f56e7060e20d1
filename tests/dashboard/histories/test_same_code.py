"""A revision with the code of a measured one counts as measured; what changed elsewhere says where to look."""

import pytest

from dashboard.access import Principal, access_to
from dashboard.models import Point, Revision, System
from dashboard.pages.lens import Lens
from dashboard.pages.overview.history import history_card
from dashboard.selectors.histories.curves import sibling_changes
from dashboard.selectors.histories.fits import settings_digest
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.next_revisions import propose
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.series import get_series, list_series
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def series_of(principal: Principal, label: str) -> int:
    """The CPU time of a configuration; A alone and A + B become slower between 2 and 4."""
    rows = list_series(system=access_to(principal, "small").system)
    return next(row.series_id for row in rows if row.label == label and row.clock == "cpu")


def history(principal: Principal, label: str) -> History:
    """The history of a configuration."""
    return get_history(system=access_to(principal, "small").system, series_id=series_of(principal, label))


def same_code(system: System, *names: str) -> None:
    """These revisions hold the same code, every other one its own."""
    for revision in Revision.objects.filter(system=system):
        revision.content = ("shared" if revision.name in names else revision.name).rjust(64, "0")
        revision.changed_lines = 10
        revision.save()


def test_a_revision_with_the_code_of_a_measured_one_is_shown_with_its_point(
    measured: Person, system: System
) -> None:
    """3 holds what 2 holds: it has the point of 2, says so, and the band is as narrow there."""
    before = history(measured.principal, "A")
    same_code(system, "2", "3")
    found = history(measured.principal, "A")
    assert [point.revision for point in before.points] == ["1", "2", "4", "5", "6"]
    assert [(point.revision, point.same_as) for point in found.points][1:3] == [("2", ""), ("3", "2")]
    assert found.points[2].median == found.points[1].median
    rows = {row.position: row for row in found.band}
    assert rows[2].upper_95 - rows[2].lower_95 == rows[1].upper_95 - rows[1].lower_95


def test_the_overview_tells_measured_revisions_from_those_of_the_same_code(
    measured: Person, system: System
) -> None:
    """5 of 6 were measured, 3 holds what 2 holds: not 6 measured ones."""
    same_code(system, "2", "3")
    said = str(history_card(access_to(measured.principal, "small"), history(measured.principal, "A"), Lens()))
    assert "5 of 6" in said
    assert "With the same code as one of them" in said


def test_the_bracket_of_a_change_closes_where_the_code_is_the_same(measured: Person, system: System) -> None:
    """The step from 2 to 4 did not happen at 3, which holds the code of 2."""
    same_code(system, "2", "3")
    (change,) = history(measured.principal, "A").changes
    assert (change.before.name, change.after.name, change.unmeasured) == ("3", "4", 0)


def test_the_first_and_the_last_of_a_long_stretch_of_one_code_are_no_evidence_of_their_own(
    measured: Person, system: System
) -> None:
    """Copies of one measurement do not make a change likelier: 3 to 6 all hold the code of 4, measured once."""
    same_code(system, "3", "4", "5", "6")
    Point.objects.filter(revision__name__in=("5", "6")).delete()
    found = history(measured.principal, "A")
    assert [point.same_as for point in found.points] == ["", "", "4", "", "4", "4"]
    assert not found.enough_data


def test_changes_of_other_configurations_tell_where_to_look(measured: Person, system: System) -> None:
    """A + B changed between places 1 and 3; the history of A itself is not its own witness."""
    placed = ordered_revisions(system=access_to(measured.principal, "small").system)
    number = series_of(measured.principal, "A")
    own = get_series(system=access_to(measured.principal, "small").system, series_id=number)
    assert sibling_changes(system, {number: own}, placed)[number] == (((1, 3),), None, None)


def test_a_proposal_says_why_tracking_would_stop(measured: Person, system: System) -> None:
    """With 3 known to be as 2, nothing is left; one that never ran is counted apart."""
    number = series_of(measured.principal, "A")
    open_one = propose(system=access_to(measured.principal, "small").system, series_id=number)
    assert ([row.place.name for row in open_one.rows], open_one.stop) == (["3"], "")
    same_code(system, "2", "3")
    closed = propose(system=access_to(measured.principal, "small").system, series_id=number)
    assert closed.rows == ()
    assert "measured" in closed.stop
    assert (closed.measured, closed.unbuildable) == (6, 0)


def test_code_that_no_other_revision_holds_puts_no_stored_fit_out_of_date() -> None:
    """A new commit, or a build whose outcome is noted later, moves a fit only where its code is there already."""

    def digest(*contents: str) -> str:
        places = [RevisionPlace(at, str(at), at, "", "", None, code) for at, code in enumerate(contents)]
        return settings_digest(OrderedRevisions("all", tuple(places)))

    assert digest("a", "b") == digest("a", "") == digest("a", "b", "c")
    assert digest("a", "b") != digest("a", "b", "a") != digest("a", "a", "b")
