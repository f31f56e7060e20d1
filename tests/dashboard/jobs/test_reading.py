"""What people see of jobs, on the page and in the terminal."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from dashboard.access import NotFound, Principal
from dashboard.management.job_output import state_in_words, time_in_words
from dashboard.models import Job, JobLogLine, Membership, System
from dashboard.pages.components.text import about
from dashboard.selectors.jobs import active_jobs, follow_job, job_detail, list_jobs
from tests.people import Person, create_person

pytestmark = pytest.mark.django_db


def _job(**fields: Any) -> Job:
    if fields.get("state") == "running":
        fields.setdefault("lease_expires_at", timezone.now() + timedelta(seconds=30))
    return Job.objects.create(**({"kind": "test", "title": "A test"} | fields))


def test_members_see_the_jobs_of_their_systems(
    system: System, vera: Person, charlie: Person, operator: Principal
) -> None:
    """And their own; a stranger sees neither, the operator all."""
    of_system = _job(system=system)
    own = _job(created_by=charlie.user)
    _job()
    assert [row.id for row in list_jobs(principal=vera.principal)] == [of_system.pk]
    assert [row.id for row in list_jobs(principal=charlie.principal)] == [own.pk]
    assert len(list_jobs(principal=operator)) == 3
    assert list_jobs(principal=Principal(user_id=None, name="nobody")) == ()
    with pytest.raises(NotFound):
        job_detail(principal=charlie.principal, job_id=of_system.pk)


def test_a_system_lists_its_own_jobs(system: System, vera: Person, charlie: Person) -> None:
    """Newest first, each once however many members there are; not to strangers."""
    jobs = [_job(system=system, created_by=vera.user).pk for _ in range(3)]
    _job(created_by=vera.user)
    for number in range(3):
        Membership.objects.create(system=system, user=create_person(f"u{number}").user, role="viewer")
    assert [row.id for row in list_jobs(principal=vera.principal, system=system)] == jobs[::-1]
    assert [row.id for row in list_jobs(principal=vera.principal, system=system, limit=2)] == jobs[:0:-1]
    assert list_jobs(principal=charlie.principal, system=system) == ()


def test_the_creator_sees_the_job_of_a_system_that_is_still_hidden(system: System, bob: Person) -> None:
    """The first measurement runs before there is anything to show."""
    System.objects.update(visible=False)
    job = _job(system=system, created_by=bob.user)
    assert job_detail(principal=bob.principal, job_id=job.pk).system_slug == "small"


def test_running_jobs_come_before_waiting_ones(operator: Principal) -> None:
    """Ended ones are left out."""
    waiting, running = _job(), _job(state="running")
    _job(state="done")
    rows = active_jobs(principal=operator)
    assert [(row.id, row.active) for row in rows] == [(running.pk, True), (waiting.pk, True)]


def test_a_list_takes_one_query(
    system: System, bob: Person, django_assert_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    """However long it is."""
    for _ in range(5):
        _job(system=system, created_by=bob.user)
    with django_assert_num_queries(1):
        assert len(list_jobs(principal=bob.principal)) == 5


def test_log_lines_come_bit_by_bit(operator: Principal) -> None:
    """A page asks for what is new since the last line it has."""
    job = _job()
    lines = [JobLogLine.objects.create(job=job, text=f"line {number}").pk for number in range(4)]
    JobLogLine.objects.create(job=_job(), text="another job's")
    detail = job_detail(principal=operator, job_id=job.pk, after_line=lines[1])
    assert [line.text for line in detail.lines] == ["line 2", "line 3"]
    assert [line.text for line in job_detail(principal=operator, job_id=job.pk, limit=1).lines] == ["line 0"]


def test_the_time_left_shrinks_since_the_last_report(operator: Principal) -> None:
    """Where it is over and the job is not, an eighth of what has passed is left; nothing is promised for a job that does not run."""
    now = timezone.now()
    job = _job(state="running", progress=0.5, seconds_left=100.0, progress_at=now - timedelta(seconds=40))
    left = job_detail(principal=operator, job_id=job.pk).remaining_seconds
    assert left is not None
    assert 0.0 < left <= 60.0
    Job.objects.update(progress_at=now - timedelta(seconds=400))
    assert job_detail(principal=operator, job_id=job.pk).remaining_seconds == pytest.approx(50.0, abs=1.0)
    Job.objects.update(state="queued")
    assert job_detail(principal=operator, job_id=job.pk).remaining_seconds is None


def test_following_a_job_ends_with_it(operator: Principal) -> None:
    """Every line comes once, also those written with the end."""
    job = _job()
    following = follow_job(principal=operator, job_id=job.pk, poll_seconds=0.0)
    JobLogLine.objects.create(job=job, text="begun")
    texts = [line.text for line in next(following).lines]
    JobLogLine.objects.create(job=job, text="the end")
    Job.objects.update(state="done")
    details = list(following)
    texts += [line.text for detail in details for line in detail.lines]
    assert texts == ["begun", "the end"]
    assert details[-1].state == "done"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "queued"),
        ({"state": "failed", "message": "no disk"}, "failed: no disk"),
        ({"state": "running", "started_at": timezone.now(), "progress": 0.424}, "running, 42 %"),
        ({"state": "running", "cancel_requested": True, "message": "m"}, "running, stops soon: m"),
    ],
)
def test_a_state_in_words(operator: Principal, fields: dict[str, Any], words: str) -> None:
    """One line for the terminal."""
    assert state_in_words(job_detail(principal=operator, job_id=_job(**fields).pk)) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.0, "1 s"), (59.4, "59 s"), (61.0, "1 min"), (5000.0, "83 min"), (7200.0, "2 h")],
)
def test_a_time_in_words(seconds: float, words: str) -> None:
    """Rough, as an estimate is, and as a page says it."""
    assert time_in_words(seconds) == words
    assert about(seconds).replace("\N{NO-BREAK SPACE}", " ") == f"about {words}"


def test_jobs_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """List, show, cancel."""
    job = _job()
    JobLogLine.objects.bulk_create(JobLogLine(job=job, text="a line") for _ in range(1001))
    call_command("jobs", "list")
    assert capsys.readouterr().out.split() == [str(job.pk), "A", "test:", "queued"]
    call_command("jobs", "cancel", str(job.pk))
    assert capsys.readouterr().out == "cancelled\n"
    call_command("jobs", "show", str(job.pk))
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 1002, "the state, and all lines"
    assert shown[1].endswith(" a line")
    call_command("jobs", "list", "--json")
    assert json.loads(capsys.readouterr().out)["state"] == "cancelled"


def test_following_a_failed_job_in_the_terminal_fails(capsys: pytest.CaptureFixture[str]) -> None:
    """Progress and log on standard error, exit code 1; an unknown job is bad input, 2."""
    job = _job(state="failed", message="no disk", error="Traceback ...")
    with pytest.raises(CommandError) as failed:
        call_command("jobs", "show", str(job.pk), "--follow", "--json")
    assert failed.value.returncode == 1
    output = capsys.readouterr()
    assert json.loads(output.out)["message"] == "no disk"
    assert output.err == "failed: no disk\n"
    with pytest.raises(CommandError, match="no job 987654") as unknown:
        call_command("jobs", "show", "987654")
    assert unknown.value.returncode == 2
