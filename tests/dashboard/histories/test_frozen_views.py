"""Views are frozen with the numbers that they show."""

import pytest

from dashboard.access import NotFound, Refused, access_to
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
    assert changes.columns[4:] == ("state", "owner", "note", "link")
    assert [row[4:] for row in changes.rows] == [("new", "", "", "")]
    assert curve.figure is not None
    assert {"data", "layout"} == set(curve.figure)


def test_a_view_that_is_none_is_refused(measured: Person) -> None:
    with pytest.raises(Refused, match="cannot be frozen"):
        freeze_view(access=access_to(measured.principal, "small"), view="secrets", lens={})


def test_a_stranger_freezes_nothing(measured: Person, charlie: Person) -> None:
    with pytest.raises(NotFound):
        freeze_view(access=access_to(charlie.principal, "small"), view="histories", lens={})
