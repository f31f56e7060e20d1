"""A system is deleted after a preview: it is hidden at once, its rows go in steps, a trace stays."""

import pytest

from dashboard.access import Forbidden, NotFound, Principal, Refused, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import (
    AuditEntry,
    Batch,
    Configuration,
    Environment,
    Job,
    JobLogLine,
    Measurement,
    Membership,
    Metric,
    PerformanceModel,
    Point,
    Region,
    RegionMeasurement,
    RegionVersion,
    Report,
    Revision,
    Run,
    Series,
    SourceText,
    Subject,
    System,
    SystemOption,
    Workload,
)
from dashboard.services import deleting
from dashboard.services.deleting import delete_system, preview_deletion
from dashboard.services.imports import batches
from dashboard.services.imports.importing import find_target
from dashboard.services.jobs.context import JobContext, StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.dashboard.measuring.stored import add_batch, add_revisions, measure_everything
from tests.people import Person

pytestmark = pytest.mark.database
slowly = pytest.mark.django_db(transaction=True)
quickly = pytest.mark.django_db

_OF_A_SYSTEM = (
    PerformanceModel,
    Batch,
    Configuration,
    Measurement,
    Membership,
    SystemOption,
    Point,
    Region,
    RegionMeasurement,
)
_OF_A_SYSTEM += (RegionVersion, Report, Revision, Run, Series, Subject, Workload, JobLogLine)  # type: ignore[assignment]


def _fill(system: System) -> None:
    """Something of everything that can hang on a system."""
    measure_everything(system, add_revisions(system, ["1.0", "2.0"]))
    region = Region.objects.get(system=system)
    for revision in Revision.objects.filter(system=system):
        text, _ = SourceText.objects.get_or_create(digest="d" * 64, defaults={"text": "def f(): ..."})
        RegionVersion.objects.create(region=region, revision=revision, source=text)
    job = Job.objects.create(kind="measure", title="Measure", system=system, state=Job.State.DONE)
    JobLogLine.objects.create(job=job, text="done")
    Subject.objects.create(system=system, name="Small", folder="somewhere", digest="0" * 64)
    report = {"view": "x", "payload": {}, "data_version": 1, "software_version": "1"}
    Report.objects.create(system=system, title="Report", **report)


def _delete(person: Person, slug: str = "small") -> JobOutcome:
    job_id = delete_system(access=access_to(person.principal, slug), typed=slug)
    return run_job(job_id=job_id, kinds=KINDS, stop=StopRequest())


@slowly
def test_everything_of_the_system_goes_and_a_trace_stays(
    alice: Person, system: System, sent: list[int]
) -> None:
    """Rows that belong to nobody else go too; metrics belong to all."""
    _fill(system)
    assert _delete(alice) is JobOutcome.DONE
    assert not System.objects.exists()
    assert {model.__name__: model.objects.count() for model in _OF_A_SYSTEM if model.objects.exists()} == {}
    assert not Environment.objects.exists()
    assert not SourceText.objects.exists()
    assert Metric.objects.exists()
    entry = AuditEntry.objects.get(action="delete system")
    assert (entry.actor, entry.system_slug, entry.details["runs"]) == ("alice", "small", 32)
    assert Job.objects.get().result["rows"] > 100


@slowly
def test_other_systems_keep_what_they_share_with_it(alice: Person, system: System, sent: list[int]) -> None:
    """The same machine and the same source text, used by two systems."""
    _fill(system)
    other = System.objects.create(slug="other", name="Other", visible=True)
    Configuration.objects.create(system=other, identity="0" * 64)
    Workload.objects.create(system=other, name="regular")
    measure_everything(other, add_revisions(other, ["1.0"]))
    revision, region = Revision.objects.get(system=other), Region.objects.get(system=other)
    RegionVersion.objects.create(region=region, revision=revision, source=SourceText.objects.get())
    before = Run.objects.filter(batch__system=other).count()
    assert _delete(alice) is JobOutcome.DONE
    assert Run.objects.filter(batch__system=other).count() == Run.objects.count() == before
    assert RegionVersion.objects.get().source is not None
    assert Environment.objects.count() == 1


@slowly
def test_it_goes_on_where_it_was_interrupted(
    alice: Person, system: System, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that others might share are remembered: by then nothing tells which they were."""
    _fill(system)
    monkeypatch.setattr(batches, "_TAKEN_AWAY", 10)
    stop, chunks = StopRequest(), []
    really = JobContext.check

    def check(context: JobContext) -> None:
        chunks.append(context.job_id)
        if len(chunks) == 12:
            stop.request()
        really(context)

    monkeypatch.setattr(JobContext, "check", check)
    job_id = delete_system(access=access_to(alice.principal, "small"), typed="small")
    assert run_job(job_id=job_id, kinds=KINDS, stop=stop) is JobOutcome.INTERRUPTED
    assert 0 < RegionMeasurement.objects.count() + Run.objects.count() < 64
    RegionVersion.objects.all().delete()
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    assert not System.objects.exists()
    assert not SourceText.objects.exists()


@slowly
def test_it_is_gone_at_once_and_its_name_is_free(
    alice: Person, system: System, sent: list[int], operator: Principal
) -> None:
    """Whoever looks sees nothing, although no row has been taken away yet; a new system may have its name."""
    _fill(system)
    job_id = delete_system(access=access_to(alice.principal, "small"), typed="small")
    assert sent == [job_id]
    with pytest.raises(NotFound):
        preview_deletion(access=access_to(operator, "small"))
    assert find_target(operator, "Small") is None
    System.objects.create(slug="small", name="Small", visible=True)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    assert System.objects.get().slug == "small"


@slowly
def test_a_job_that_comes_twice_deletes_nothing_else(alice: Person, system: System, sent: list[int]) -> None:
    """Its system is gone already."""
    assert _delete(alice) is JobOutcome.DONE
    job = Job.objects.create(
        kind=deleting.DeletingRequest.kind, title="again", by_operator=True, parameters={"system": system.pk}
    )
    assert run_job(job_id=job.pk, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE


@quickly
def test_the_preview_counts_what_goes(alice: Person, system: System) -> None:
    """In people's words; what there is none of is left out."""
    _fill(system)
    assert preview_deletion(access=access_to(alice.principal, "small")) == {
        "runs": 32,
        "measurements of regions": 16,
        "configurations": 4,
        "revisions": 2,
        "regions": 1,
        "performance models": 2,
        "histories": 14,
        "workloads": 1,
        "reports": 1,
        "jobs": 1,
    }


@quickly
@pytest.mark.parametrize("typed", ["", "Small", "smal"])
def test_the_slug_must_be_typed(alice: Person, system: System, typed: str) -> None:
    """A name that is only like it deletes nothing."""
    with pytest.raises(Refused, match="type small"):
        delete_system(access=access_to(alice.principal, "small"), typed=typed)
    assert System.objects.get().visible


@quickly
@pytest.mark.parametrize("state", ["queued", "running"])
def test_an_active_job_is_not_pulled_from_under(alice: Person, system: System, state: str) -> None:
    """It would go on writing."""
    lease = {"lease_expires_at": system.created_at} if state == "running" else {}
    Job.objects.create(kind="measure", title="Measure", system=system, state=state, **lease)
    with pytest.raises(Refused, match="1 job of it is active"):
        delete_system(access=access_to(alice.principal, "small"), typed="small")
    assert System.objects.get().visible


@quickly
def test_an_import_under_way_is_not_pulled_from_under(alice: Person, system: System) -> None:
    """Its batch is marked while it is written."""
    add_batch(system, state=Batch.State.WRITING, manifest={"writer": "a:1:2:b"})
    with pytest.raises(Refused, match="an import writes"):
        delete_system(access=access_to(alice.principal, "small"), typed="small")


@quickly
def test_only_admins_delete(bob: Person, vera: Person, charlie: Person, system: System) -> None:
    """Editors and viewers are refused; strangers learn nothing."""
    for person, refused in ((bob, Forbidden), (vera, Forbidden), (charlie, NotFound)):
        with pytest.raises(refused):
            preview_deletion(access=access_to(person.principal, "small"))
        with pytest.raises(refused):
            delete_system(access=access_to(person.principal, "small"), typed="small")
    assert System.objects.get().visible
