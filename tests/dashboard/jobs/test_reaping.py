"""The reaper takes jobs back from the dead and sends lost messages again, neither too early nor for ever."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from dashboard.models import Job
from dashboard.services.jobs.leases import new_owner
from dashboard.services.jobs.reaping import reap

pytestmark = pytest.mark.django_db

ELSEWHERE = "0123456789ab:1:1:abcd"


def _ago(seconds: float) -> datetime:
    return timezone.now() - timedelta(seconds=seconds)


def _running(owner: str, lease_seconds: float, **fields: Any) -> Job:
    return Job.objects.create(
        kind="test",
        title="A test",
        state="running",
        owner=owner,
        attempt=1,
        lease_expires_at=timezone.now() + timedelta(seconds=lease_seconds),
        **fields,
    )


def _dead_owner() -> str:
    machine, pid, start, claimed = new_owner().split(":")
    return f"{machine}:{pid}:{int(start) - 1}:{claimed}"


@pytest.mark.parametrize("everything", [False, True])
def test_living_jobs_are_left_alone(sent: list[int], everything: bool) -> None:  # noqa: FBT001 -- a parameter of the test
    """Here and elsewhere: a lease that holds is respected."""
    here, elsewhere = _running(new_owner(), 30), _running(ELSEWHERE, 30)
    assert reap(everything=everything) == 0
    assert [Job.objects.get(pk=job.pk).owner for job in (here, elsewhere)] == [here.owner, ELSEWHERE]
    assert sent == []


def test_a_silent_worker_elsewhere_loses_its_job(sent: list[int]) -> None:
    """Once the lease has run out; the row tells why."""
    job = _running(ELSEWHERE, -1, checkpoint={"step": 3})
    assert reap() == 1
    job.refresh_from_db()
    assert (job.state, job.owner, job.attempt, job.checkpoint) == ("queued", "", 1, {"step": 3})
    assert job.log_lines.get().text.startswith("the worker died or fell silent")
    assert sent == [job.pk]
    assert reap() == 0


def test_a_dead_worker_here_loses_its_job_at_once(sent: list[int]) -> None:
    """Nobody waits for a lease whose process is known to be gone."""
    job = _running(_dead_owner(), 30)
    assert reap() == 1
    assert sent == [job.pk]


def test_a_cancelled_job_of_a_dead_worker_ends(sent: list[int]) -> None:
    """It is not started again only to be stopped."""
    job = _running(ELSEWHERE, -1, cancel_requested=True)
    assert reap() == 0
    job.refresh_from_db()
    assert (job.state, sent) == ("cancelled", [])


def test_a_message_that_nobody_took_is_sent_again(sent: list[int], job_id: int) -> None:
    """After half a minute, and then not again at once."""
    assert reap() == 0
    Job.objects.update(sent_at=_ago(31), created_at=_ago(31))
    assert reap() == 1
    assert reap() == 0
    assert sent == [job_id]


def test_a_message_of_a_clock_that_was_ahead_is_sent_again(sent: list[int], job_id: int) -> None:
    """The clock was set back: nobody knows when it went out."""
    Job.objects.update(sent_at=_ago(-3600), created_at=_ago(-3600))
    assert reap() == 1
    assert sent == [job_id]
    assert reap() == 0


def test_an_old_job_is_sent_ever_more_rarely(sent: list[int], job_id: int) -> None:
    """Behind a long measurement the broker is not filled with duplicates."""
    Job.objects.update(created_at=_ago(4000), sent_at=_ago(900))
    assert reap() == 0
    Job.objects.update(sent_at=_ago(1100))
    assert reap() == 1


def test_after_a_start_every_waiting_job_is_sent(sent: list[int], job_id: int) -> None:
    """The embedded broker starts empty."""
    Job.objects.create(kind="test", title="Done", state="done")
    assert reap(everything=True) == 1
    assert sent == [job_id]


def test_the_command_reaps_once(sent: list[int], capsys: pytest.CaptureFixture[str]) -> None:
    """For installations whose workers run without `serve`."""
    _running(ELSEWHERE, -1)
    call_command("reap")
    assert capsys.readouterr().out == "1 messages sent\n"
