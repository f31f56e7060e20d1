"""The list of all histories of a system that is no suite of benchmarks."""

import json
from typing import Any

import plotly.utils
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access import NotFound, access_to, acting, current_principal
from dashboard.models import Point
from dashboard.pages.histories import page as histories
from dashboard.pages.history_list import list as suite_list
from dashboard.pages.lens import Lens
from dashboard.selectors.history_list.fitted import list_fitted
from dashboard.selectors.history_list.rows import HistoryQuery, ListedHistory
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def listed(person: Person, **asked: Any) -> tuple[ListedHistory, ...]:
    """A page of the list."""
    rows, total, _ = list_fitted(access_to(person.principal, "small").system, HistoryQuery(**asked))
    assert total >= len(rows)
    return rows


def test_all_histories_are_listed_the_least_certain_first(measured: Person) -> None:
    """Of A, B, A + B, the default and three terms, by two clocks."""
    found = listed(measured, sort="gap")
    gaps = [row.gap for row in found if row.gap is not None]
    assert len(gaps) == 14
    assert gaps == sorted(gaps, reverse=True)
    assert {row.measured for row in found} == {5}


def test_a_history_with_fewer_measurements_is_less_certain(measured: Person) -> None:
    (before,) = listed(measured, text="cpu configuration default")
    Point.objects.filter(series_id=before.series_id, revision__name__in=("2", "4", "5")).delete()
    (after,) = listed(measured, text="cpu configuration default")
    assert (before.measured, after.measured) == (5, 2)
    assert (after.gap or 0) > (before.gap or 0)


def test_the_list_is_found_by_words_filtered_sorted_and_paged(measured: Person) -> None:
    assert {row.label for row in listed(measured, text="TERM × wall")} == {"A × B"}
    worse = listed(measured, only_worse=True, sort="largest", text="cpu")
    assert {row.label for row in worse} == {"A", "A + B"}
    assert worse[0].last is not None
    assert (worse[0].last.before, worse[0].last.after) == ("2", "4")
    names = [row.label for row in listed(measured, sort="name")]
    assert names == sorted(names)
    pages = [listed(measured, sort="name", size=4, page=page) for page in (1, 2, 3, 4)]
    assert [row.label for page in pages for row in page] == names


def test_the_number_of_queries_does_not_grow_with_the_list(measured: Person) -> None:
    def queries(text: str) -> int:
        with CaptureQueriesContext(connection) as made:
            listed(measured, text=text)
        return len(made)

    assert queries("cpu default configuration") == queries("configuration")


def test_a_stranger_is_told_of_none(measured: Person, charlie: Person) -> None:
    with pytest.raises(NotFound):
        listed(charlie)


def test_the_page_leads_to_each_history_and_back(measured: Person) -> None:
    token = current_principal.set(measured.principal)
    try:
        rows, amount, pages, _ = suite_list.show(
            access_to(acting(), "small"), Lens(settings={"find": "configuration cpu"})
        )
        everything = histories.layout(access_to(acting(), "small"), "all", Lens())
        one = histories.layout(access_to(acting(), "small"), "", Lens())
    finally:
        current_principal.reset(token)
    said = json.dumps([rows, everything], cls=plotly.utils.PlotlyJSONEncoder)
    assert said.count("/app/s/small/histories/") == 4
    assert (str(amount).replace("\N{NO-BREAK SPACE}", " "), pages) == ("4 histories", 1)
    assert "suite-rows" in said
    assert suite_list.list_address("small") in json.dumps(one, cls=plotly.utils.PlotlyJSONEncoder)
