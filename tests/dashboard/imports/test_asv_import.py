"""Importing a folder of asv results: twice, grown, changed; and its stored fits."""

from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.importers.errors import InvalidBundle, InvalidSetting
from dashboard.models import Batch, HistoryFit, Job, Order, OrderPosition, Point, Series, System
from dashboard.selectors.histories.stored_fits import unpack
from dashboard.services.histories.fit_jobs import FitRequest, queue_outdated_fits
from dashboard.services.histories.fits import chunks_to_fit, fit_system
from dashboard.services.imports import batches, held_points
from dashboard.services.imports.amounts import ImportOutcome
from dashboard.services.imports.errors import ImportRefused
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import asv_sample as sample


def take_in(operator: Principal, files: sample.Files, path: Path, reruns: str | None = None) -> ImportOutcome:
    return import_file(
        principal=operator,
        format_name="asv",
        path=sample.write(files, path),
        system_name="Sorting",
        given={} if reruns is None else {"reruns": (reruns,)},
    )


@pytest.fixture
def sorting(db: None, operator: Principal, tmp_path: Path) -> System:
    """A system with the sample's first three revisions of format 2, and an old one."""
    take_in(operator, sample.folder(3), tmp_path / "first")
    return System.objects.get(slug="sorting")


def line(system: System) -> list[str]:
    places = OrderPosition.objects.filter(order__system=system, order__name="dates").order_by("position")
    return list(places.values_list("revision__name", flat=True))


def test_series_are_told_apart_by_machine_version_and_unit(sorting: System) -> None:
    found = Series.objects.filter(system=sorting, label="bench_sort.Sort.time_sort(kind=int, size=10)")
    assert sorted(found.values_list("environment__name", "benchmark_version")) == [
        ("elm, virtualenv-py3.11", "b" * 64),
        ("oak, virtualenv-py3.11", "a" * 64),
        ("oak, virtualenv-py3.11", "b" * 64),
    ]
    assert set(found.values_list("metric__unit", flat=True)) == {"s"}
    assert line(sorting) == [commit[:10] for commit in sample.COMMITS[:4]]


def test_fits_of_a_former_method_are_made_anew_when_the_server_starts(
    sorting: System, operator: Principal, sent: object
) -> None:
    """Once: while the job waits, and where all are up to date, nothing is queued."""
    queue_outdated_fits(principal=operator)
    assert not Job.objects.filter(system=sorting).exists()
    HistoryFit.objects.update(method_version="former")
    queue_outdated_fits(principal=operator)
    queue_outdated_fits(principal=operator)
    assert Job.objects.get(system=sorting).kind == FitRequest.kind


def test_the_same_folder_twice_changes_nothing(sorting: System, operator: Principal, tmp_path: Path) -> None:
    before = Point.objects.count(), Batch.objects.count(), sorting.data_version
    assert not take_in(operator, sample.folder(3), tmp_path / "again").is_new
    sorting.refresh_from_db()
    assert (Point.objects.count(), Batch.objects.count(), sorting.data_version) == before


def test_a_grown_folder_adds_only_what_is_new(sorting: System, operator: Principal, tmp_path: Path) -> None:
    ids = set(Point.objects.values_list("pk", flat=True))
    versions = dict(Series.objects.values_list("pk", "data_version"))
    outcome = take_in(operator, sample.folder(5), tmp_path / "grown")
    assert (len(outcome.records.points.series), outcome.held_points) == (6, len(ids))
    assert ids < set(Point.objects.values_list("pk", flat=True))
    moved = {
        pk for pk, version in Series.objects.values_list("pk", "data_version") if version != versions[pk]
    }
    assert moved == set(Point.objects.exclude(pk__in=ids).values_list("series_id", flat=True))


def test_a_revision_found_later_stands_where_its_date_puts_it(
    sorting: System, operator: Principal, tmp_path: Path
) -> None:
    files = sample.folder(3)
    files["oak/late.json"] = sample.result(9)
    files["oak/late.json"]["date"] = 1_600_000_000_000 + sample.DAY // 2
    take_in(operator, files, tmp_path / "late")
    names = [commit[:10] for commit in sample.COMMITS]
    assert line(sorting) == [names[0], names[9], names[1], names[2], names[3]]
    assert Order.objects.filter(system=sorting).count() == 1


def test_another_value_for_a_point_is_refused_with_words_and_nothing_is_stored(
    sorting: System, operator: Principal, tmp_path: Path
) -> None:
    files = sample.folder(4)
    name = f"oak/{sample.COMMITS[2][:8]}-virtualenv-py3.11.json"
    files[name] = sample.result(2, factor=1.5)
    before = Point.objects.count(), Batch.objects.count(), line(sorting)
    with pytest.raises(ImportRefused) as refused:
        take_in(operator, files, tmp_path / "changed")
    assert len(refused.value.problems) == 2
    assert "time_sort(kind=int, size=10): revision a201234567 has another value" in refused.value.problems[0]
    assert (Point.objects.count(), Batch.objects.count(), line(sorting)) == before


def changed() -> sample.Files:
    """The sample grown by a revision, with the second of the others measured anew."""
    files = sample.folder(4)
    files[f"oak/{sample.COMMITS[2][:8]}-virtualenv-py3.11.json"] = sample.result(2, factor=1.5)
    return files


def test_the_refusal_of_another_value_says_how_to_take_it(
    sorting: System, operator: Principal, tmp_path: Path
) -> None:
    with pytest.raises(ImportRefused, match="give --reruns replace if it was measured anew"):
        take_in(operator, changed(), tmp_path / "changed")


def test_results_measured_anew_take_the_place_of_others_where_asked_for(
    sorting: System, operator: Principal, tmp_path: Path
) -> None:
    points = {(one.series_id, one.revision_id): one.median for one in Point.objects.all()}
    versions = dict(Series.objects.values_list("pk", "data_version"))
    outcome = take_in(operator, changed(), tmp_path / "changed", reruns="replace")
    assert (len(outcome.records.points.series), outcome.replaced_points) == (3, 2)
    batch = Batch.objects.latest("pk")
    kept = batch.manifest["replaced"]
    assert len(kept) == 2
    for series, revision, n, median, _ in kept:
        now = Point.objects.get(series_id=series, revision_id=revision)
        assert points[series, revision] == median
        assert now.median == pytest.approx(1.5 * median)
        assert (now.n, now.batch_id) == (n, batch.pk)
        assert Series.objects.get(pk=series).data_version == versions[series] + 1
    assert chunks_to_fit(system=sorting) == []
    again = take_in(operator, changed(), tmp_path / "again", reruns="replace")
    assert not again.is_new


def test_too_many_results_measured_anew_are_refused(
    sorting: System, operator: Principal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_points, "MOST", 1)
    before = list(Point.objects.values_list("pk", "median"))
    with pytest.raises(ImportRefused, match="2 results were measured anew"):
        take_in(operator, changed(), tmp_path / "changed", reruns="replace")
    assert list(Point.objects.values_list("pk", "median")) == before


def test_another_word_for_reruns_is_refused(db: None, operator: Principal, tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match="Write replace, or leave it away"):
        take_in(operator, sample.folder(1), tmp_path, reruns="merge")


def test_points_go_with_the_system_although_the_database_checks_their_series_alone(
    sorting: System, operator: Principal, tmp_path: Path
) -> None:
    batch = Batch.objects.create(system=sorting, format="asv", digest="0" * 64)
    held = Point.objects.first()
    assert held is not None
    taken = Point.objects.filter(batch=held.batch_id).count()
    Point.objects.filter(pk=held.pk).update(batch=batch)
    batches.sweep([batch.pk])
    assert Point.objects.count() == taken - 1
    sorting.delete()
    assert not Point.objects.exists()


def test_a_benchmark_that_left_the_list_keeps_its_series(
    sorting: System, operator: Principal, tmp_path: Path
) -> None:
    files = sample.folder(3)
    del files["benchmarks.json"]["bench_sort.Sort.time_sort"]
    series = Series.objects.count()
    outcome = take_in(operator, files, tmp_path / "removed")
    assert (len(outcome.records.points.series), Series.objects.count()) == (0, series)


def test_a_faulty_file_leaves_nothing_behind(db: None, operator: Principal, tmp_path: Path) -> None:
    files = sample.folder(3)
    files["oak/broken.json"] = '{"commit_hash": '
    with pytest.raises(InvalidBundle):
        take_in(operator, files, tmp_path)
    assert not System.objects.exists()
    assert not Batch.objects.exists()


@pytest.fixture
def stepped(db: None, operator: Principal, tmp_path: Path) -> System:
    """A system whose benchmarks take twice as long from the ninth revision on."""
    take_in(operator, sample.stepped(), tmp_path / "stepped")
    return System.objects.get(slug="sorting")


@pytest.mark.usefixtures("stepped")
def test_an_import_stores_fits_with_the_latest_value_and_the_largest_change() -> None:
    assert HistoryFit.objects.count() == Series.objects.filter(points__isnull=False).distinct().count()
    fit = HistoryFit.objects.get(
        series__label="bench_sort.Sort.time_sort(kind=int, size=10)",
        series__environment__name__startswith="oak",
        series__benchmark_version="b" * 64,
    )
    assert (fit.measured, fit.changes, fit.largest_is_worse, fit.enough_data) == (15, 1, True, True)
    assert fit.largest_change == pytest.approx(1.0, abs=0.02)
    assert fit.latest == pytest.approx(0.002, rel=0.01)
    before, after = fit.largest_before, fit.largest_after
    assert before is not None
    assert after is not None
    assert (before.name, after.name) == (sample.COMMITS[8][:10], sample.COMMITS[9][:10])
    assert fit.certainty_gap is not None
    revisions, levels = unpack(bytes(fit.packed))
    assert len(revisions) == len(levels) == 15
    assert levels[-1] == pytest.approx(0.002, rel=0.01)


def test_only_what_is_out_of_date_is_fitted_again(
    stepped: System, operator: Principal, tmp_path: Path
) -> None:
    first = HistoryFit.objects.count()
    assert fit_system(access=access_to(operator, "sorting"))[0] == 0
    one = Series.objects.filter(fits__isnull=False).first()
    assert one is not None
    Series.objects.filter(pk=one.pk).update(data_version=one.data_version + 1)
    assert chunks_to_fit(system=stepped) == [[one.pk]]
    assert fit_system(access=access_to(operator, "sorting"))[0] == 1
    assert HistoryFit.objects.count() == first
