"""Bisecting by counts: two runs of each end, one of each revision that halves what is left, and the functions that moved."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from dashboard.access import Principal, access_to
from dashboard.job_kinds import KINDS
from dashboard.models import Job, Run
from dashboard.services.jobs.context import StopRequest
from dashboard.services.jobs.running import JobOutcome, run_job
from dashboard.services.measuring.plans import RequestInvalid
from dashboard.services.subjects import register_subject
from dashboard.services.tracking.bisecting import BisectingRequest, start_bisecting
from tests.dashboard.measuring.test_counts import PROGRAM
from tests.dashboard.measuring.tiny import TOML, write_subject

pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db(transaction=True)]

ODD = PROGRAM.replace("if number % 4:", "if odd(number):") + "\n\ndef odd(number):\n    return number % 4\n"


def written(folder: Path, programs: list[str]) -> Path:
    """The subject as a repository with a commit of each program, tagged v0, v1, ..."""
    toml = TOML.replace('source = "folder"\npath = "program"', 'source = "git"\nrepository = "program"')
    program = write_subject(folder, toml=toml) / "program"

    def git(*words: str) -> None:
        author = ("-c", "user.name=T", "-c", "user.email=t@example.org")
        subprocess.run(["git", "-C", str(program), *author, *words], check=True, capture_output=True)

    git("init", "--quiet")
    for number, text in enumerate(programs):
        (program / "tiny.py").write_text(f"{text}\nNUMBER = {number}\n", encoding="utf-8")
        git("add", "--all")
        git("commit", "--quiet", "-m", f"commit {number}")
        git("tag", f"v{number}")
    return folder


def searched(folder: Path, programs: list[str], **asked: Any) -> Job:
    slug = register_subject(principal=Principal.operator(), folder=written(folder, programs))
    asked = {"before": "first", "after": "latest", "workload": "small", "metric": "work", **asked}
    request = BisectingRequest.model_validate(asked)
    job_id = start_bisecting(access=access_to(Principal.operator(), slug), request=request)
    assert run_job(job_id=job_id, kinds=KINDS, stop=StopRequest()) is JobOutcome.DONE
    return Job.objects.get(pk=job_id)


def test_the_commit_and_its_functions_are_named_after_few_single_runs(
    machine: Path, sent: list[int], tmp_path: Path
) -> None:
    job = searched(tmp_path / "tiny", [PROGRAM] * 3 + [ODD] * 3)
    assert len(job.result["suspects"]) == 1
    assert "commit 3 changed the work by +47.619" in job.result["sentence"]
    assert "tiny:odd +10" in job.result["sentence"]
    assert job.result["error_probability"] == 0.0
    assert Run.objects.count() <= 4 + 3


def test_equal_counts_say_what_cannot_have_changed(machine: Path, sent: list[int], tmp_path: Path) -> None:
    job = searched(tmp_path / "tiny", [PROGRAM] * 3)
    assert job.result["suspects"] == []
    assert "they are equal in every function" in job.result["sentence"]
    assert Run.objects.count() == 4


def test_counts_that_differ_from_run_to_run_tell_nothing(
    machine: Path, sent: list[int], tmp_path: Path
) -> None:
    """Also where only one end does: a program that counts what time it is."""
    import_time = "import time\n" + PROGRAM.replace(
        "range(size)", "range(size + time.time_ns() // 1000 % 997)"
    )
    job = searched(tmp_path / "tiny", [PROGRAM, import_time])
    assert job.result["suspects"] == []
    assert "counts of this program differ from run to run" in job.result["sentence"]
    assert "(tiny:doubled by " in job.result["sentence"]


# Counts of runs, each a process; the search is asked of both databases above.
def test_functions_whose_counts_scatter_are_left_out_where_others_tell(
    machine: Path, sent: list[int], tmp_path: Path
) -> None:
    """A clock decides in a small function; the change is elsewhere."""
    ticking = "import time\n\n\ndef tick():\n    if time.time_ns() // 1000 % 2:\n        return\n    return\n"
    programs = [
        f"{ticking}\n{program}".replace("total = 0", "total = 0\n    for _ in range(999):\n        tick()")
        for program in (PROGRAM, PROGRAM, ODD)
    ]
    job = searched(tmp_path / "tiny", programs, workload="regular")
    assert "commit 2 changed the work by " in job.result["sentence"]
    assert "left out, for they differ from run to run: tiny:tick" in job.result["sentence"]


def test_a_budget_that_is_spent_leaves_the_revisions_that_may_have_done_it(
    machine: Path, sent: list[int], tmp_path: Path
) -> None:
    job = searched(tmp_path / "tiny", [PROGRAM] * 3 + [ODD] * 3, budget_seconds=0.01)
    assert len(job.result["suspects"]) == 5
    assert "error_probability" not in job.result
    assert "one of 5 revisions from" in job.result["sentence"].replace("\xa0", " ")
    assert "give a larger --budget" in job.result["sentence"]
    assert Run.objects.count() == 4


def test_an_accepted_error_of_counts_is_refused(machine: Path, sent: list[int], tmp_path: Path) -> None:
    with pytest.raises(RequestInvalid, match="has no noise") as caught:
        searched(tmp_path / "tiny", [PROGRAM, ODD], error=0.05)
    assert caught.value.field == "error"


def test_a_metric_that_the_subject_does_not_have_is_refused(
    machine: Path, sent: list[int], tmp_path: Path
) -> None:
    slug = register_subject(principal=Principal.operator(), folder=written(tmp_path / "tiny", [PROGRAM, ODD]))
    request = BisectingRequest(before="first", after="latest", workload="small", metric="instructions")
    with pytest.raises(RequestInvalid, match="write work"):
        start_bisecting(access=access_to(Principal.operator(), slug), request=request)
