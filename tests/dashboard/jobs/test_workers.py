"""Jobs survive the death of their workers: real workers, a real broker, kill -9."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import LazySettings

from dashboard.access import Principal
from dashboard.models import Job
from dashboard.services.jobs.memory import memory_megabytes, too_large
from dashboard.services.jobs.queueing import enqueue, request_cancel, send
from dashboard.services.jobs.reaping import reap
from tests.dashboard.jobs.processes import wait_until
from tests.dashboard.jobs.requests import CountRequest, DieRequest, MeasuringCountRequest, TakeRequest

pytestmark = pytest.mark.django_db(transaction=True)

Worker = Callable[..., subprocess.Popen[bytes]]


def _count(operator: Principal, file: Path, *, steps: int, seconds: float, queue: str = "default") -> int:
    request = MeasuringCountRequest if queue == "measure" else CountRequest
    return enqueue(operator, request(steps=steps, seconds=seconds, file=str(file)), title="Count")


def _state(job_id: int) -> str:
    return Job.objects.get(pk=job_id).state


def _steps(job_id: int) -> int:
    return int(Job.objects.get(pk=job_id).checkpoint.get("step", 0))


def test_a_job_runs_to_its_end(worker: Worker, operator: Principal, tmp_path: Path) -> None:
    """The message reaches a worker; result, progress and state reach the row."""
    worker()
    job_id = _count(operator, tmp_path / "steps", steps=3, seconds=0.0)
    wait_until(lambda: _state(job_id) == "done", "the job is done")
    job = Job.objects.get(pk=job_id)
    assert (job.progress, job.result, job.message) == (1.0, {"resumed_at": 0}, "step 3 of 3")
    assert (tmp_path / "steps").read_text().split() == ["0", "1", "2"]


def _is_resumed_after_kill(worker: Worker, operator: Principal, file: Path) -> None:
    first = worker()
    job_id = _count(operator, file, steps=30, seconds=0.1)
    wait_until(lambda: _steps(job_id) >= 3, "the job got to step 3")
    first.kill()
    first.wait()
    reached = _steps(job_id)
    assert reap() == 1
    worker()
    wait_until(lambda: _state(job_id) == "done", "the job is done")
    job = Job.objects.get(pk=job_id)
    assert job.result == {"resumed_at": reached}
    texts = list(job.log_lines.values_list("text", flat=True))
    assert texts[0] == "the worker died or fell silent; the job waits to be resumed"
    assert texts[1].startswith("resumed at ")
    done = [int(step) for step in file.read_text().split()]
    # The step at which it was killed may have run twice; none was left out, no other ran again.
    assert sorted(set(done)) == list(range(30))
    assert len(done) <= 31


def test_a_job_is_resumed_after_kill_9(worker: Worker, operator: Principal, tmp_path: Path) -> None:
    """Another worker goes on from the checkpoint of the one that was killed."""
    _is_resumed_after_kill(worker, operator, tmp_path / "steps")


@pytest.mark.redis
def test_a_job_is_resumed_after_kill_9_with_redis(
    redis_url: str, worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """The same with Redis, which itself would give the message back only much later."""
    _is_resumed_after_kill(worker, operator, tmp_path / "steps")


def test_a_worker_that_is_told_to_end_gives_its_job_back(
    worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """SIGTERM: the job goes back to the queue without the reaper, and does not count as a failed attempt."""
    first = worker()
    job_id = _count(operator, tmp_path / "steps", steps=30, seconds=0.1)
    wait_until(lambda: _steps(job_id) >= 3, "the job got to step 3")
    first.send_signal(signal.SIGTERM)
    assert first.wait(timeout=180) == 0
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.owner, job.attempt) == ("queued", "", 0)
    worker()
    wait_until(lambda: _state(job_id) == "done", "the job is done")
    assert [int(step) for step in (tmp_path / "steps").read_text().split()] == list(range(30))


def test_a_job_that_kills_its_workers_is_given_up(
    worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """After three deaths at the same place the job fails, and the worker that finds out survives."""
    job_id = enqueue(operator, DieRequest(file=str(tmp_path / "deaths")), title="Die")
    for _ in range(3):
        assert worker().wait(timeout=180) == -signal.SIGKILL
        assert reap() == 1
    last = worker()
    wait_until(lambda: _state(job_id) == "failed", "the job was given up")
    assert last.poll() is None
    assert (tmp_path / "deaths").read_text().split() == ["died"] * 3
    assert "the worker ended 3 times" in Job.objects.get(pk=job_id).message


def test_duplicate_messages_run_a_job_once(worker: Worker, operator: Principal, tmp_path: Path) -> None:
    """Two workers and four messages for each of five jobs: every step runs once."""
    jobs = [_count(operator, tmp_path / f"{number}", steps=4, seconds=0.02) for number in range(5)]
    for job_id in jobs * 3:
        send(job_id=job_id, queue="default")
    worker()
    worker()
    wait_until(lambda: {_state(job_id) for job_id in jobs} == {"done"}, "all jobs are done")
    last = _count(operator, tmp_path / "last", steps=1, seconds=0.0)
    wait_until(lambda: _state(last) == "done", "the duplicates before it were taken")
    for number in range(5):
        assert (tmp_path / f"{number}").read_text().split() == ["0", "1", "2", "3"]


def test_messages_of_jobs_that_are_gone_are_passed_over(
    worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """A message without a row, or of a finished job, disturbs nothing."""
    send(job_id=987654, queue="default")
    finished = Job.objects.create(kind="count", title="Finished", state=Job.State.DONE, result={"a": 1})
    send(job_id=finished.pk, queue="default")
    job_id = _count(operator, tmp_path / "steps", steps=1, seconds=0.0)
    worker()
    wait_until(lambda: _state(job_id) == "done", "the job is done")
    assert Job.objects.get(pk=finished.pk).result == {"a": 1}


def test_a_running_job_is_cancelled(worker: Worker, operator: Principal, tmp_path: Path) -> None:
    """The request reaches the job in another process, which stops at its next report."""
    worker()
    job_id = _count(operator, tmp_path / "steps", steps=2000, seconds=0.05)
    wait_until(lambda: _steps(job_id) >= 1, "the job runs")
    request_cancel(principal=operator, job_id=job_id)
    wait_until(lambda: _state(job_id) == "cancelled", "the job is cancelled")
    job = Job.objects.get(pk=job_id)
    assert list(job.log_lines.values_list("text", flat=True)) == ["cancelled"]
    assert 1 <= job.checkpoint["step"] < 2000


def test_measuring_jobs_run_one_at_a_time_on_a_machine(
    worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """Two workers of the queue `measure`, two jobs: one waits for the other."""
    worker("measure")
    worker("measure")
    file = tmp_path / "steps"
    for _ in range(2):
        _count(operator, file, steps=10, seconds=0.05, queue="measure")
    wait_until(lambda: Job.objects.filter(state="done").count() == 2, "both jobs are done")
    assert [int(step) for step in file.read_text().split()] == [*range(10), *range(10)]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems know the limit and do not hold it")
def test_a_job_that_needs_too_much_memory_fails_and_the_worker_lives_on(
    worker: Worker, operator: Principal, tmp_path: Path
) -> None:
    """A file of a gigabyte ends neither the jobs of others nor the database beside."""
    worker(PERFATLAS_WORKER_MEMORY_MB="1024")
    too_much = enqueue(operator, TakeRequest(megabytes=1536), title="Take")
    wait_until(lambda: _state(too_much) == "failed", "the job failed")
    assert Job.objects.get(pk=too_much).message.startswith("it needs more memory than the 1,024 MB that")
    next_one = _count(operator, tmp_path / "steps", steps=1, seconds=0.0)
    wait_until(lambda: _state(next_one) == "done", "the same worker went on")
    assert not Job.objects.filter(attempt__gt=1).exists()


def test_a_worker_may_take_three_quarters_of_the_machine_where_nothing_is_set(settings: LazySettings) -> None:
    settings.WORKER_MEMORY_MB = None
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 20)
    assert memory_megabytes() == max(4096, int(0.75 * there))
    settings.WORKER_MEMORY_MB = 2048
    assert memory_megabytes() == 2048


def test_where_there_is_no_limit_none_is_told(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that measures is not held to the setting, so it must not blame it."""
    settings.WORKER_MEMORY_MB = 2048
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert too_large().startswith("it needs more memory than this machine has:")
