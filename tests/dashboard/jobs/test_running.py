"""A job is run from claim to final state; every way it can end is written down."""

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import OperationalError, connection, transaction
from django.utils import timezone

from dashboard.access import Principal
from dashboard.models import Job, System
from dashboard.services.jobs import machine_lock
from dashboard.services.jobs.context import Cancelled, JobContext, Kind, LeaseLost, StopRequest
from dashboard.services.jobs.leases import claim
from dashboard.services.jobs.queueing import request_cancel
from dashboard.services.jobs.reaping import reap
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.dashboard.jobs.processes import wait_until
from tests.dashboard.test_full_disk import full_disk

pytestmark = pytest.mark.django_db(transaction=True)


def _run(job_id: int, kind: Kind, stop: StopRequest | None = None) -> JobOutcome:
    return run_job(job_id=job_id, kinds={"test": kind}, stop=stop or StopRequest())


def _log(job_id: int) -> list[str]:
    return list(Job.objects.get(pk=job_id).log_lines.values_list("text", flat=True))


def test_a_finished_job_keeps_its_result_and_log(job_id: int) -> None:
    """What was reported shortly before the end is not lost."""

    def kind(context: JobContext) -> dict[str, Any]:
        context.log("begun")
        context.progress(0.5, "half")
        return {"answer": 42}

    assert _run(job_id, kind) is JobOutcome.DONE
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.result, job.progress, job.message) == ("done", {"answer": 42}, 1.0, "half")
    assert job.started_at is not None
    assert job.finished_at is not None
    assert _log(job_id) == ["begun"]


def test_progress_and_log_are_seen_while_the_job_runs(job_id: int) -> None:
    """The heartbeat writes them, with the time left, although the job itself never touches the database."""

    def kind(context: JobContext) -> dict[str, Any]:
        context.log("begun")
        context.progress(0.25, "a quarter")
        wait_until(lambda: Job.objects.get(pk=job_id).progress, "the progress is seen")
        job = Job.objects.get(pk=job_id)
        assert (job.progress, job.message) == (0.25, "a quarter")
        assert job.seconds_left is not None
        assert _log(job_id) == ["begun"]
        return {}

    assert _run(job_id, kind) is JobOutcome.DONE


def test_the_lease_of_a_silent_job_is_renewed(job_id: int, settings: LazySettings) -> None:
    """A job that computes without reporting anything is not taken for dead."""
    settings.JOB_LEASE_SECONDS = 1

    def kind(_: JobContext) -> dict[str, Any]:
        first = Job.objects.get(pk=job_id).lease_expires_at
        assert first is not None
        wait_until(lambda: timezone.now() > first, "the first lease is over")
        assert claim(job_id=job_id) is None
        return {}

    assert _run(job_id, kind) is JobOutcome.DONE


def test_a_failure_is_kept_with_the_end_of_its_traceback(job_id: int) -> None:
    """Message for the list, traceback for who repairs it, log up to there."""

    def kind(context: JobContext) -> dict[str, Any]:
        context.log("begun")
        raise ValueError("the 17th file is empty")

    assert _run(job_id, kind) is JobOutcome.FAILED
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.message) == ("failed", "the 17th file is empty")
    assert job.error.endswith("ValueError: the 17th file is empty\n")
    assert "in kind" in job.error
    assert _log(job_id) == ["begun", "failed: the 17th file is empty"]


def test_a_kind_that_nobody_knows_fails(job_id: int) -> None:
    """The message names the kinds that there are."""
    assert run_job(job_id=job_id, kinds={"other": lambda _: {}}, stop=StopRequest()) is JobOutcome.FAILED
    assert Job.objects.get(pk=job_id).message == "there is no kind of job 'test'; known: other"


@pytest.mark.parametrize("result", [{"x": float("nan")}, {"x": {1, 2}}])
def test_a_result_that_no_row_can_hold_fails_the_job(job_id: int, result: dict[str, Any]) -> None:
    """It is the kind's fault, and is said so instead of losing the job."""
    assert _run(job_id, lambda _: result) is JobOutcome.FAILED


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_progress_is_a_share(job_id: int, share: float) -> None:
    """A wrong share is refused where it is reported."""

    def kind(context: JobContext) -> dict[str, Any]:
        context.progress(share)
        return {}

    assert _run(job_id, kind) is JobOutcome.FAILED
    assert "report a share from 0 to 1" in Job.objects.get(pk=job_id).message


def test_a_job_hears_of_its_cancellation(job_id: int, operator: Principal) -> None:
    """Polling tells it, and the next report ends it."""

    def kind(context: JobContext) -> dict[str, Any]:
        assert not context.cancelled()
        request_cancel(principal=operator, job_id=job_id)
        wait_until(context.cancelled, "the job hears of it")
        with pytest.raises(Cancelled):
            context.progress(0.5)
        context.check()
        return {}

    assert _run(job_id, kind) is JobOutcome.CANCELLED
    assert Job.objects.get(pk=job_id).state == "cancelled"


def test_a_job_hears_that_it_was_taken_over(job_id: int) -> None:
    """It stops, and the new owner's row is untouched."""

    def kind(context: JobContext) -> dict[str, Any]:
        Job.objects.filter(pk=job_id).update(owner="somebody else")
        wait_until(context.cancelled, "the job hears of it")
        context.log("never seen")
        with pytest.raises(LeaseLost):
            context.check()
        return {}

    assert _run(job_id, kind) is JobOutcome.LOST
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.owner, _log(job_id)) == ("running", "somebody else", [])


def test_a_deleted_job_stops(job_id: int) -> None:
    """Deleting a system deletes its jobs, also the one that runs."""

    def kind(context: JobContext) -> dict[str, Any]:
        Job.objects.filter(pk=job_id).delete()
        wait_until(context.cancelled, "the job hears of it")
        context.check()
        return {}

    assert _run(job_id, kind) is JobOutcome.LOST


def test_an_interrupted_job_goes_on_at_its_checkpoint(job_id: int) -> None:
    """A worker that is about to end gives it back; that is no failed attempt."""
    stop = StopRequest()

    def kind(context: JobContext) -> dict[str, Any]:
        if context.checkpoint:
            return {"resumed_at": context.checkpoint["step"]}
        stop.request()
        context.save_checkpoint({"step": 3})
        return {}

    assert _run(job_id, kind, stop) is JobOutcome.INTERRUPTED
    assert Job.objects.get(pk=job_id).attempt == 0
    assert _run(job_id, kind, stop) is JobOutcome.INTERRUPTED  # such a worker takes no further job
    assert _run(job_id, kind) is JobOutcome.DONE
    assert Job.objects.get(pk=job_id).result == {"resumed_at": 3}


def test_ctrl_c_gives_a_job_back(job_id: int) -> None:
    """A job that runs at the command line is resumed by whoever comes next."""

    def kind(_: JobContext) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _run(job_id, kind)
    assert Job.objects.get(pk=job_id).state == "queued"


def test_a_failing_database_is_tried_three_times(job_id: int) -> None:
    """It may only have been restarted; the third failure is final."""

    def kind(_: JobContext) -> dict[str, Any]:
        raise OperationalError("the connection was closed")

    assert [_run(job_id, kind) for _ in range(3)] == [
        JobOutcome.GIVEN_BACK,
        JobOutcome.GIVEN_BACK,
        JobOutcome.FAILED,
    ]


def test_a_full_disk_fails_the_job_at_once_and_says_what_to_do(job_id: int) -> None:
    def kind(_: JobContext) -> dict[str, Any]:
        with full_disk(), transaction.atomic():
            Job.objects.update(title="")
        return {}

    assert _run(job_id, kind) is JobOutcome.FAILED
    assert "free some" in Job.objects.get(pk=job_id).message


def test_a_job_that_is_not_to_be_had_is_left_alone(job_id: int) -> None:
    """Messages of jobs that are gone, run elsewhere or have ended do nothing."""
    assert _run(job_id + 1, lambda _: {}) is JobOutcome.NOT_CLAIMED
    assert _run(job_id, lambda _: {}) is JobOutcome.DONE
    assert _run(job_id, lambda _: {"again": True}) is JobOutcome.NOT_CLAIMED
    assert Job.objects.get(pk=job_id).result == {}


class _OnceItWaits(StopRequest):
    """Is told to end as soon as a job says that it waits."""

    def __getattribute__(self, name: str) -> object:
        if name != "requested":
            return super().__getattribute__(name)
        return Job.objects.filter(message__startswith="waiting").exists()


def test_a_measuring_job_that_waits_for_the_machine_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not claimed meanwhile; when it runs, subjects can inherit the lock."""
    monkeypatch.setattr(machine_lock, "lock_path", lambda: tmp_path / "lock")
    job_id = Job.objects.create(kind="test", title="A test", by_operator=True, queue="measure").pk
    with machine_lock.measuring_alone(StopRequest(), waits=lambda: None):
        assert _run(job_id, lambda _: {}, _OnceItWaits()) is JobOutcome.INTERRUPTED
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.message) == ("queued", "waiting for another measurement on this machine to end")
    assert _run(job_id, lambda context: {"held": context.held}) is JobOutcome.DONE
    (descriptor,) = Job.objects.get(pk=job_id).result["held"]
    assert isinstance(descriptor, int)


def test_a_busy_database_does_not_cost_a_job_its_lease(job_id: int, settings: LazySettings) -> None:
    """Four writers and a reaper at work: the job is neither taken back nor are its reports lost."""
    settings.JOB_LEASE_SECONDS = 3
    ended = threading.Event()
    written = [0, 0, 0, 0]

    def write(number: int) -> None:
        while not ended.is_set():
            with transaction.atomic():
                System.objects.create(slug=f"s{number}-{written[number]}", name="System")
                System.objects.filter(slug__startswith=f"s{number}-").update(name="Other")
            written[number] += 1
            reap()
        connection.close()

    def kind(context: JobContext) -> dict[str, Any]:
        renewed = set()
        for share in range(200):
            context.progress(share / 200)
            context.log(f"line {share}")
            if share % 10 == 0:
                context.save_checkpoint({"share": share})
            renewed.add(Job.objects.get(pk=job_id).lease_expires_at)
            time.sleep(0.02)
        return {"renewed": len(renewed)}

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    try:
        assert _run(job_id, kind) is JobOutcome.DONE
    finally:
        ended.set()
        for writer in writers:
            writer.join()
    job = Job.objects.get(pk=job_id)
    assert (job.attempt, job.progress) == (1, 1.0)
    assert job.result["renewed"] > 1
    assert _log(job_id) == [f"line {share}" for share in range(200)]
    assert min(written) > 0
