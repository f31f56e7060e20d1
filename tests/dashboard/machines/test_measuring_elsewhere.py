"""Two measuring machines with data and accounts of their own, one of which is killed: everything is measured once."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings

from dashboard.access import Access, Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Batch, Job, MachineSubject, Membership, Run, System
from dashboard.selectors.machines import held_jobs
from dashboard.services.jobs.running import run_job
from dashboard.services.machines.registry import register_machine
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.subjects import register_subject, registered_subject, store_revisions
from tests.dashboard.jobs.processes import wait_until
from tests.dashboard.machines.processes import ROOT, new_machine, start_machine
from tests.people import create_person

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.once,
    pytest.mark.slow("two installations start, and each makes an environment"),
]

REPETITIONS = 20
NAMES = ("rack-1", "rack-2")


@pytest.fixture
def folder() -> Iterator[Path]:
    """That other accounts may enter; those of pytest are closed."""
    with tempfile.TemporaryDirectory(prefix="perfatlas-machines-") as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


@pytest.fixture
def hello(operator: Principal, machine: Path, sent: list[int]) -> str:
    """A subject of the project, registered here."""
    slug = register_subject(principal=operator, folder=ROOT / "subjects" / "hello")
    store_revisions(access=access_to(operator, slug), subject=registered_subject(slug=slug))
    return slug


def _start(access: Access, environment: str) -> None:
    """Two measurements, of a configuration each, for the machines."""
    for configurations in (("default",), ("stem=on",)):
        asked = MeasuringRequest(
            configurations=configurations,
            repetitions=REPETITIONS,
            profile=False,
            counts=False,
            environment=environment,
        )
        start_measuring(access=access, request=asked)


def _store_what_came() -> None:
    """What a worker of this installation does with runs that were sent."""
    for job_id in Job.objects.filter(state=Job.State.QUEUED, environment="").values_list("pk", flat=True):
        run_job(job_id=job_id, kinds=KINDS)


def _measuring() -> Job | None:
    """A job that a machine is in the middle of."""
    return held_jobs().filter(progress__gt=0.0, progress__lt=0.8).first()


def test_what_a_killed_machine_had_begun_is_measured_by_another_one(
    hello: str, folder: Path, live_server: Any, settings: LazySettings
) -> None:
    """Nothing is lost, and nothing is double."""
    settings.JOB_LEASE_SECONDS = 10
    bob = create_person("bob")
    system = System.objects.get(slug=hello)
    Membership.objects.create(system=system, user=bob.user, role=Membership.Role.EDITOR)
    machines = {}
    for number, name in enumerate(NAMES):
        made, secret = register_machine(principal=bob.principal, name=name)
        new_machine(folder / name, live_server.url, secret)
        machines[made.pk] = (folder / name, number)
    running = {pk: start_machine(*machines[pk], "--every", "0.3") for pk in machines}
    try:
        wait_until(lambda: MachineSubject.objects.count() == len(NAMES), "the machines say what they measure")
        (environment,) = set(MachineSubject.objects.values_list("environment", flat=True))
        _start(access_to(bob.principal, hello), environment)
        wait_until(_measuring, "a machine is in the middle of a job")
        begun = _measuring()
        assert begun is not None
        victim = int(begun.owner.split(":")[1])
        os.killpg(running[victim].pid, signal.SIGKILL)
        running.pop(victim).wait()

        def all_done() -> bool:
            _store_what_came()
            return Job.objects.filter(kind="measure", state=Job.State.DONE).count() == 2

        wait_until(all_done, "both jobs are done")
    finally:
        for process in running.values():
            process.terminate()
            assert process.wait(60) == 0
    runs = Run.objects.filter(batch__system=system, repetition__lte=REPETITIONS)
    assert runs.count() == 2 * REPETITIONS
    assert set(runs.values_list("environment__digest", flat=True)) == {environment}
    assert Batch.objects.filter(system=system, format="measure").count() == 2
    begun.refresh_from_db()
    takers = [line.text for line in begun.log_lines.all() if line.text.endswith("takes it")]
    assert takers == [f"{name} takes it" for name in (NAMES if victim == min(machines) else NAMES[::-1])]
