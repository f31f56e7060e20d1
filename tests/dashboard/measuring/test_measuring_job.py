"""A measuring job runs a real subject: what works is stored, what fails is recorded, nothing is measured twice."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import (
    Job,
    Measurement,
    PerformanceModel,
    RegionMeasurement,
    RegionVersion,
    Revision,
    Run,
    RunCallPaths,
    Series,
)
from dashboard.selectors.influences import influences
from dashboard.selectors.jobs import active_in
from dashboard.selectors.model_rows import Selection
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.machine_lock import measuring_alone
from dashboard.services.jobs.queueing import request_cancel
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import preview_measuring
from dashboard.services.subjects import register_subject, registered_subject, store_revisions
from runner import executions
from tests.dashboard.jobs.processes import wait_until
from tests.dashboard.measuring.tiny import write_commits, write_subject

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]


def _start(slug: str, *configurations: str, revisions: str = "latest", repetitions: int = 1) -> int:
    request = MeasuringRequest(
        configurations=configurations or ("default",), revisions=(revisions,), repetitions=repetitions
    )
    return start_measuring(access=access_to(Principal.operator(), slug), request=request)


def _run(job_id: int, stop: StopRequest | None = None) -> JobOutcome:
    return run_job(job_id=job_id, kinds=KINDS, stop=stop or StopRequest())


def _log(job_id: int) -> str:
    return "\n".join(Job.objects.get(pk=job_id).log_lines.values_list("text", flat=True))


def test_what_works_is_measured_and_what_fails_or_hangs_is_recorded(tiny: str, operator: Principal) -> None:
    """One configuration raises, one hangs: both are kept with the reason, the others are measured all the same."""
    job_id = _start(tiny, "default", "fast=on", "mode=broken", "mode=hanging")
    assert _run(job_id) is JobOutcome.DONE
    runs = {
        (run.kind, run.configuration.assignments.get("mode", "good")): run
        for run in Run.objects.select_related("configuration").order_by("-pk")
    }
    broken, hanging = runs["plain", "broken"], runs["plain", "hanging"]
    assert (broken.status, broken.message) == ("failed", "ValueError: the mode is broken")
    assert "about to fail" in broken.output_tail
    assert (hanging.status, hanging.message) == ("timeout", "took longer than its time limit of 5 s")
    assert runs["plain", "good"].environment_id == broken.environment_id == hanging.environment_id
    job = Job.objects.get(pk=job_id)
    assert job.result["runs"] == {"ok": 2, "failed": 1, "timeout": 1, "killed": 0}
    assert "the mode is broken" in _log(job_id)
    assert Measurement.objects.filter(run__kind="plain", run__status="ok").count() == 4
    assert RegionMeasurement.objects.filter(region__key="program").count() == 2
    for one in RunCallPaths.objects.all():
        held = sum(seconds for *_, seconds in one.paths.nodes) + one.paths.cut_seconds
        measured = RegionMeasurement.objects.filter(run=one.run, region__is_program=False)
        assert held == pytest.approx(sum(measured.values_list("value", flat=True)))
    assert set(RunCallPaths.objects.values_list("run__kind", "run__status")) == {("profiled", "ok")}
    assert RunCallPaths.objects.count() == 2
    version = RegionVersion.objects.get(region__name="doubled")
    assert version.source is not None
    assert "2 * number" in version.source.text
    assert PerformanceModel.objects.get().options == ["fast"]
    found = influences(system=access_to(operator, tiny).system, selection=Selection())
    assert found.base_time.value > 0


def test_a_revision_that_cannot_be_built_is_recorded_and_the_others_are_measured(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    """The end of the build's log stands with the first of its runs."""
    slug = register_subject(principal=operator, folder=write_commits(tmp_path / "tiny"))
    job_id = start_measuring(
        access=access_to(operator, slug),
        request=MeasuringRequest(revisions=("v1..v2",), repetitions=2, profile=False),
        look_again=True,
    )
    assert _run(job_id) is JobOutcome.DONE
    assert set(Run.objects.filter(revision__message="v2").values_list("status", flat=True)) == {"ok"}
    failed = Run.objects.filter(revision__message="v1").order_by("pk")
    assert [run.status for run in failed] == ["failed", "failed"]
    assert all(run.message.startswith("revision cannot be built: sh -c") for run in failed)
    assert ["building" in run.output_tail for run in failed] == [True, False]
    assert Run.objects.values("environment").distinct().count() == 1
    assert not Series.objects.exists()


def test_revisions_are_named_by_their_ids_too(
    machine: Path, sent: list[int], tmp_path: Path, operator: Principal
) -> None:
    """From a screen that shows stored revisions to the job: nothing is written out and read again on the way."""
    slug = register_subject(principal=operator, folder=write_commits(tmp_path / "tiny"))
    store_revisions(access=access_to(operator, slug), subject=registered_subject(slug=slug))
    second = Revision.objects.get(message="v2")
    request = MeasuringRequest(revision_ids=(second.pk,), repetitions=1, profile=False)
    assert preview_measuring(access=access_to(operator, slug), request=request).revisions == 1
    job_id = start_measuring(access=access_to(operator, slug), request=request)
    assert Job.objects.get(pk=job_id).parameters["revision_ids"] == [second.pk]
    assert [row.id for row in active_in(access=access_to(operator, slug), revision=second.name)] == [job_id]
    assert _run(job_id) is JobOutcome.DONE
    assert set(Run.objects.values_list("revision_id", "status")) == {(second.pk, "ok")}


def test_an_interrupted_job_goes_on_and_measures_nothing_twice(
    tiny: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is told to end after the first run; the next one makes the rest, into the same batch."""
    stop, made = StopRequest(), []

    def execute(prepared: Any, run: Any, **others: Any) -> Any:
        made.append((run.configuration, run.repetition))
        execution = executions.execute(prepared, run, **others)
        if len(made) == 2:
            stop.request()
        return execution

    monkeypatch.setattr("dashboard.services.measuring.run_executor.execute", execute)
    job_id = _start(tiny, "only=fast", repetitions=2)
    assert _run(job_id, stop) is JobOutcome.INTERRUPTED
    assert Run.objects.filter(kind="plain").count() == 1
    assert _run(job_id) is JobOutcome.DONE
    assert Run.objects.filter(kind="plain").count() == 4
    assert Run.objects.values("batch").distinct().count() == 1
    # The second one was under way when the worker had to end: it is the only one that was begun again.
    assert len(made) == 5
    assert len(set(made)) == 4


def test_a_cancelled_job_stops_a_hanging_run_and_keeps_what_was_measured(
    tiny: str, operator: Principal
) -> None:
    """What was under way leaves nothing."""
    job_id = _start(tiny, "default", "mode=hanging", repetitions=3)

    def cancel() -> None:
        try:
            wait_until(lambda: "hanging" in Job.objects.get(pk=job_id).message, "a hanging run is under way")
            request_cancel(principal=operator, job_id=job_id)
        finally:
            connection.close()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    assert _run(job_id) is JobOutcome.CANCELLED
    canceller.join()
    assert Job.objects.get(pk=job_id).state == "cancelled"
    assert not Run.objects.filter(status="killed").exists()


def test_a_subject_that_outlived_its_worker_is_waited_for(tiny: str) -> None:
    """It holds the machine's lock, which it was given; the job says that it waits, and then goes on."""
    with measuring_alone(StopRequest(), waits=lambda: None) as lock:
        assert lock is not None
        left = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(lock,))
    job_id = _start(tiny)

    def end() -> None:
        try:
            wait_until(lambda: "waiting" in Job.objects.get(pk=job_id).message, "the job waits")
        finally:
            left.communicate(b"\n")
            connection.close()

    ending = threading.Thread(target=end)
    ending.start()
    assert _run(job_id) is JobOutcome.DONE
    ending.join()


def test_a_subject_that_changed_since_it_was_registered_is_not_run(tiny: str, tmp_path: Path) -> None:
    """What was registered is what may run: the job fails and says what to do."""
    job_id = _start(tiny)
    write_subject(tmp_path / "tiny", entry="def run(options, workload):\n    return 1\n")
    assert _run(job_id) is JobOutcome.FAILED
    assert "has changed since it was registered" in Job.objects.get(pk=job_id).message
    assert not Run.objects.exists()


def test_measuring_the_same_again_adds_runs_and_widens_the_same_points(tiny: str) -> None:
    """Two jobs are two batches; nothing of the first is taken for the second."""
    assert _run(_start(tiny)) is JobOutcome.DONE
    assert _run(_start(tiny)) is JobOutcome.DONE
    assert Run.objects.filter(kind="plain", status="ok").count() == 2
    assert Run.objects.values("batch").distinct().count() == 2
