"""A job has one owner at a time, and only its owner writes to it."""

import os
import subprocess
import sys
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from dashboard.access import Principal
from dashboard.models import Job, System
from dashboard.services.jobs.context import JobContext, LeaseLost, StopRequest
from dashboard.services.jobs.heartbeat import Heartbeat
from dashboard.services.jobs.leases import Lease, claim, ended, is_gone, new_owner, requeued
from tests.dashboard.jobs.processes import ROOT, environment


def _expire(job_id: int) -> None:
    Job.objects.filter(pk=job_id).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def _context(lease: Lease) -> JobContext:
    return JobContext(lease, Heartbeat(lease), StopRequest(), sender=Principal.operator())


@pytest.fixture
def lease(job_id: int) -> Lease:
    """The first claim of the job."""
    claimed = claim(job_id=job_id)
    assert claimed is not None
    return claimed


@pytest.fixture
def taken_over(job_id: int, lease: Lease) -> Lease:
    """The second claim, after the first lease ran out."""
    _expire(job_id)
    second = claim(job_id=job_id)
    assert second is not None
    return second


def test_a_claimed_job_is_not_claimed_again(lease: Lease) -> None:
    """A live lease keeps others off."""
    assert claim(job_id=lease.job_id) is None


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_an_ended_job_is_not_claimed(job_id: int, state: str) -> None:
    """What has ended stays as it is."""
    Job.objects.filter(pk=job_id).update(state=state)
    assert claim(job_id=job_id) is None


def test_an_expired_lease_is_taken_over_with_its_checkpoint(lease: Lease) -> None:
    """The next owner counts as a further attempt and starts at the checkpoint."""
    _context(lease).save_checkpoint({"step": 7})
    _expire(lease.job_id)
    second = claim(job_id=lease.job_id)
    assert second is not None
    assert (second.job.attempt, second.job.checkpoint) == (2, {"step": 7})
    assert second.job.owner != lease.job.owner


def test_a_moved_checkpoint_starts_the_count_of_attempts_again(taken_over: Lease) -> None:
    """A job that gets on may be interrupted any number of times; one that stands still may not."""
    context = _context(taken_over)
    context.save_checkpoint({})
    assert Job.objects.get(pk=taken_over.job_id).attempt == 2
    context.save_checkpoint({"step": 1})
    assert Job.objects.get(pk=taken_over.job_id).attempt == 1


def test_the_loser_of_a_job_writes_nothing(lease: Lease, taken_over: Lease) -> None:
    """Progress, log, checkpoint and final state of the former owner do not reach the row."""
    assert not lease.write_with_log(["a line"], progress=0.9)
    assert not lease.write_with_log(["a line"], **ended(Job.State.DONE), result={"wrong": True})
    assert not lease.write_with_log(["a line"], **requeued(timezone.now()))
    with pytest.raises(LeaseLost):
        _context(lease).save_checkpoint({"wrong": True})
    job = Job.objects.get(pk=lease.job_id)
    assert (job.state, job.owner, job.progress) == ("running", taken_over.job.owner, 0.0)
    assert (job.checkpoint, job.result, job.log_lines.count()) == ({}, {}, 0)


def test_the_loser_of_a_job_commits_no_results(lease: Lease, taken_over: Lease) -> None:
    """A fenced transaction of the former owner fails before it writes; the new owner's goes through."""
    with pytest.raises(LeaseLost), _context(lease).fenced():
        System.objects.create(slug="wrong", name="Wrong")
    with _context(taken_over).fenced():
        System.objects.create(slug="right", name="Right")
    assert list(System.objects.values_list("slug", flat=True)) == ["right"]


def test_a_fenced_transaction_that_fails_leaves_no_checkpoint(lease: Lease) -> None:
    """Results and the checkpoint that counts them are stored together or not at all."""
    context = _context(lease)

    def write_half() -> None:
        with context.fenced():
            context.save_checkpoint({"step": 1})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        write_half()
    assert Job.objects.get(pk=lease.job_id).checkpoint == {}


@pytest.mark.django_db(transaction=True)
def test_of_many_threads_one_gets_the_job(job_id: int) -> None:
    """Eight threads claim at the same moment, five times over: each time exactly one succeeds."""
    for _ in range(5):
        Job.objects.filter(pk=job_id).update(state="queued", lease_expires_at=None)
        barrier = threading.Barrier(8)
        won: list[Lease] = []

        def race(barrier: threading.Barrier = barrier, won: list[Lease] = won) -> None:
            barrier.wait()
            lease = claim(job_id=job_id)
            if lease is not None:
                won.append(lease)
            connection.close()

        threads = [threading.Thread(target=race) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [lease.job.owner for lease in won] == [Job.objects.get(pk=job_id).owner]


_CLAIM_ALL = """
import sys, django
django.setup()
from dashboard.services.jobs.leases import claim
print("ready", flush=True)
sys.stdin.readline()
print(sum(claim(job_id=number) is not None for number in map(int, sys.argv[1:])))
"""


@pytest.mark.django_db(transaction=True)
def test_of_many_processes_one_gets_each_job() -> None:
    """Three processes claim the same forty jobs: together they get forty."""
    jobs = [Job.objects.create(kind="test", title="A test").pk for _ in range(40)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _CLAIM_ALL, *map(str, jobs)],
            cwd=ROOT,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    counts = [int(process.communicate()[0]) for process in processes]
    assert sum(counts) == 40
    assert len(set(Job.objects.values_list("owner", flat=True))) == 40


def test_an_owner_is_gone_when_its_process_is() -> None:
    """The one of the tests lives; one that ended does not, nor one whose id went to another process since."""
    owner = new_owner()
    assert not is_gone(owner)
    machine, pid, start, claimed = owner.split(":")
    assert is_gone(f"{machine}:{pid}:{int(start) - 1}:{claimed}")
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert is_gone(f"{machine}:{ended.pid}:{start}:{claimed}")


def test_nothing_is_said_about_owners_elsewhere() -> None:
    """Another machine's process may live, whatever runs under its id here."""
    assert not is_gone(f"0123456789ab:{os.getpid()}:1:abcd")
    assert not is_gone("")
