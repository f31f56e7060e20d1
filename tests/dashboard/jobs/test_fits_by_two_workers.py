"""The parts of a job of fits are shared by two real workers, one of which gets `kill -9`: nothing is lost or doubled."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dashboard.access import Principal, access_to
from dashboard.models import HistoryFit, Job
from dashboard.selectors.jobs import list_jobs
from dashboard.services.histories.fit_jobs import queue_fits
from dashboard.services.histories.fits import fit_system
from dashboard.services.imports.importing import import_file
from dashboard.services.jobs.reaping import reap
from tests.dashboard.importers import asv_sample as sample
from tests.dashboard.jobs.processes import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
Worker = Callable[..., subprocess.Popen[bytes]]


def stored() -> list[dict[str, Any]]:
    """All fits, without what tells when and as which row they were stored."""
    columns = [
        field.attname
        for field in HistoryFit._meta.concrete_fields
        if field.attname not in ("id", "created_at")
    ]
    return [
        {name: bytes(value) if isinstance(value, memoryview) else value for name, value in row.items()}
        for row in HistoryFit.objects.order_by("series_id").values(*columns)
    ]


def test_two_workers_share_the_parts_and_what_a_killed_one_left_is_taken_again(
    worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """The killed one had the whole and a part of it. What is stored is what one process stores without parts."""
    path, file = sample.write(sample.stepped(), tmp_path), tmp_path / "parts"
    import_file(principal=operator, format_name="asv", path=path, system_name="Sorting")
    access = access_to(operator, "sorting")
    HistoryFit.objects.all().delete()
    fit_system(access=access)
    alone = stored()
    HistoryFit.objects.all().delete()
    file.touch()

    def begun() -> list[tuple[int, int]]:
        """Who began which part (process, job), in order."""
        lines = [line.split() for line in file.read_text().splitlines()]
        return [(int(process), int(part)) for process, part in lines]

    here = {"app": "tests.dashboard.jobs.fit_worker_app", "PERFATLAS_TEST_PARTS": str(file)}
    started = {process.pid: process for process in (worker(**here), worker(**here))}
    whole = queue_fits(access=access, series_of_part=2)
    assert whole is not None
    wait_until(lambda: len({process for process, _ in begun()}) == 2, "both workers took a part")
    owner = int(Job.objects.get(pk=whole).owner.split(":")[1])
    before = len(begun())
    wait_until(lambda: owner in dict(begun()[before:]), "the one with the whole began a part")
    started[owner].kill()
    started[owner].wait()
    torn = [part for process, part in begun() if process == owner][-1]
    assert Job.objects.get(pk=torn).state == Job.State.RUNNING

    def is_done() -> bool:
        reap()
        return Job.objects.get(pk=whole).state == Job.State.DONE

    wait_until(is_done, "the whole is done")
    parts = Job.objects.filter(parent_id=whole)
    assert set(parts.values_list("state", flat=True)) == {Job.State.DONE}
    # The torn one ran twice, the others once.
    assert sorted(part for _, part in begun()) == sorted([*parts.values_list("pk", flat=True), torn])
    assert stored() == alone
    assert Job.objects.get(pk=whole).result == {"fitted": len(alone), "faults": 0}
    assert [job.pk for job in list_jobs(principal=operator)] == [whole]
