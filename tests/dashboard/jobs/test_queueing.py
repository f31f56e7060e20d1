"""Queueing and cancelling: who may, and what reaches the broker when."""

import logging
import os
import subprocess
import sys
from typing import ClassVar

import pytest
from celery.signals import celeryd_init
from django.db import transaction
from kombu.exceptions import OperationalError as BrokerError

from dashboard.access import Access, Forbidden, NotFound, Principal, access_to
from dashboard.celery import app
from dashboard.models import Job, System
from dashboard.services.jobs.queueing import enqueue, request_cancel, send
from tests.dashboard.jobs.processes import ROOT
from tests.dashboard.jobs.requests import SomeRequest
from tests.people import Person


def _enqueue(sender: Access | Principal) -> int:
    return enqueue(sender, SomeRequest(), title="A test")


@pytest.mark.django_db(transaction=True)
def test_a_message_goes_out_when_the_row_is_there_to_be_seen(sent: list[int], operator: Principal) -> None:
    """Not before the transaction commits."""
    with transaction.atomic():
        job_id = _enqueue(operator)
        assert sent == []
    assert sent == [job_id]


@pytest.mark.django_db(transaction=True)
def test_a_rolled_back_job_sends_nothing(sent: list[int], operator: Principal) -> None:
    """No message without a row."""

    def enqueue_and_fail() -> None:
        with transaction.atomic():
            _enqueue(operator)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        enqueue_and_fail()
    assert (sent, Job.objects.count()) == ([], 0)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "error", [BrokerError("no connection"), ConnectionRefusedError("refused"), OSError("full")]
)
def test_a_silent_broker_loses_no_job(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, operator: Principal, error: Exception
) -> None:
    """The row waits for the reaper; the person who asked for the job sees no error."""

    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(app, "send_task", fail)
    with caplog.at_level(logging.WARNING):
        job_id = _enqueue(operator)
    assert Job.objects.get(pk=job_id).state == "queued"
    assert f"job {job_id} waits" in caplog.text


def test_starting_a_job_on_a_system_needs_the_right_to_edit(
    system: System, bob: Person, vera: Person, charlie: Person
) -> None:
    """An editor may; a viewer is told so; a stranger does not learn that the system exists."""
    job_id = _enqueue(access_to(bob.principal, system.slug))
    job = Job.objects.get(pk=job_id)
    assert (job.created_by, job.system) == (bob.user, system)
    with pytest.raises(Forbidden):
        _enqueue(access_to(vera.principal, system.slug))
    with pytest.raises(NotFound):
        _enqueue(access_to(charlie.principal, system.slug))


def test_a_queue_that_does_not_exist_is_refused(db: None, operator: Principal) -> None:
    """Nobody would ever take such a job."""

    class FastRequest(SomeRequest):
        queue: ClassVar = "fast"  # type: ignore[assignment] # what no check of types has seen

    with pytest.raises(ValueError, match="fast"):
        enqueue(operator, FastRequest(), title="A test")


def test_a_waiting_job_is_cancelled_at_once(job_id: int, operator: Principal) -> None:
    """It never runs."""
    request_cancel(principal=operator, job_id=job_id)
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.cancel_requested) == ("cancelled", True)
    assert job.finished_at is not None


def test_cancelling_an_ended_job_changes_nothing(job_id: int, operator: Principal) -> None:
    """What is done stays done."""
    Job.objects.filter(pk=job_id).update(state="done")
    request_cancel(principal=operator, job_id=job_id)
    job = Job.objects.get(pk=job_id)
    assert (job.state, job.cancel_requested) == ("done", False)


def test_cancelling_needs_the_right_to_edit(
    system: System, bob: Person, vera: Person, charlie: Person
) -> None:
    """An editor may, also another's job; a viewer is told so; a stranger sees no job."""
    job_id = Job.objects.create(kind="test", title="A test", system=system).pk
    with pytest.raises(Forbidden):
        request_cancel(principal=vera.principal, job_id=job_id)
    with pytest.raises(NotFound):
        request_cancel(principal=charlie.principal, job_id=job_id)
    request_cancel(principal=bob.principal, job_id=job_id)
    assert Job.objects.get(pk=job_id).state == "cancelled"


def test_a_job_without_a_system_is_its_creators_own(db: None, charlie: Person, bob: Person) -> None:
    """Its creator cancels it; others do not see it."""
    job_id = _enqueue(charlie.principal)
    with pytest.raises(NotFound):
        request_cancel(principal=bob.principal, job_id=job_id)
    request_cancel(principal=charlie.principal, job_id=job_id)
    assert Job.objects.get(pk=job_id).state == "cancelled"


def test_a_folder_of_messages_that_no_server_made_alarms_nobody(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A command without `serve` runs its job itself."""

    def fail(*_: object, **__: object) -> None:
        raise FileNotFoundError("broker")

    monkeypatch.setattr(app, "send_task", fail)
    with caplog.at_level(logging.WARNING):
        send(job_id=7, queue="default")
    assert not caplog.text


_SEND = """
import time
import django
django.setup()
from dashboard.services.jobs.queueing import send
started = time.monotonic()
send(job_id=1, queue="default")
print(time.monotonic() - started)
"""


@pytest.mark.once
def test_a_broker_that_is_gone_holds_nobody_up() -> None:
    """A person who presses a button waits for it; the reaper sends the message again."""
    done = subprocess.run(
        [sys.executable, "-c", _SEND],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "dashboard.settings",
            "PYTHONPATH": str(ROOT),
            "PERFATLAS_BROKER_URL": "redis://127.0.0.1:1/0",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) < 2
    assert "does not take its message" in done.stderr


def test_workers_stand_back_for_pages_unless_they_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(os, "nice", asked.append)
    celeryd_init.send(sender=f"{Job.Queue.MEASURE}@here")
    assert asked == []
    celeryd_init.send(sender=f"{Job.Queue.DEFAULT}@here")
    assert asked == [5]
