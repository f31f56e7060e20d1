"""What can go wrong around a job that measures real commits: it says what and what to do, and nothing is lost."""

import errno
import subprocess
from pathlib import Path

import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Run
from dashboard.selectors.histories.next_revisions import propose
from dashboard.selectors.histories.series import list_series
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.queueing import resume
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.subjects import register_subject
from dashboard.services.tracking import loop
from dashboard.services.tracking.loop import TrackingRequest, start_tracking
from tests.dashboard.measuring.stepper import ENTRY, SUBJECT
from tests.runner.throwaway import git

pytestmark = [
    pytest.mark.once,
    pytest.mark.usefixtures("machine", "sent"),
    pytest.mark.django_db(transaction=True),
]

PROGRAM = "# {number}\n\n\ndef work():\n    return {number}\n"


def write_commits(folder: Path, count: int, toml: str = SUBJECT) -> Path:
    """The folder of a subject whose program has so many commits, each with code of its own."""
    program = folder / "program"
    program.mkdir(parents=True)
    (folder / "subject.toml").write_text(toml)
    (folder / "entry.py").write_text(ENTRY)
    git(program, "init", "--initial-branch", "main")
    for number in range(count):
        (program / "stepper.py").write_text(PROGRAM.format(number=number))
        git(program, "add", ".")
        git(program, "commit", "-m", f"c{number}")
    return folder


@pytest.fixture(autouse=True)
def unconfirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run side by side: the programs are equal, and telling that takes whatever budget there is."""
    monkeypatch.setattr(loop, "to_confirm", lambda *_: ())


def started(operator: Principal, folder: Path) -> int:
    """A queued tracking of the subject in a folder, one run of each revision; there is time also on a busy machine."""
    slug = register_subject(principal=operator, folder=folder)
    request = TrackingRequest(repetitions=1, budget_seconds=600.0)
    return start_tracking(access=access_to(operator, slug), request=request)


def run(job_id: int) -> JobOutcome:
    """Run the job here."""
    return run_job(job_id=job_id, kinds=KINDS, stop=StopRequest())


def test_a_repository_that_vanished_fails_the_job_and_no_revision(
    operator: Principal, tmp_path: Path
) -> None:
    """Back again, the job goes on and measures all of it."""
    folder = write_commits(tmp_path / "stepper", 2)
    job_id = started(operator, folder)
    (folder / "program").rename(tmp_path / "moved")
    assert run(job_id) is JobOutcome.FAILED
    assert "there is no repository at program: bring it back" in Job.objects.get(pk=job_id).message
    assert not Run.objects.exists()
    (tmp_path / "moved").rename(folder / "program")
    resume(principal=operator, job_id=job_id)
    assert run(job_id) is JobOutcome.DONE
    assert Job.objects.get(pk=job_id).result["outcomes"] == {"measured": 2}
    assert set(Run.objects.values_list("status", flat=True)) == {"ok"}


# Git and builds go wrong; jobs that fail and go on are asked of both databases by the other tests here.
def test_a_shallow_clone_is_tracked_as_far_as_it_goes_and_said(operator: Principal, tmp_path: Path) -> None:
    """Two commits of three are in it."""
    whole = write_commits(tmp_path / "whole", 3)
    folder = write_commits(tmp_path / "shallow", 0)
    (folder / "program" / ".git").rename(folder / "unused")
    (folder / "program").rmdir()
    address = (whole / "program").as_uri()
    subprocess.run(["git", "clone", "--quiet", "--depth", "2", address, str(folder / "program")], check=True)
    job_id = started(operator, folder)
    assert run(job_id) is JobOutcome.DONE
    job = Job.objects.get(pk=job_id)
    assert job.result["outcomes"] == {"measured": 2}
    assert "git fetch --unshallow" in "\n".join(job.log_lines.values_list("text", flat=True))


# Likewise.
def test_a_build_that_hangs_is_a_gap_with_its_log_and_its_neighbour_is_measured(
    operator: Principal, tmp_path: Path
) -> None:
    """The middle one of five hangs until its time limit; nobody proposes it again."""
    hanging = 'echo waiting; if grep -q "^# 2$" stepper.py; then sleep 60; fi'
    toml = SUBJECT.replace(
        "pip_install = false",
        f"pip_install = false\ntimeout_seconds = 5\ncommands = [['sh', '-c', '{hanging}']]",
    )
    job_id = started(operator, write_commits(tmp_path / "stepper", 5, toml))
    assert run(job_id) is JobOutcome.DONE
    assert Job.objects.get(pk=job_id).result["outcomes"]["not built"] == 1
    gap = Run.objects.get(status=Run.Status.TIMEOUT)
    assert gap.revision.message == "c2"
    assert "took longer than its time limit" in gap.message
    assert "waiting" in gap.output_tail
    series = next(
        row for row in list_series(system=access_to(operator, "stepper").system) if row.clock == "cpu"
    )
    found = propose(system=access_to(operator, "stepper").system, series_id=series.series_id)
    assert gap.revision.name not in {row.place.name for row in found.rows}
    assert found.unbuildable == 1
    measured = set(Run.objects.filter(status="ok").values_list("revision__message", flat=True))
    assert {"c0", "c4"} < measured
    assert measured & {"c1", "c3"}


@pytest.mark.parametrize("place", ["run_executor.execute", "subject_jobs.prepare"])
def test_a_full_disk_fails_the_job_and_no_revision(
    operator: Principal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """It says where room is needed; with room, the job goes on."""
    job_id = started(operator, write_commits(tmp_path / "stepper", 2))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(f"dashboard.services.measuring.{place}", full)
        assert run(job_id) is JobOutcome.FAILED
    assert "no room is left on the disk" in Job.objects.get(pk=job_id).message
    assert not Run.objects.exists()
    resume(principal=operator, job_id=job_id)
    assert run(job_id) is JobOutcome.DONE
    assert Job.objects.get(pk=job_id).result["outcomes"] == {"measured": 2}
