"""Output of benchmark tools in the database: histories over imports, models over parameters, nothing half-stored."""

import json
from pathlib import Path

import pytest

from dashboard.access import Principal
from dashboard.importers.errors import InvalidBundle
from dashboard.models import Batch, OrderPosition, PerformanceModel, Point, Run, Series, System
from dashboard.services.imports.errors import ImportRefused
from dashboard.services.imports.importing import import_file

pytestmark = pytest.mark.django_db


def _output(median: float) -> str:
    def result(command: str, seconds: float, **parameters: str) -> dict[str, object]:
        times = [seconds, seconds * 1.01, seconds * 1.02]
        return {
            "command": command,
            "mean": seconds,
            "user": seconds,
            "system": 0,
            "times": times,
            "parameters": parameters,
        }

    several = [result(f"pack -{level}", median * int(level), level=level) for level in "123"]
    return json.dumps({"results": [result("list", median), *several]})


def _import(operator: Principal, folder: Path, day: int, median: float, **given: str) -> None:
    path = folder / f"{day}.json"
    path.write_text(_output(median), encoding="utf-8")
    settings = {"revision": f"v{day}", "date": f"2026-05-{day:02}T12:00:00Z", **given}
    import_file(
        principal=operator,
        format_name="benchmarks",
        path=path,
        system_name="Packer",
        given={name: (value,) for name, value in settings.items()},
    )


def test_imports_of_several_revisions_make_histories_in_the_order_of_dates(
    operator: Principal, tmp_path: Path
) -> None:
    for day in (3, 1, 2):
        _import(operator, tmp_path, day, day / 10)
    system = System.objects.get()
    line = OrderPosition.objects.filter(order__system=system, order__name="dates").order_by("position")
    assert list(line.values_list("revision__name", flat=True)) == ["v1", "v2", "v3"]
    series = Series.objects.get(system=system, subject="list", metric__clock="wall")
    points = series.points.order_by("revision__name")
    assert [one.n for one in points] == [3, 3, 3]
    assert [one.median for one in points] == pytest.approx([0.101, 0.202, 0.303])
    of_runs = Series.objects.filter(
        system=system, workload__name="pack -{level}", metric__clock="wall", subject_kind="configuration"
    )
    assert of_runs.count() == 3
    assert Point.objects.filter(series__in=of_runs).count() == 9


def test_a_revision_that_came_without_a_date_takes_its_place_once_it_is_told(
    operator: Principal, tmp_path: Path
) -> None:
    _import(operator, tmp_path, 1, 0.1)
    _import(operator, tmp_path, 3, 0.3)
    path = tmp_path / "2.json"
    path.write_text(_output(0.2), encoding="utf-8")
    undated = {"revision": ("v2",)}
    import_file(principal=operator, format_name="benchmarks", path=path, system_name="Packer", given=undated)
    _import(operator, tmp_path, 2, 0.2)
    line = OrderPosition.objects.filter(order__name="dates").order_by("position")
    assert list(line.values_list("revision__name", flat=True)) == ["v1", "v2", "v3"]


def test_parameters_make_a_model(operator: Principal, tmp_path: Path) -> None:
    _import(operator, tmp_path, 1, 0.1)
    models = PerformanceModel.objects.filter(workload__name="pack -{level}")
    assert {tuple(one.options) for one in models} == {("level",)}
    # Three repetitions of three levels; CPU time comes as their mean and stands in the first.
    assert Run.objects.count() == 9


def test_the_same_output_twice_changes_nothing_and_another_value_needs_reruns(
    operator: Principal, tmp_path: Path
) -> None:
    _import(operator, tmp_path, 1, 0.1)
    before = Point.objects.count(), Batch.objects.count()
    _import(operator, tmp_path, 1, 0.1)
    assert (Point.objects.count(), Batch.objects.count()) == before
    with pytest.raises(ImportRefused, match="give --reruns replace"):
        _import(operator, tmp_path, 1, 0.2)
    _import(operator, tmp_path, 1, 0.2, reruns="replace")
    assert Series.objects.get(subject="list", metric__clock="wall").points.get().median == pytest.approx(
        0.202
    )


def test_a_bad_file_among_good_ones_leaves_nothing(operator: Principal, tmp_path: Path) -> None:
    (tmp_path / "good.json").write_text(_output(0.1), encoding="utf-8")
    (tmp_path / "bad.json").write_text(_output(0.1)[:-40], encoding="utf-8")
    with pytest.raises(InvalidBundle, match=r"bad.json: begins as JSON and is none"):
        import_file(
            principal=operator,
            format_name="benchmarks",
            path=tmp_path,
            system_name="Packer",
            given={"revision": ("v1",)},
        )
    assert not System.objects.exists()
    assert not Batch.objects.exists()
