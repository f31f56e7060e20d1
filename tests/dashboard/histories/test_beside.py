"""Time and counts of a configuration side by side on the page of its history."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from dashboard.access import access_to, acting, current_principal
from dashboard.models import Measurement, Run, Series, System
from dashboard.pages.histories import page as histories
from dashboard.pages.histories.beside import beside_card
from dashboard.pages.lens import Lens
from dashboard.selectors.histories.beside import side_by_side
from dashboard.selectors.histories.beside_rows import HistoriesBeside
from dashboard.selectors.histories.history import get_history
from dashboard.services.metrics import INSTRUCTIONS, counted
from dashboard.services.points import keys_of, update_points
from tests.dashboard.histories.test_history_pages import said
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]

# The configuration A costs 15 s, and 19 s from revision 4 on.
SLOWER = {"A": "on"}


def count(values: Mapping[str, float], assignments: Mapping[str, str] | None = None) -> None:
    """Count a configuration at each revision, beside the first of its timed runs."""
    system, metric = System.objects.get(slug="small"), counted(INSTRUCTIONS)
    runs = Run.objects.filter(
        batch__system=system, configuration__assignments=assignments or {}, kind="plain"
    )
    for revision, value in values.items():
        run = runs.filter(revision__name=revision).earliest("pk")
        Measurement.objects.create(run=run, metric=metric, value=value)
    with transaction.atomic():
        update_points(system=system, keys=keys_of(Measurement.objects.filter(metric=metric)))


def found(clock: str, assignments: Mapping[str, str] | None = None) -> HistoriesBeside | None:
    """What stands beside the history of a configuration by this clock."""
    system = System.objects.get(slug="small")
    configuration = system.configurations.get(assignments=assignments or {})
    series = Series.objects.get(system=system, subject=configuration.identity, metric__clock=clock)
    return side_by_side(system=system, history=get_history(system=system, series_id=series.pk))


def test_without_counts_nothing_stands_beside_a_history(measured: Person) -> None:
    assert found("cpu") is None


def test_a_change_of_time_is_told_with_what_was_counted_there_from_either_side(measured: Person) -> None:
    """Between 2 and 4 the time rises by 27 %: with equal counts, and with more of them."""
    count({"1": 1000.0, "2": 1000.0, "4": 1000.0, "5": 1000.0}, SLOWER)
    for clock in ("cpu", "count"):
        beside = found(clock, SLOWER)
        assert beside is not None
        assert (beside.time.series.clock, beside.counted.series.clock) == ("cpu", "count")
        (change,) = beside.changes
        assert (change.before.name, change.after.name, change.counts) == ("2", "4", 0.0)
        assert change.told is not None
        assert change.time == pytest.approx(4 / 15, abs=0.01)


def test_a_change_of_counts_where_no_change_of_the_time_is_told_is_undecided(measured: Person) -> None:
    count({"1": 1000.0, "2": 1000.0, "4": 1000.0, "5": 1120.0})
    beside = found("cpu")
    assert beside is not None
    (change,) = beside.changes
    assert (change.before.name, change.after.name, change.told) == ("4", "5", None)
    assert change.counts == pytest.approx(0.12)
    assert change.time == pytest.approx(0.0, abs=0.01)


def test_the_page_shows_both_and_says_where_they_disagree(measured: Person) -> None:
    count({"1": 1000.0, "2": 1000.0, "4": 1000.0, "5": 1000.0}, SLOWER)
    system = System.objects.get(slug="small")
    subject = system.configurations.get(assignments=SLOWER).identity
    series = Series.objects.get(system=system, subject=subject, metric__clock="cpu")
    token = current_principal.set(measured.principal)
    try:
        lens = Lens(revision="4").setting(series=str(series.pk))
        *_, revision, beside = histories.show(access_to(acting(), "small"), lens, None, "0")
        *_, alone = histories.show(access_to(acting(), "small"), Lens(), None, "0")
    finally:
        current_principal.reset(token)
    assert "CPU time and instructions" in said(beside)
    assert "instructions unchanged within 0.0 %" in said(beside)
    assert "memory, cache, I/O or the machine" in said(beside)
    assert "The other history" in said(beside)
    assert "1 000 instructions" in said(revision).replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert alone is None


def test_the_latest_changes_are_shown_and_the_others_folded(measured: Person) -> None:
    count({"1": 1000.0, "2": 1000.0, "4": 1000.0, "5": 1000.0}, SLOWER)
    few = found("cpu", SLOWER)
    assert few is not None
    assert "earlier" not in said(beside_card(few, few.time, "small"))
    many = replace(few, changes=few.changes * 7)
    card = said(beside_card(many, many.time, "small"))
    assert "2 earlier" in card
    assert card.count("2 → 4") == 7


def test_more_counted_revisions_take_no_more_queries(measured: Person) -> None:
    asked = []
    for values in ({"1": 1.0, "2": 2.0}, {"4": 3.0, "5": 4.0}):
        count(values)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            found("count")
        asked.append(len(queries))
    assert asked[0] == asked[1]
