"""What a machine sends is stored once, and only if it is what was asked for."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from dashboard.access import Access, Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Batch, Environment, Job, Machine, MachineSubject, RegionMeasurement, Run, System
from dashboard.services.imports.errors import FileRefused
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.machines.claims import receive_runs, take
from dashboard.services.machines.local_jobs import runs_of
from dashboard.services.measuring import MeasuringRequest, start_measuring
from tests.people import create_person

# A job that fails closes its connection.
pytestmark = pytest.mark.django_db(transaction=True)

REPETITIONS = 2


@pytest.fixture
def access(tiny: str) -> Access:
    """The operator's access to Tiny."""
    return access_to(Principal.operator(), tiny)


@pytest.fixture
def sent_file(access: Access, tmp_path: Path) -> Path:
    """What a machine measured of the default configuration: as it has another database, nothing of it is here."""
    asked = MeasuringRequest(asked_by="https://perf.example.org 1", repetitions=REPETITIONS, profile=True)
    job_id = start_measuring(access=access, request=asked)
    assert run_job(job_id=job_id, kinds=KINDS) is JobOutcome.DONE
    file = tmp_path / "runs.zip"
    with runs_of(job_id) as path:
        file.write_bytes(path.read_bytes())
    Batch.objects.all().delete()
    access.system.configurations.all().delete()
    Environment.objects.all().delete()
    return file


@pytest.fixture
def rack(access: Access, sent_file: Path) -> Machine:
    """A machine of the environment that the file was measured in."""
    owner = create_person("bob")
    owner.user.is_superuser = True
    owner.user.save()
    machine = Machine.objects.create(name="rack", owner=owner.user, token_digest="1" * 64)
    MachineSubject.objects.create(
        machine=machine,
        system=access.system,
        digest=System.objects.get(pk=access.system.pk).subject.digest,
        environment=_environment(sent_file),
        environment_name="rack",
    )
    return machine


def _environment(file: Path) -> str:
    (found,) = json.loads(zipfile.ZipFile(file).read("environments.json"))
    return str(found["digest"])


def _asked(access: Access, machine: Machine, **asked: Any) -> tuple[Job, str]:
    """A job that the machine has taken, and its claim."""
    environment = machine.subjects.get().environment
    request = MeasuringRequest(environment=environment, repetitions=REPETITIONS, **asked)
    job = Job.objects.get(pk=start_measuring(access=access, request=request))
    taken = take(machine=machine)
    assert taken is not None
    assert taken.job_id == job.pk
    return job, taken.claim


def _send(machine: Machine, claim: str, file: Path) -> int:
    return receive_runs(machine=machine, claim=claim, name="runs.zip", parts=[file.read_bytes()])


def test_runs_are_stored_once_and_told_as_any(access: Access, rack: Machine, sent_file: Path) -> None:
    """Sent twice under one claim, and stored twice by a worker that died after the import, they are there once."""
    job, claim = _asked(access, rack)
    assert {_send(rack, claim, sent_file) for _ in range(2)} == {job.pk}
    assert run_job(job_id=job.pk, kinds=KINDS) is JobOutcome.DONE
    assert _send(rack, claim, sent_file) == job.pk
    job.refresh_from_db()
    assert job.result["runs"]["ok"] == REPETITIONS
    runs = Run.objects.filter(batch__system=access.system)
    assert sorted(runs.values_list("kind", flat=True)) == ["plain", "plain", "profiled", "profiled"]
    assert RegionMeasurement.objects.filter(run__in=runs).exists()
    batch = job.checkpoint["batch"]
    assert set(runs.values_list("batch_id", flat=True)) == {batch}
    Job.objects.filter(pk=job.pk).update(state="queued", checkpoint=job.checkpoint | {"batch": 0})
    run_job(job_id=job.pk, kinds=KINDS)
    assert runs.count() == 2 * REPETITIONS


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"configurations": ("fast=on",)}, "configuration"),
        ({"workload": "small"}, "workload"),
    ],
)
def test_what_was_not_asked_for_is_not_stored(
    access: Access, rack: Machine, sent_file: Path, asked: dict[str, Any], words: str
) -> None:
    job, claim = _asked(access, rack, **asked)
    _send(rack, claim, sent_file)
    assert run_job(job_id=job.pk, kinds=KINDS) is JobOutcome.FAILED
    job.refresh_from_db()
    assert f"it holds the {words}" in job.message
    assert not Run.objects.exists()


def test_another_environment_is_not_stored(access: Access, rack: Machine, sent_file: Path) -> None:
    rack.subjects.update(environment="0" * 16)
    job, claim = _asked(access, rack)
    _send(rack, claim, sent_file)
    assert run_job(job_id=job.pk, kinds=KINDS) is JobOutcome.FAILED
    assert not Run.objects.exists()


def test_a_file_that_is_no_bundle_is_told_at_once(access: Access, rack: Machine, tmp_path: Path) -> None:
    job, claim = _asked(access, rack)
    file = tmp_path / "evil.zip"
    file.write_bytes(b"no zip")
    with pytest.raises(FileRefused):
        _send(rack, claim, file)
    job.refresh_from_db()
    assert (job.state, job.owner) == ("running", claim)
