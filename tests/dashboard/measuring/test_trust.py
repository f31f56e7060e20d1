"""What is built is named by the subject's own source: names that came in with files are never run, nor made a path."""

import importlib
from pathlib import Path

import pytest
from django.apps import apps

from dashboard.access import Principal, access_to
from dashboard.importers.bundle.writing import write_bundle
from dashboard.importers.records import OrderRecord, RevisionRecord, SystemRecords
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Membership, OrderPosition, Run, System
from dashboard.services.imports.importing import import_file
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import (
    register_subject,
    registered_subject,
    runner_state,
    store_revisions,
    stored_revisions,
)
from tests.dashboard.measuring.tiny import TOML, write_subject
from tests.people import create_person
from tests.runner.throwaway import write_wheel

pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db(transaction=True)]

RELEASES = TOML.replace(
    'source = "folder"\npath = "program"', 'source = "pypi"\npackage = "tiny-thing"'
).replace('regions = ["tiny"]', 'regions = ["entry"]')
ENTRY = "def run(options, workload):\n    return sum(range(workload['size']))\n"


@pytest.fixture
def releases(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> str:
    """The slug of a subject whose one release, 1.0, comes from a folder of wheels."""
    wheels = runner_state().folder("wheels")
    write_wheel(wheels, "1.0")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    folder = write_subject(tmp_path / "tiny", toml=RELEASES, entry=ENTRY)
    slug = register_subject(principal=operator, folder=folder)
    store_revisions(access=access_to(operator, slug), subject=registered_subject(slug=slug))
    return slug


@pytest.fixture
def editor(releases: str) -> Principal:
    """Somebody who may edit the system in the browser, and owns no account of the machine."""
    person = create_person("mallory")
    system = System.objects.get(slug=releases)
    Membership.objects.create(system=system, user=person.user, role=Membership.Role.EDITOR)
    return person.principal


@pytest.fixture
def trap(machine: Path, releases: str, editor: Principal, tmp_path: Path) -> str:
    """The name of a revision that the editor imported as the newest: a folder whose package leaves a mark when built."""
    folder = machine / "trap"
    folder.mkdir(mode=0o777, exist_ok=True)
    folder.chmod(0o777)
    package = folder / "package"
    package.mkdir(exist_ok=True)
    setup = f"from setuptools import setup\nopen({str(folder / 'mark')!r}, 'w').close()\nsetup(name='tiny-thing')\n"
    (package / "setup.py").write_text(setup)
    name = str(folder)
    records = SystemRecords(
        revisions=(RevisionRecord(name=name),), orders=(OrderRecord(name="releases", places={name: 6001}),)
    )
    write_bundle(records, tmp_path / "attack.zip")
    import_file(
        principal=editor,
        format_name="bundle",
        path=tmp_path / "attack.zip",
        system_name="Tiny",
    )
    assert OrderPosition.objects.filter(revision__name=name, position=6001).exists()
    return name


def _start(principal: Principal, slug: str, *revisions: str) -> int:
    request = MeasuringRequest(configurations=("default",), revisions=revisions, repetitions=1, profile=False)
    return start_measuring(access=access_to(principal, slug), request=request)


def _is_marked(machine: Path) -> bool:
    return (machine / "trap" / "mark").exists()


def test_an_imported_name_is_no_revision_of_the_subject(releases: str, trap: str, editor: Principal) -> None:
    """Neither by its name nor as the newest one."""
    known = stored_revisions(slug=releases, subject=registered_subject(slug=releases))
    assert [revision.identifier for revision in known] == ["1.0"]
    with pytest.raises(RequestInvalid, match="is no revision of this subject"):
        _start(editor, releases, trap)


def test_the_newest_revision_is_the_newest_that_the_source_listed(
    machine: Path, releases: str, trap: str, editor: Principal
) -> None:
    job_id = _start(editor, releases, "latest")
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    assert set(Run.objects.values_list("revision__name", "status")) == {("1.0", "ok")}
    assert not _is_marked(machine)


def test_listing_again_does_not_take_over_what_was_imported(
    releases: str, trap: str, operator: Principal
) -> None:
    store_revisions(access=access_to(operator, releases), subject=registered_subject(slug=releases))
    assert set(OrderPosition.objects.values_list("revision__name", "listed")) == {
        ("1.0", True),
        (trap, False),
    }


def test_a_name_that_is_no_version_is_built_by_nobody(
    machine: Path, releases: str, trap: str, editor: Principal
) -> None:
    """Even where the database says that the source had listed it: the job fails, and nothing of it was run."""
    OrderPosition.objects.filter(revision__name=trap).update(listed=True)
    job_id = _start(editor, releases, "latest")
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.FAILED
    assert "no version of a release" in Job.objects.get(pk=job_id).error
    assert not Run.objects.exists()
    assert not _is_marked(machine)


def test_places_of_an_earlier_version_are_listed_where_their_names_can_mean_nothing_else(
    releases: str, trap: str
) -> None:
    """A version of the subject's package is looked up in its index; a path waits for a listing that never names it."""
    OrderPosition.objects.update(listed=False)
    migration = importlib.import_module("dashboard.migrations.0002_listed_positions")
    migration.mark_listed(apps, None)
    assert set(OrderPosition.objects.values_list("revision__name", "listed")) == {
        ("1.0", True),
        (trap, False),
    }
