"""kill -9 in the middle of tracking and of bisecting: no run is lost, and none is made twice."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Batch, Job, Run
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.reaping import reap
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.subjects import register_subject
from dashboard.services.tracking.bisecting import BisectingRequest, start_bisecting
from dashboard.services.tracking.loop import TrackingRequest, start_tracking
from tests.dashboard.jobs.processes import ROOT, environment, wait_until
from tests.dashboard.measuring.stepper import ENTRY, SUBJECT, write_commits

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = """
import sys, django
django.setup()
from dashboard.job_kinds import KINDS
from dashboard.services.jobs.running import run_job
run_job(job_id=int(sys.argv[1]), kinds=KINDS)
"""
REPETITIONS = 3


@pytest.fixture
def slug(tmp_path: Path, operator: Principal, machine: Path, sent: list[int]) -> str:
    """A program of four commits that becomes twenty times as slow at the third one: so much shows on a busy machine, too."""
    folder = tmp_path / "stepper"
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(SUBJECT)
    (folder / "entry.py").write_text(ENTRY)
    turns = (100_000, 100_000, 2_000_000, 2_000_000)
    write_commits(
        program,
        (
            ("stepper.py", f"# {number}\n\n\ndef work():\n    return sum(i * i for i in range({times}))\n")
            for number, times in enumerate(turns)
        ),
    )
    return register_subject(principal=operator, folder=folder)


def killed_after(runs: int, job_id: int, machine: Path, tmp_path: Path) -> list[int]:
    """The ids of the runs that a worker stored before it was killed, as soon as there were so many."""
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER, str(job_id)],
        cwd=ROOT,
        env=environment(PERFATLAS_VAR=str(machine), TMPDIR=str(tmp_path)),
    )
    try:
        wait_until(
            lambda: worker.poll() is not None or Run.objects.count() >= runs, f"{runs} runs are stored"
        )
        assert worker.poll() is None, "the worker ended by itself"
    finally:
        worker.kill()
        worker.wait()
    assert Job.objects.get(pk=job_id).state == "running"
    assert reap() == 1
    return sorted(Run.objects.values_list("pk", flat=True))


def finish(job_id: int) -> None:
    """Run what is left of the job here."""
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE


def assert_each_run_once(before: list[int]) -> None:
    """The runs from before the kill are there, and no run has the same name as another."""
    assert set(before) <= set(Run.objects.values_list("pk", flat=True))
    names = Counter(Run.objects.values_list("revision__name", "configuration_id", "repetition"))
    assert set(names.values()) == {1}
    assert Batch.objects.count() == 1


@pytest.mark.slow("some thirty runs, a process each: it also confirms what it found")
def test_tracking_goes_on_in_the_middle_of_a_choice(
    slug: str, operator: Principal, machine: Path, tmp_path: Path
) -> None:
    """Killed after the first run of the second choice: it is finished first, and stands in the trail once."""
    request = TrackingRequest(repetitions=REPETITIONS)
    job_id = start_tracking(access=access_to(operator, slug), request=request)
    before = killed_after(REPETITIONS + 1, job_id, machine, tmp_path)
    finish(job_id)
    assert_each_run_once(before)
    trail = Batch.objects.get().manifest["trail"]
    assert [step["outcome"] for step in trail] == ["measured"] * len(trail)
    # The other runs confirm the changes side by side, one for each lot.
    confirming = len(Job.objects.get(pk=job_id).checkpoint["lots"])
    assert Run.objects.count() == REPETITIONS * len(trail) + confirming
    assert [step["reason"].split()[1] for step in trail[:2]] == ["first", "last"]


def test_bisecting_goes_on_with_the_runs_that_were_made(
    slug: str, operator: Principal, machine: Path, tmp_path: Path
) -> None:
    """Killed while the ends are measured: the runs count, and the step is found."""
    request = BisectingRequest(before="first", after="latest")
    job_id = start_bisecting(access=access_to(operator, slug), request=request)
    before = killed_after(4, job_id, machine, tmp_path)
    finish(job_id)
    assert_each_run_once(before)
    assert "c2 changed the time by +" in Job.objects.get(pk=job_id).result["sentence"]
