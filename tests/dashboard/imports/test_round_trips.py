"""Export and import are exact: a system, exported and imported under another name, exports to the same bytes."""

from itertools import count
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings

from dashboard.access import NotFound, Principal, access_to
from dashboard.importers.bundle.writing import bundle_files, write_bundle
from dashboard.importers.records import SystemRecords
from dashboard.models import Batch, Point, Run, Series, System
from dashboard.selectors.accuracy import report_accuracy
from dashboard.selectors.export.records import load_system_records
from dashboard.services.exporting import export_system
from dashboard.services.imports.errors import ImportRefused
from dashboard.services.imports.importing import import_file
from tests.dashboard.importers import asv_sample
from tests.dashboard.importers import comprex_sample as sample
from tests.dashboard.importers.strategies import systems
from tests.dashboard.imports.everything import counted
from tests.people import Person

pytestmark = pytest.mark.django_db
_NUMBERS = count()


def _files(operator: Principal, slug: str) -> dict[str, bytes]:
    return bundle_files(load_system_records(System.objects.get(slug=slug)))


def _import_toy(tmp_path: Path, operator: Principal) -> None:
    folder = sample.as_folder(tmp_path / "toy", sample.files())
    import_file(principal=operator, format_name="comprex", path=folder, system_name="Toy")


@given(content=systems())
# Shrinking would take minutes: the same property without a database, in test_bundle.py, shrinks at once.
@settings(
    max_examples=15,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
def test_a_system_of_any_content_survives(
    tmp_path: Path, operator: Principal, content: SystemRecords
) -> None:
    number = next(_NUMBERS)
    write_bundle(content, tmp_path / f"{number}-0.zip")
    with transaction.atomic():
        for copy in (1, 2):
            import_file(
                principal=operator,
                format_name="bundle",
                path=tmp_path / f"{number}-{copy - 1}.zip",
                system_name=f"Copy {copy}",
            )
            path = tmp_path / f"{number}-{copy}.zip"
            export_system(access=access_to(operator, f"copy-{copy}"), path=path)
        given_runs = len(content.runs)
        assert Run.objects.filter(batch__system__slug="copy-2").count() == given_runs
        transaction.set_rollback(True)
    assert (tmp_path / f"{number}-1.zip").read_bytes() == (tmp_path / f"{number}-2.zip").read_bytes()


def test_an_imported_comprex_bundle_keeps_its_accuracy_to_the_last_digit(
    tmp_path: Path, operator: Principal
) -> None:
    _import_toy(tmp_path, operator)
    export_system(access=access_to(operator, "toy"), path=tmp_path / "toy.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Copy")
    assert _files(operator, "copy") == _files(operator, "toy")
    one, other = (report_accuracy(access_to(operator, slug).system) for slug in ("toy", "copy"))
    assert one.accuracy.quality.error == other.accuracy.quality.error
    assert one.accuracy.drawn == other.accuracy.drawn


def test_importing_an_export_twice_changes_nothing(tmp_path: Path, operator: Principal) -> None:
    _import_toy(tmp_path, operator)
    export_system(access=access_to(operator, "toy"), path=tmp_path / "toy.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Copy")
    before = counted()
    outcome = import_file(
        principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Copy"
    )
    assert not outcome.is_new
    assert counted() == before


def test_an_imported_export_knows_the_files_it_came_from(tmp_path: Path, operator: Principal) -> None:
    """The Comprex bundle behind an export is known where the export was imported: it is not imported again."""
    _import_toy(tmp_path, operator)
    export_system(access=access_to(operator, "toy"), path=tmp_path / "toy.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Copy")
    again = import_file(principal=operator, format_name="comprex", path=tmp_path / "toy", system_name="Copy")
    assert not again.is_new


def test_an_export_is_refused_by_a_system_that_holds_its_data(tmp_path: Path, operator: Principal) -> None:
    _import_toy(tmp_path, operator)
    export_system(access=access_to(operator, "toy"), path=tmp_path / "toy.zip")
    with pytest.raises(ImportRefused, match="already holds the comprex data 'toy'"):
        import_file(principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Toy")


def test_invalid_runs_and_their_reasons_travel(tmp_path: Path, operator: Principal) -> None:
    _import_toy(tmp_path, operator)
    Run.objects.filter(kind="plain", configuration__assignments={}).update(
        invalid_reason="the machine slept", started_at=timezone.now(), output_tail="a\r\nb\rc"
    )
    export_system(access=access_to(operator, "toy"), path=tmp_path / "toy.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Copy")
    run = Run.objects.get(batch__system__slug="copy", invalid_reason="the machine slept")
    assert run.output_tail == "a\r\nb\rc"
    assert _files(operator, "copy") == _files(operator, "toy")


def test_what_is_being_written_is_not_exported(tmp_path: Path, operator: Principal) -> None:
    _import_toy(tmp_path, operator)
    Batch.objects.update(state=Batch.State.WRITING)
    records = load_system_records(System.objects.get(slug="toy"))
    assert (records.batches, records.runs, records.performance_models) == ((), (), ())


def test_histories_of_runs_come_again_from_the_runs(tmp_path: Path, operator: Principal) -> None:
    _import_toy(tmp_path, operator)
    other = sample.as_folder(tmp_path / "other", sample.with_manifest(subject_version="2.0"))
    import_file(principal=operator, format_name="comprex", path=other, system_name="Toy")
    export_system(access=access_to(operator, "toy"), path=tmp_path / "toy.zip")
    assert load_system_records(System.objects.get(slug="toy")).series == ()
    import_file(principal=operator, format_name="bundle", path=tmp_path / "toy.zip", system_name="Copy")
    fields = ("series__subject_kind", "series__subject", "revision__name", "n", "median", "spread")
    points = [
        sorted(Point.objects.filter(series__system__slug=slug).values_list(*fields), key=str)
        for slug in ("toy", "copy")
    ]
    assert points[0] == points[1]
    assert len(points[0]) > 8
    assert Series.objects.filter(system__slug="copy", subject_kind="term").exists()


def test_an_export_needs_the_role_viewer(
    tmp_path: Path, system: System, vera: Person, charlie: Person
) -> None:
    export_system(access=access_to(vera.principal, "small"), path=tmp_path / "small.zip")
    with pytest.raises(NotFound):
        export_system(access=access_to(charlie.principal, "small"), path=tmp_path / "again.zip")
    assert not (tmp_path / "again.zip").exists()


def test_the_number_of_queries_of_an_export_does_not_grow(tmp_path: Path, operator: Principal) -> None:
    _import_toy(tmp_path, operator)
    with CaptureQueriesContext(connection) as few:
        load_system_records(System.objects.get(slug="toy"))
    other = sample.as_folder(tmp_path / "other", sample.with_manifest(subject_version="2.0"))
    import_file(principal=operator, format_name="comprex", path=other, system_name="Toy")
    with CaptureQueriesContext(connection) as many:
        load_system_records(System.objects.get(slug="toy"))
    assert len(many) <= len(few)


def test_readable_names_of_benchmarks_travel(tmp_path: Path, operator: Principal) -> None:
    """A series is known by its parameters' values and read with their names: both are exported."""
    folder = asv_sample.write(asv_sample.folder(), tmp_path / "suite")
    import_file(principal=operator, format_name="asv", path=folder, system_name="Suite")
    # A series that never had a value is nothing to export.
    measured = Series.objects.exclude(points=None)
    labels = set(measured.values_list("label", flat=True))
    assert any(labels)
    export_system(access=access_to(operator, "suite"), path=tmp_path / "suite.zip")
    import_file(principal=operator, format_name="bundle", path=tmp_path / "suite.zip", system_name="Copy")
    assert set(measured.filter(system__slug="copy").values_list("label", flat=True)) == labels
