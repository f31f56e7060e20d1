"""A benchmark suite is read from its stored fits: in short, page by page, and one benchmark elsewhere."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.db.models import Count, F, Q
from django.test.utils import CaptureQueriesContext

from dashboard.access import NotFound, Principal, access_to
from dashboard.models import HistoryFit, OrderPosition, Point, Revision, Series, System
from dashboard.pages.lens import Lens
from dashboard.pages.reports import page as reports
from dashboard.selectors.histories.history import get_history, latest_value, list_histories, main_history
from dashboard.selectors.histories.series import default_series, find_series, list_series
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.history_list.stored import (
    environments_of,
    is_suite,
    list_benchmarks,
    siblings,
    suite,
)
from dashboard.services.histories.fits import chunks_to_fit, fit_system
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import asv_sample as sample
from tests.people import Person


@pytest.fixture
def sorting(db: None, operator: Principal, tmp_path: Path) -> System:
    """A suite whose times double at the ninth revision of one machine; on another one revision was measured."""
    path = sample.write(sample.stepped(), tmp_path)
    import_file(principal=operator, format_name="asv", path=path, system_name="Sorting")
    return System.objects.get(slug="sorting")


@pytest.mark.usefixtures("sorting")
def test_a_suite_in_short_counts_benchmarks_histories_and_what_became_worse(operator: Principal) -> None:
    found = suite(access_to(operator, "sorting").system)
    assert found is not None
    assert (found.benchmarks, found.revisions) == (3, 16)
    assert found.histories == Series.objects.count()
    # Some combinations of parameters failed at every revision: they have no point.
    assert found.fitted == Series.objects.filter(points__isnull=False).distinct().count()
    assert found.worse == 2
    (change,) = found.findings.told
    assert (change.before, change.after) == (sample.COMMITS[8][:10], sample.COMMITS[9][:10])
    assert (change.histories, found.findings.total, found.findings.unfitted) == (2, 1, 0)
    assert {row.label for row in change.shown} == {
        "bench_sort.Sort.time_sort(kind=int, size=10)",
        "bench_sort.Sort.time_sort(kind=int, size=1000)",
    }
    assert change.shown[0].last is not None
    assert change.shown[0].last.relative == pytest.approx(1.0, abs=0.02)
    assert [one.name for one in found.environments] == ["oak, virtualenv-py3.11", "elm, virtualenv-py3.11"]


@pytest.mark.usefixtures("sorting")
def test_new_fits_are_seen_at_once(operator: Principal) -> None:
    before = suite(access_to(operator, "sorting").system)
    HistoryFit.objects.all().delete()
    after = suite(access_to(operator, "sorting").system)
    assert before is not None
    assert after is not None
    assert (after.fitted, after.worse, after.findings.told) == (0, 0, ())
    assert after.histories == before.histories


def test_findings_know_revisions_that_were_listed_since(sorting: System, operator: Principal) -> None:
    """To list revisions moves no data, but places in the order, and dates."""
    system = access_to(operator, "sorting").system
    (before,) = found_changes(system, HistoryQuery()).told
    listed = [*OrderPosition.objects.filter(order__system=sorting).order_by("position")]
    OrderPosition.objects.filter(order__system=sorting).delete()
    newest = Revision.objects.create(system=sorting, name="newest")
    dated = Revision.objects.get(system=sorting, name=before.after)
    Revision.objects.filter(pk=dated.pk).update(released_at=datetime(2030, 1, 1, tzinfo=UTC))
    OrderPosition.objects.bulk_create(
        OrderPosition(order=listed[0].order, revision_id=pk, position=position)
        for position, pk in enumerate([*(one.revision_id for one in listed), newest.pk])
    )
    assert found_changes(system, HistoryQuery(revision="newest")).told == ()
    (after,) = found_changes(system, HistoryQuery()).told
    assert after.at == datetime(2030, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("outdated", [False, True])
def test_the_history_to_begin_with_is_chosen_by_the_database_as_among_all(
    sorting: System, operator: Principal, *, outdated: bool
) -> None:
    """Fits in force tell how many points a series has; without one they are counted, to the same."""
    if outdated:
        Series.objects.update(data_version=F("data_version") + 1)
    access = access_to(operator, "sorting")
    rows = list_series(system=access.system)
    counted = Point.objects.filter(series__system=sorting).values_list("series_id").annotate(n=Count("pk"))
    assert {row.series_id: row.points for row in rows} == dict(counted)
    assert find_series(system=access.system) == default_series(rows)
    assert find_series(system=access.system, series_id="0") == default_series(rows)
    main = main_history(system=access.system)
    assert main is not None
    assert main.series == max(rows, key=lambda row: row.points)
    assert latest_value(system=access.system) == (main.points[-1], main.series)
    found = found_changes(access.system, HistoryQuery())
    HistoryFit.objects.filter(series_id=rows[0].series_id).delete()
    assert (found.unfitted, found_changes(access.system, HistoryQuery()).unfitted) == (0, 1)
    # Nobody waits for the history of a term: it is fitted when it is looked at.
    Series.objects.filter(pk=rows[0].series_id).update(subject_kind=Series.SubjectKind.TERM)
    assert found_changes(access.system, HistoryQuery()).unfitted == 0


def test_no_point_is_read_to_choose_a_history_or_to_count_those_that_wait(
    sorting: System, operator: Principal
) -> None:
    """A suite may have a hundred million of them."""
    system = access_to(operator, "sorting").system
    with CaptureQueriesContext(connection) as asked:
        find_series(system=system)
        found_changes(system, HistoryQuery())
    reading = [one["sql"] for one in asked.captured_queries if "dashboard_point" in one["sql"]]
    assert len(reading) == 2
    assert all("EXISTS(SELECT 1" in one for one in reading)


def test_a_change_that_is_a_candidate_of_its_history_is_one_among_the_findings(
    sorting: System, operator: Principal
) -> None:
    """The false-alarm rate of the system alone decides: at next to none nothing is a fact anywhere."""
    System.objects.filter(pk=sorting.pk).update(false_alarm_rate=1e-300)
    fit_system(access=access_to(operator, "sorting"))
    found = suite(access_to(operator, "sorting").system)
    assert found is not None
    changed = HistoryFit.objects.filter(changes__gt=0)
    assert set(changed.values_list("last_is_candidate", flat=True)) == {True}
    assert (found.worse, found.findings.total) == (0, 0)
    ((verdict, count, (finding,)),) = found.findings.filtered
    assert (verdict, count, finding.histories) == ("candidate", 1, changed.count())


@pytest.mark.usefixtures("sorting")
def test_histories_are_found_by_words_environment_and_direction(operator: Principal) -> None:
    def labels(**asked: object) -> list[str]:
        query = HistoryQuery(**asked)  # type: ignore[arg-type]
        rows = list_benchmarks(access_to(operator, "sorting").system, query)[0]
        return [f"{row.label} @ {row.environment[:3]} {row.version[:1]}" for row in rows]

    elm = next(
        one.environment_id
        for one in environments_of(access_to(operator, "sorting").system)
        if one.name.startswith("elm")
    )
    assert labels(text="size=1000 SORT", only_worse=True) == [
        "bench_sort.Sort.time_sort(kind=int, size=1000) @ oak b"
    ]
    assert (
        labels(environment_id=elm, sort="name", text="time")
        == [
            "bench_sort.Sort.time_sort(kind=int, size=10) @ elm b",
            "bench_sort.Sort.time_sort(kind=int, size=1000) @ elm b",
            "bench_sort.Sort.time_sort(kind='stable', size=10) @ elm b",
            "bench_sort.Sort.time_sort(kind='stable', size=1000) @ elm b",
        ]
        or len(labels(environment_id=elm, text="time")) == 4
    )
    assert labels(text="100%") == []


@pytest.mark.usefixtures("sorting")
def test_pages_of_every_sorting_hold_every_history_once(operator: Principal) -> None:
    for sort in ("largest", "last", "newest", "latest", "gap", "name"):
        found: list[int] = []
        for page in range(1, 20):
            query = HistoryQuery(sort=sort, page=page, size=4)
            rows, total, _ = list_benchmarks(access_to(operator, "sorting").system, query)
            found += [row.series_id for row in rows]
        assert sorted(found) == sorted(Series.objects.values_list("pk", flat=True))
        assert total == len(found)


@pytest.mark.usefixtures("sorting")
def test_the_same_benchmark_elsewhere_is_another_machine_or_version(operator: Principal) -> None:
    one = Series.objects.get(
        label="bench_sort.Sort.time_sort(kind=int, size=10)",
        benchmark_version="b" * 64,
        environment__name__startswith="oak",
    )
    others = siblings(access_to(operator, "sorting").system, one.pk)
    assert [(row.environment[:3], row.version[:1]) for row in others] == [("elm", "b"), ("oak", "a")]
    with pytest.raises(NotFound):
        siblings(access_to(operator, "sorting").system, 0)


@pytest.mark.usefixtures("sorting")
def test_the_number_of_queries_does_not_grow_with_the_histories(operator: Principal) -> None:
    suite(access_to(operator, "sorting").system)
    with CaptureQueriesContext(connection) as warm:
        suite(access_to(operator, "sorting").system)
    with CaptureQueriesContext(connection) as listed:
        list_benchmarks(access_to(operator, "sorting").system, HistoryQuery())
    assert (len(warm), len(listed)) == (10, 6)


def test_a_stranger_sees_no_suite_and_other_systems_are_none(
    sorting: System, system: System, operator: Principal, charlie: Person
) -> None:
    assert suite(access_to(operator, system.slug).system) is None
    assert not is_suite(access_to(operator, system.slug).system)
    with pytest.raises(NotFound):
        suite(access_to(charlie.principal, sorting.slug).system)
    with pytest.raises(NotFound):
        list_benchmarks(access_to(charlie.principal, sorting.slug).system, HistoryQuery())


def test_a_stored_fit_says_what_the_page_of_its_history_says(sorting: System, operator: Principal) -> None:
    """Also where revisions hold the same code and changes differ in size: both know it in one way."""
    for number, revision in enumerate(
        Revision.objects.filter(system=sorting).order_by("positions__position")
    ):
        revision.content = f"{number // 2:064x}"
        revision.changed_lines = 1 + 50 * number
        revision.save()
    assert chunks_to_fit(system=sorting), "what is known of the code moves the fits"
    fit_system(access=access_to(operator, "sorting"))
    assert not chunks_to_fit(system=sorting)
    rows = list_benchmarks(access_to(operator, "sorting").system, HistoryQuery(sort="gap"))[0]
    compared = [row for row in rows if row.measured > 1]
    assert compared
    ids = {row.series_id for row in compared}
    shown = list_histories(system=sorting, series=list_series(system=sorting, only=Q(pk__in=ids)))
    gaps = {one.series.series_id: one.gap for one in shown}
    for row in compared:
        found = get_history(system=access_to(operator, "sorting").system, series_id=row.series_id)
        assert row.gap == pytest.approx(gaps[row.series_id], rel=1e-9)
        last = found.changes[-1] if found.changes else None
        assert (row.last and (row.last.before, row.last.after)) == (
            last and (last.before.name, last.after.name)
        )


@pytest.mark.usefixtures("sorting")
@pytest.mark.parametrize(("series", "view"), [("", "findings"), ("7", "histories")])
def test_the_histories_of_a_suite_are_kept_as_its_findings_unless_one_is_chosen(
    operator: Principal, series: str, view: str
) -> None:
    lens = Lens.read({"view": "histories", "series": series})
    shown = reports.layout(access_to(operator, "sorting"), "", lens)
    form: Any = shown[reports.FREEZE_VIEW]
    assert form.value == view
