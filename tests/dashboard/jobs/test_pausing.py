"""A job is laid aside and goes on from where it stood: nothing is lost, and nobody takes it up in between."""

from typing import Any

import pytest

from dashboard.access import Forbidden, NotFound, Principal, Refused
from dashboard.models import Job, System
from dashboard.services.jobs.context import JobContext, StopRequest
from dashboard.services.jobs.leases import claim
from dashboard.services.jobs.queueing import request_cancel, request_pause, resume
from dashboard.services.jobs.reaping import reap
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.dashboard.jobs.processes import wait_until
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


def state(job_id: int) -> str:
    """How the job is."""
    return Job.objects.get(pk=job_id).state


def test_a_running_job_pauses_keeps_its_checkpoint_and_goes_on_when_resumed(
    job_id: int, operator: Principal, sent: list[int]
) -> None:
    """It is asked to pause in its second step; resumed, it does the third one."""
    steps: list[int] = []

    def kind(context: JobContext) -> dict[str, Any]:
        for step in range(context.checkpoint.get("step", 0), 3):
            steps.append(step)
            context.save_checkpoint({"step": step + 1})
            if step == 1:
                request_pause(principal=operator, job_id=job_id)
                wait_until(context.cancelled, "the job hears of it")
            context.check()
        return {}

    def run() -> JobOutcome:
        return run_job(job_id=job_id, kinds={"test": kind}, stop=StopRequest())

    assert run() is JobOutcome.PAUSED
    assert (state(job_id), steps) == ("paused", [0, 1])
    assert reap(everything=True) == 0
    assert run() is JobOutcome.NOT_CLAIMED
    resume(principal=operator, job_id=job_id)
    assert sent == [job_id]
    assert run() is JobOutcome.DONE
    assert steps == [0, 1, 2]


def test_a_waiting_job_pauses_at_once_and_a_paused_one_can_be_cancelled(
    job_id: int, operator: Principal, sent: list[int]
) -> None:
    request_pause(principal=operator, job_id=job_id)
    assert state(job_id) == "paused"
    assert claim(job_id=job_id) is None
    request_cancel(principal=operator, job_id=job_id)
    assert state(job_id) == "cancelled"
    assert sent == []


def test_a_request_to_pause_is_taken_back_before_it_is_heard(job_id: int, operator: Principal) -> None:
    assert claim(job_id=job_id) is not None
    request_pause(principal=operator, job_id=job_id)
    assert Job.objects.get(pk=job_id).pause_requested
    resume(principal=operator, job_id=job_id)
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.pause_requested) == ("running", False)


def test_a_job_whose_worker_died_while_it_was_to_pause_is_paused(
    job_id: int, operator: Principal, sent: list[int]
) -> None:
    """The reaper does not send it again."""
    assert claim(job_id=job_id) is not None
    request_pause(principal=operator, job_id=job_id)
    Job.objects.filter(pk=job_id).update(lease_expires_at="2020-01-01T00:00:00Z")
    reap()
    assert (state(job_id), sent) == ("paused", [])


@pytest.mark.parametrize("ended", ["cancelled", "failed"])
def test_an_ended_job_goes_on_if_it_got_somewhere(
    job_id: int, operator: Principal, sent: list[int], ended: str
) -> None:
    """From its checkpoint; without one there is nothing to go on from."""
    Job.objects.filter(pk=job_id).update(state=ended, cancel_requested=True, attempt=3)
    with pytest.raises(Refused, match="start it again"):
        resume(principal=operator, job_id=job_id)
    Job.objects.filter(pk=job_id).update(checkpoint={"step": 1})
    resume(principal=operator, job_id=job_id)
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.cancel_requested, job.attempt, sent) == ("queued", False, 0, [job_id])


def test_a_job_that_is_done_is_not_resumed(job_id: int, operator: Principal) -> None:
    Job.objects.filter(pk=job_id).update(state="done", checkpoint={"step": 1})
    with pytest.raises(Refused, match="it is done"):
        resume(principal=operator, job_id=job_id)


def test_pausing_and_resuming_need_the_right_to_edit(
    system: System, bob: Person, vera: Person, charlie: Person, sent: list[int]
) -> None:
    """A viewer is told so; a stranger sees no job."""
    job_id = Job.objects.create(kind="test", title="A test", system=system).pk
    for act in (request_pause, resume):
        with pytest.raises(Forbidden):
            act(principal=vera.principal, job_id=job_id)
        with pytest.raises(NotFound):
            act(principal=charlie.principal, job_id=job_id)
    request_pause(principal=bob.principal, job_id=job_id)
    assert state(job_id) == "paused"
