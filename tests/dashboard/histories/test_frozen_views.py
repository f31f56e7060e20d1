"""Views are frozen with the numbers that they show."""

import pytest

from dashboard.access import NotFound, Principal, Refused, access_to
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.two_revisions.compared import compare_revisions
from dashboard.services.histories.fits import fit_system
from dashboard.services.reports.views import freeze_view
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_a_frozen_history_holds_the_points_the_band_and_the_changes(measured: Person) -> None:
    frozen = freeze_view(access=access_to(measured.principal, "small"), view="histories", lens={"term": "A"})
    curve, changes = frozen.sections
    assert "grew by 4.0" in frozen.title
    assert curve.columns == ("revision", "measured (s)", "runs", "estimate (s)", "95 % from (s)", "to (s)")
    assert [row[1] for row in curve.rows] == [
        pytest.approx(5),
        pytest.approx(5),
        None,
        *[pytest.approx(9)] * 3,
    ]
    assert [row[:2] for row in changes.rows] == [("2", "4")]
    # An influence may be zero: what is told of it is no share of itself.
    assert changes.finding.replace("\N{NO-BREAK SPACE}", " ") == (
        "1 change of 2 % of what the default configuration takes or more"
    )
    assert changes.columns[:4] == ("between", "and", "change", "size (s)")
    assert changes.columns[4:] == ("state", "owner", "note", "link")
    assert [row[4:] for row in changes.rows] == [("new", "", "", "")]
    assert curve.figure is not None
    assert {"data", "layout"} == set(curve.figure)


def test_two_revisions_are_frozen_with_what_differs_between_them(measured: Person) -> None:
    access = access_to(measured.principal, "small")
    frozen = freeze_view(access=access, view="compare", lens={"since": "2", "revision": "4"})
    (part,) = frozen.sections
    found = compare_revisions(system=access.system, before="2", after="4")
    assert len(part.rows) == found.counts["differs"] > 0
    assert dict(frozen.facts)["before"] == "2"
    rows = {row[:2]: dict(zip(part.columns, row, strict=True)) for row in part.rows}
    of_a = rows["A", "configuration, CPU time"]
    assert of_a["unit"] == "s"
    assert of_a["difference"] == pytest.approx(4.0)
    assert of_a["change (%)"] == pytest.approx(100 * 4 / 15)
    assert part.figure is not None


def test_an_option_is_frozen_with_its_terms(measured: Person) -> None:
    access = access_to(measured.principal, "small")
    frozen = freeze_view(access=access, view="options", lens={"option": "A", "revision": "6"})
    terms, curve, changes, others = frozen.sections  # no function was measured
    assert {row[0]: row[1] for row in terms.rows} == {
        "A [off → on]": pytest.approx(9.0),
        "A × B [off → on]": pytest.approx(3.0),
    }
    assert ("option", "A") in frozen.facts
    assert curve.finding.startswith("The influence of A grew by 4.0")
    assert curve.figure is not None
    assert "relative to the default configuration" in curve.explanation
    assert [row[:2] for row in changes.rows] == [("2", "4")]
    assert [row[0] for row in others.rows] == ["A × B"]
    with pytest.raises(NotFound, match="no option 'C'"):
        freeze_view(access=access, view="options", lens={"option": "C"})
    with pytest.raises(Refused, match="Select an option"):
        freeze_view(access=access, view="options", lens={})


def test_findings_are_frozen_with_their_sizes_and_what_people_said(measured: Person) -> None:
    access = access_to(measured.principal, "small")
    fit_system(access=access_to(Principal.operator(), "small"))
    frozen = freeze_view(access=access, view="findings", lens={})
    (part,) = frozen.sections
    found = found_changes(access.system, HistoryQuery())
    assert len(part.rows) == found.total > 0
    first = dict(zip(part.columns, part.rows[0], strict=True))
    assert (first["between"], first["and"], first["state"]) == ("2", "4", "new")
    assert isinstance(first["change (%)"], float)
    assert first["change (%)"] > 2


def test_approaches_need_an_evaluation(measured: Person) -> None:
    with pytest.raises(Refused, match="start an evaluation"):
        freeze_view(access=access_to(measured.principal, "small"), view="approaches", lens={})


def test_a_view_that_is_none_is_refused(measured: Person) -> None:
    with pytest.raises(Refused, match="cannot be frozen"):
        freeze_view(access=access_to(measured.principal, "small"), view="secrets", lens={})


def test_a_stranger_freezes_nothing(measured: Person, charlie: Person) -> None:
    with pytest.raises(NotFound):
        freeze_view(access=access_to(charlie.principal, "small"), view="histories", lens={})
