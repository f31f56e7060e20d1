"""kill -9 in the middle of tracking and of bisecting: no run is lost, and none is made twice."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
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
from tests.dashboard.measuring.stepper import ENTRY, SUBJECT, commit_of, hold_times_steady, write_commits

pytestmark = pytest.mark.django_db(transaction=True)

WORKER = """
import sys, django
django.setup()
from dashboard.job_kinds import KINDS
from dashboard.services.jobs.running import run_job
from dashboard.services.measuring import run_executor
from tests.dashboard.measuring.stepper import steady_execution
run_executor.execute = steady_execution(sys.argv[2:])
run_job(job_id=int(sys.argv[1]), kinds=KINDS)
"""
REPETITIONS = 3


@dataclass(frozen=True)
class Killable:
    """A registered program of which jobs are killed, and where the worker does its part of them."""

    slug: str
    slow: list[str]
    machine: Path
    scratch: Path

    def killed_after(self, runs: int, job_id: int) -> list[int]:
        """The ids of the runs that a worker stored before it was killed, as soon as there were so many."""
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(job_id), *self.slow],
            cwd=ROOT,
            env=environment(PERFATLAS_VAR=str(self.machine), TMPDIR=str(self.scratch)),
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


@pytest.fixture
def killable(
    tmp_path: Path, operator: Principal, machine: Path, sent: list[int], monkeypatch: pytest.MonkeyPatch
) -> Killable:
    """A program of four commits that becomes fifteen times as slow at the third one, on a busy machine, too."""
    folder = tmp_path / "stepper"
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(SUBJECT)
    (folder / "entry.py").write_text(ENTRY)
    write_commits(program, (("stepper.py", f"def work():\n    return {number}\n") for number in range(4)))
    hold_times_steady(monkeypatch, folder, 2)
    slow = [commit_of(folder, number) for number in (2, 3)]
    return Killable(register_subject(principal=operator, folder=folder), slow, machine, tmp_path)


def finish(job_id: int) -> None:
    """Run what is left of the job here."""
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE


def assert_each_run_once(before: list[int]) -> None:
    """The runs from before the kill are there, and no run has the same name as another."""
    assert set(before) <= set(Run.objects.values_list("pk", flat=True))
    names = Counter(Run.objects.values_list("revision__name", "configuration_id", "repetition"))
    assert set(names.values()) == {1}
    assert Batch.objects.count() == 1


def test_tracking_goes_on_in_the_middle_of_a_choice(killable: Killable, operator: Principal) -> None:
    """Killed after the first run of the second choice: it is finished first, and stands in the trail once."""
    request = TrackingRequest(repetitions=REPETITIONS)
    job_id = start_tracking(access=access_to(operator, killable.slug), request=request)
    before = killable.killed_after(REPETITIONS + 1, job_id)
    finish(job_id)
    assert_each_run_once(before)
    trail = Batch.objects.get().manifest["trail"]
    assert [step["outcome"] for step in trail] == ["measured"] * len(trail)
    # The other runs confirm the changes side by side, one for each lot.
    confirming = len(Job.objects.get(pk=job_id).checkpoint["lots"])
    assert Run.objects.count() == REPETITIONS * len(trail) + confirming
    assert [step["reason"].split()[1] for step in trail[:2]] == ["first", "last"]


def test_bisecting_goes_on_with_the_runs_that_were_made(killable: Killable, operator: Principal) -> None:
    """Killed while the ends are measured: the runs count, and the step is found."""
    request = BisectingRequest(before="first", after="latest")
    job_id = start_bisecting(access=access_to(operator, killable.slug), request=request)
    before = killable.killed_after(4, job_id)
    finish(job_id)
    assert_each_run_once(before)
    assert "c2 changed the time by +" in Job.objects.get(pk=job_id).result["sentence"]
