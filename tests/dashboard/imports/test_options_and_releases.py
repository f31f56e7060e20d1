"""Options x releases in the database: points, round trips, units that a person sets, all or nothing."""

from pathlib import Path

import pytest
from dash import no_update
from django.core.management import CommandError, call_command

from dashboard.access import Forbidden, Principal, Refused, access_to
from dashboard.celery import app
from dashboard.importers.bundle.writing import bundle_files
from dashboard.importers.errors import InvalidBundle
from dashboard.job_kinds import KINDS
from dashboard.models import (
    AuditEntry,
    Job,
    Measurement,
    Membership,
    Metric,
    Point,
    PublishedCoefficient,
    Run,
    Series,
    System,
)
from dashboard.pages.overview.metrics import follow
from dashboard.selectors.export.records import load_system_records
from dashboard.selectors.systems import system_metrics
from dashboard.services.exporting import export_system
from dashboard.services.identities import identity_of
from dashboard.services.imports.importing import import_file
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.metrics import MetricRequest, set_metric, start_setting_metric
from dashboard.services.system_tables import references_to, ways_to
from tests.dashboard.importers import spl_sample as sample
from tests.dashboard.importers.comprex_sample import as_folder
from tests.dashboard.imports.everything import counted
from tests.people import Person

pytestmark = pytest.mark.django_db


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sample study."""
    return as_folder(tmp_path / "study", sample.files())


@pytest.fixture
def study(folder: Path, operator: Principal) -> System:
    """The sample study, imported."""
    _import(operator, folder)
    return System.objects.get(slug="study")


def _import(
    principal: Principal, path: Path, name: str = "Study", format_name: str = "spl-conqueror"
) -> bool:
    return import_file(principal=principal, format_name=format_name, path=path, system_name=name).is_new


def test_points_carry_the_published_deviation_and_number_of_executions(study: System) -> None:
    series = Series.objects.get(
        system=study, metric__quantity="performance", subject=_identity_of_default(study)
    )
    points = series.points.order_by("revision__name").values_list("revision__name", "n", "median", "spread")
    assert [(name, n, median) for name, n, median, _ in points] == [
        ("1.10", 5, 16.0),
        ("1.9", 5, 15.0),
        ("2.0", 5, 17.0),
    ]
    assert [spread for *_, spread in points] == pytest.approx([1.6, 1.5, 1.7])


def _identity_of_default(study: System) -> str:
    return study.configurations.get(assignments={}).identity


def test_importing_twice_changes_nothing(study: System, folder: Path, operator: Principal) -> None:
    before = counted()
    assert not _import(operator, folder)
    assert counted() == before


def test_a_study_with_a_fault_leaves_nothing(folder: Path, operator: Principal) -> None:
    before = counted()
    (folder / "models.csv").write_bytes(b"revision;root\n1.8;3\n")
    with pytest.raises(InvalidBundle):
        _import(operator, folder)
    assert counted() == before


def test_a_study_survives_export_and_import(study: System, tmp_path: Path, operator: Principal) -> None:
    export_system(access=access_to(operator, "study"), path=tmp_path / "study.zip")
    _import(operator, tmp_path / "study.zip", "Copy", "bundle")
    one, other = (
        bundle_files(load_system_records(System.objects.get(slug=slug))) for slug in ("study", "copy")
    )
    assert one == other
    assert PublishedCoefficient.objects.filter(system__slug="copy").count() == 12


def test_everything_that_refers_to_a_metric_follows_when_it_is_set() -> None:
    referring = references_to(Metric)
    assert (Measurement, "metric") in [(field.model, field.name) for field in referring]
    assert {field.model for field in referring} <= ways_to(System).keys()


def test_a_unit_is_set_and_values_stay(study: System, operator: Principal) -> None:
    before = list(Measurement.objects.order_by("pk").values_list("value", flat=True))
    points = Point.objects.count()
    set_metric(
        access=access_to(operator, "study"),
        request=MetricRequest(quantity="memory", unit="KiB", better="higher"),
    )
    assert list(Measurement.objects.order_by("pk").values_list("value", flat=True)) == before
    assert Point.objects.count() == points
    told = {one.quantity: (one.unit, one.better) for one in system_metrics(System.objects.get(slug="study"))}
    assert told == {"memory": ("KiB", "higher"), "performance": ("ms", "lower")}
    assert all(one.identity == identity_of(one) for one in Series.objects.filter(system=study))
    assert AuditEntry.objects.get(action="set metric").details["to"] == "KiB, higher is better"
    assert System.objects.get(pk=study.pk).data_version > study.data_version


def test_another_system_keeps_its_unit(study: System, folder: Path, operator: Principal) -> None:
    _import(operator, folder, "Other")
    set_metric(access=access_to(operator, "study"), request=MetricRequest(quantity="memory", unit="KiB"))
    units = {one.quantity: one.unit for one in system_metrics(System.objects.get(slug="other"))}
    assert units == {"memory": "", "performance": "ms"}


@pytest.mark.parametrize(
    ("quantity", "said", "words"),
    [
        ("size", {"unit": "B"}, "has no such metric 'size': known are memory, performance"),
        ("memory", {"unit": "x" * 41}, "the unit has 41 characters"),
        ("memory", {"better": "up"}, "'up' is no direction"),
    ],
)
def test_what_cannot_be_set_is_refused(
    study: System, operator: Principal, quantity: str, said: dict[str, str], words: str
) -> None:
    with pytest.raises(Refused, match=words):
        set_metric(access=access_to(operator, "study"), request=MetricRequest(quantity=quantity, **said))


def test_the_unit_of_a_clock_is_known(study: System, operator: Principal) -> None:
    clock, _ = Metric.objects.get_or_create(quantity="time", unit="s", clock="wall")
    Measurement.objects.create(run=Run.objects.earliest("pk"), metric=clock, value=1.0)
    Series.objects.filter(system=study).update(metric=clock)
    with pytest.raises(Refused, match="was measured by a clock: its unit is s"):
        set_metric(access=access_to(operator, "study"), request=MetricRequest(quantity="time", unit="ms"))


def test_a_viewer_sets_no_unit(study: System, charlie: Person) -> None:
    Membership.objects.create(system=study, user=charlie.user, role=Membership.Role.VIEWER)
    with pytest.raises(Forbidden):
        set_metric(
            access=access_to(charlie.principal, "study"), request=MetricRequest(quantity="memory", unit="KiB")
        )


def test_a_job_sets_a_unit_as_the_person_who_asked(
    study: System, bob: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once: a job that is run again after its worker died finds it done."""
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    Membership.objects.create(system=study, user=bob.user, role=Membership.Role.EDITOR)
    access = access_to(bob.principal, "study")
    asked = MetricRequest(quantity="memory", unit="KiB", better="lower", present_unit="")
    with pytest.raises(Refused, match="the unit has 41 characters"):
        start_setting_metric(access=access, request=asked.model_copy(update={"unit": "x" * 41}))
    job = Job.objects.get(pk=start_setting_metric(access=access, request=asked))
    for _ in range(2):
        assert run_job(job_id=job.pk, kinds=KINDS) is JobOutcome.DONE
        Job.objects.filter(pk=job.pk).update(state="queued")
    assert AuditEntry.objects.get(action="set metric").actor == bob.user.username
    assert Series.objects.filter(system=study, metric__unit="KiB").exists()


@pytest.mark.django_db(transaction=True)
def test_a_job_that_comes_too_late_says_why_it_sets_nothing(
    study: System, bob: Person, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "send_task", lambda *_, **__: None)
    Membership.objects.create(system=study, user=bob.user, role=Membership.Role.EDITOR)
    access = access_to(bob.principal, "study")
    asked = MetricRequest(quantity="memory", unit="KiB", better="lower", present_unit="")
    job_id = start_setting_metric(access=access, request=asked)
    set_metric(access=access_to(operator, "study"), request=MetricRequest(quantity="memory", unit="MB"))
    waiting = follow(access, 1, None, job_id)
    assert run_job(job_id=job_id, kinds=KINDS) is JobOutcome.FAILED
    _, followed, said = follow(access, 2, None, job_id)
    assert waiting == (no_update, no_update, no_update)
    assert followed is None
    assert "no such metric 'memory'" in str(said)


def test_the_command_lists_and_sets(study: System, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("metric", "Study", "memory", unit="KiB")
    assert capsys.readouterr().out == "performance: ms, lower is better\nmemory: KiB, lower is better\n"
    with pytest.raises(CommandError, match="no such metric"):
        call_command("metric", "Study", "size", unit="B")
