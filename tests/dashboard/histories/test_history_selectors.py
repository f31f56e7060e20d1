"""Histories are read as they were measured: points, bands, changes, terms, and what to measure next."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import Batch, Metric, Order, Run
from dashboard.selectors.histories.history import get_history, list_histories, main_history
from dashboard.selectors.histories.next_revisions import propose
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.series import default_series, list_series
from dashboard.selectors.measuring.status import measuring_refusal
from tests.dashboard.histories.conftest import MEASURED, REVISIONS, refresh
from tests.people import Person

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def _series_id(principal: Principal, term: str = "", label: str = "default") -> int:
    rows = list_series(system=access_to(principal, "small").system)
    if term:
        return default_series(rows, term=term).series_id
    return next(row.series_id for row in rows if row.label == label and row.clock == "cpu")


def test_there_is_a_series_for_each_configuration_and_term_and_clock(measured: Person) -> None:
    rows = list_series(system=access_to(measured.principal, "small").system)
    assert {(row.kind, row.label) for row in rows} == {
        ("configuration", "default"),
        ("configuration", "A"),
        ("configuration", "B"),
        ("configuration", "A + B"),
        ("term", "A"),
        ("term", "B"),
        ("term", "A × B"),
    }
    assert {row.clock for row in rows} == {"cpu", "wall"}
    assert {row.points for row in rows} == {len(MEASURED)}


def test_the_history_of_the_overview_is_the_one_that_histories_begin_with(measured: Person) -> None:
    """Wall time that had come in first stood beside a model of processor time."""
    system = access_to(measured.principal, "small").system
    cpu, wall = Metric.objects.get(clock="cpu"), Metric.objects.get(clock="wall")
    # Which of the two came first is nothing to rely on.
    Metric.objects.filter(pk=cpu.pk).update(clock="user")
    Metric.objects.filter(pk=wall.pk).update(clock="cpu")
    Metric.objects.filter(pk=cpu.pk).update(clock="wall")
    main = main_history(system=system)
    assert main is not None
    assert main.series.clock == default_series(list_series(system=system)).clock == "cpu"


def test_a_history_has_a_band_at_every_revision_and_points_where_measured(measured: Person) -> None:
    series = _series_id(measured.principal, label="A")
    found = get_history(system=access_to(measured.principal, "small").system, series_id=series)
    assert [place.name for place in found.order.revisions] == list(REVISIONS)
    assert [row.position for row in found.band] == list(range(len(REVISIONS)))
    assert [point.revision for point in found.points] == list(MEASURED)
    assert [point.median for point in found.points] == pytest.approx([15, 15, 19, 19, 19])
    assert {point.n for point in found.points} == {3}


def test_a_step_is_bracketed_by_its_measured_neighbours(measured: Person) -> None:
    series = _series_id(measured.principal, label="A")
    (change,) = get_history(system=access_to(measured.principal, "small").system, series_id=series).changes
    assert (change.before.name, change.after.name, change.unmeasured) == ("2", "4", 1)
    assert change.relative == pytest.approx(4 / 15, rel=1e-3)
    assert change.is_slower


def test_a_terms_history_holds_its_influence_with_its_change_in_seconds(measured: Person) -> None:
    series = _series_id(measured.principal, term="A")
    found = get_history(system=access_to(measured.principal, "small").system, series_id=series)
    assert [point.median for point in found.points] == pytest.approx([5, 5, 9, 9, 9])
    (change,) = found.changes
    assert change.size == pytest.approx(4.0)
    assert change.reference == "reference level"


def test_an_interaction_that_did_not_move_has_no_change(measured: Person) -> None:
    series = _series_id(measured.principal, term="B*A")
    found = get_history(system=access_to(measured.principal, "small").system, series_id=series)
    assert [point.median for point in found.points] == pytest.approx([3] * 5)
    assert found.changes == ()


def test_terms_that_changed_come_first(measured: Person) -> None:
    system = access_to(measured.principal, "small").system
    found = list_histories(system=system, series=list_series(system=system, kinds=["term"]))
    assert [summary.series.label for summary in found if summary.series.clock == "cpu"] == ["A", "A × B", "B"]


def test_what_to_measure_next_is_what_hides_the_step(measured: Person) -> None:
    series = _series_id(measured.principal, label="A")
    (found,) = propose(system=access_to(measured.principal, "small").system, series_id=series).rows
    assert found.place.name == "3"
    assert "between 2 and 4" in found.reason


def test_a_revision_that_never_ran_is_not_suggested(measured: Person, batch: Batch) -> None:
    run = batch.runs.first()
    assert run is not None
    run.pk, run.status, run.repetition = None, Run.Status.FAILED, 1
    run.revision = run.revision.system.revisions.get(name="3")
    run.save()
    series = _series_id(measured.principal, label="A")
    assert propose(system=access_to(measured.principal, "small").system, series_id=series).rows == ()


def test_an_invalid_run_moves_the_point_and_the_terms(measured: Person, batch: Batch) -> None:
    wrong = batch.runs.filter(revision__name="6", configuration__assignments={"A": "on"})
    wrong.filter(repetition__in=(1, 2)).update(invalid_reason="noisy")
    refresh(batch.system, batch)
    series = _series_id(measured.principal, term="A")
    last = get_history(system=access_to(measured.principal, "small").system, series_id=series).points[-1]
    assert last.median == pytest.approx(9.01)


def test_an_unknown_order_and_a_strangers_question_are_not_found(measured: Person, charlie: Person) -> None:
    with pytest.raises(NotFound, match="no order 'all'"):
        ordered_revisions(system=access_to(measured.principal, "small").system, order="all")
    with pytest.raises(NotFound):
        list_series(system=access_to(charlie.principal, "small").system)
    with pytest.raises(NotFound):
        get_history(
            system=access_to(charlie.principal, "small").system, series_id=_series_id(measured.principal)
        )


def test_a_system_without_an_order_has_no_history(measured: Person) -> None:
    series = _series_id(measured.principal)
    Order.objects.all().delete()
    with pytest.raises(NotFound):
        get_history(system=access_to(measured.principal, "small").system, series_id=series)


@pytest.mark.parametrize("kind", ["term", "configuration"])
def test_the_number_of_queries_does_not_grow_with_the_series(measured: Person, kind: str) -> None:
    system = access_to(measured.principal, "small").system
    series = list_series(system=system, kinds=[kind])
    counts = []
    for wanted in (series[:1], series):
        with CaptureQueriesContext(connection) as queries:
            list_histories(system=system, series=wanted)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 16
    assert len(series) > 1


def test_without_a_registered_subject_measuring_says_why_not(measured: Person) -> None:
    refusal = measuring_refusal(access=access_to(measured.principal, "small"))
    assert "manage.py register" in refusal
