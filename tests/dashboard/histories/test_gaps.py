"""All histories of a system in one table, the least certain first."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access import NotFound
from dashboard.models import Point, System
from dashboard.selectors.histories.gaps import HistoryQuery, list_histories
from dashboard.services.histories.fits import fit_system
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def test_the_least_certain_history_comes_first(measured: Person) -> None:
    """Of A, two points are left: it is known worse than any other configuration."""
    Point.objects.filter(
        series__system__slug="small", series__subject_kind="configuration", revision__name__in=("2", "4", "5")
    ).filter(series__subject=_identity_of_a()).delete()
    found = list_histories(
        principal=measured.principal, slug="small", query=HistoryQuery(kind="configuration")
    )
    assert found.total == 8
    assert {row.series.label for row in found.rows[:2]} == {"A"}
    assert [row.known for row in found.rows[:2]] == [2, 2]
    gaps = [row.gap for row in found.rows]
    assert None not in gaps
    assert gaps == sorted(gaps, key=lambda gap: -(gap or 0.0))


def _identity_of_a() -> str:
    return System.objects.get(slug="small").configurations.get(assignments={"A": "on"}).identity


def test_terms_configurations_and_words_are_chosen_and_paged(measured: Person) -> None:
    """Three terms and four configurations by two clocks; every page but the last one is full."""
    principal = measured.principal
    everything = list_histories(principal=principal, slug="small", query=HistoryQuery(size=100))
    assert everything.total == 14
    assert {row.series.kind for row in everything.rows} == {"configuration", "term"}
    pages = [
        list_histories(principal=principal, slug="small", query=HistoryQuery(page=page, size=5))
        for page in (1, 2, 3, 4)
    ]
    assert [len(page.rows) for page in pages] == [5, 5, 4, 0]
    ids = [row.series.series_id for page in pages for row in page.rows]
    assert ids == [row.series.series_id for row in everything.rows]
    named = list_histories(principal=principal, slug="small", query=HistoryQuery(text="default regular"))
    assert {row.series.label for row in named.rows} == {"default"}


def test_stored_fits_are_read_and_give_the_same_gap(measured: Person) -> None:
    """No code is shared here: a stored fit is the fit of the page."""
    query = HistoryQuery(kind="configuration")
    before = list_histories(principal=measured.principal, slug="small", query=query)
    fit_system(principal=measured.principal, slug="small")
    after = list_histories(principal=measured.principal, slug="small", query=query)
    assert [row.gap for row in after.rows] == pytest.approx([row.gap for row in before.rows])


def test_the_number_of_queries_does_not_grow_with_the_rows(measured: Person) -> None:
    """Five rows take as many as fourteen."""
    counts = []
    for size in (5, 100):
        with CaptureQueriesContext(connection) as queries:
            list_histories(principal=measured.principal, slug="small", query=HistoryQuery(size=size))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


def test_a_stranger_finds_nothing(measured: Person, charlie: Person) -> None:
    with pytest.raises(NotFound):
        list_histories(principal=charlie.principal, slug="small", query=HistoryQuery())
