"""A job is done as whoever queued it, with the rights of the moment: roles are taken away, accounts are locked."""

from typing import Any

import pytest

from dashboard.access import Forbidden, NotFound, Permission, Principal
from dashboard.models import Job, Membership, System
from dashboard.selectors.jobs import active_jobs, job_detail, list_jobs
from dashboard.services.jobs.context import JobContext
from dashboard.services.jobs.queueing import request_cancel, resume
from dashboard.services.jobs.running import JobOutcome, run_job
from tests.people import Person

pytestmark = pytest.mark.django_db


def _queued(system: System, person: Person, **fields: Any) -> int:
    return Job.objects.create(system=system, created_by=person.user, kind="test", title="A test", **fields).pk


def _run(job_id: int) -> tuple[JobOutcome, list[JobContext]]:
    called: list[JobContext] = []

    def kind(context: JobContext) -> dict[str, Any]:
        called.append(context)
        return {}

    return run_job(job_id=job_id, kinds={"test": kind}), called


def test_a_job_is_handed_the_access_of_its_sender(system: System, bob: Person) -> None:
    """Of now: what was allowed when it was queued does not count."""
    outcome, (context,) = _run(_queued(system, bob))
    assert outcome is JobOutcome.DONE
    assert context.principal == bob.principal
    assert context.access is not None
    assert (context.access.slug, context.access.permission) == ("small", Permission.EDIT)


# A job that fails renews its connection, which a test in a transaction cannot bear.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lost", ["membership", "role", "active", "account"])
def test_nobody_works_for_who_lost_the_right(system: System, bob: Person, lost: str) -> None:
    """Taken out of the system, made a viewer, locked, deleted: the kind is not called, the job says why."""
    job_id = _queued(system, bob)
    if lost == "membership":
        Membership.objects.filter(user=bob.user).delete()
    elif lost == "role":
        Membership.objects.filter(user=bob.user).update(role="viewer")
    elif lost == "active":
        type(bob.user).objects.update(is_active=False)
    else:
        bob.user.delete()
    outcome, called = _run(job_id)
    assert (outcome, called) == (JobOutcome.FAILED, [])
    message = Job.objects.get(pk=job_id).message
    assert (
        "may not edit 'small' any more" if lost in {"membership", "role"} else "gone or locked"
    ) in message


def test_a_part_of_a_job_is_done_as_the_sender_of_the_whole(system: System, bob: Person) -> None:
    """Parts have no sender of their own."""
    whole = Job.objects.get(pk=_queued(system, bob))
    part = Job.objects.create(system=system, parent=whole, kind="test", title="A part")
    outcome, (context,) = _run(part.pk)
    assert (outcome, context.principal) == (JobOutcome.DONE, bob.principal)


def test_the_operator_may_have_anything_done(system: System) -> None:
    """Whoever owns the database."""
    job = Job.objects.create(system=system, by_operator=True, kind="test", title="A test")
    outcome, (context,) = _run(job.pk)
    assert (outcome, context.principal) == (JobOutcome.DONE, Principal.operator())


def test_who_was_taken_out_of_a_system_neither_sees_nor_moves_own_jobs_there(
    system: System, bob: Person
) -> None:
    """Title, log and result name things of the system."""
    running = _queued(system, bob)
    paused = _queued(system, bob, state="paused")
    Membership.objects.filter(user=bob.user).delete()
    assert list_jobs(principal=bob.principal) == active_jobs(principal=bob.principal) == ()
    with pytest.raises(NotFound):
        job_detail(principal=bob.principal, job_id=running)
    with pytest.raises(NotFound):
        request_cancel(principal=bob.principal, job_id=running)
    with pytest.raises(NotFound):
        resume(principal=bob.principal, job_id=paused)
    assert Job.objects.filter(state="paused").exists()


def test_a_viewer_sees_own_jobs_of_earlier_and_may_not_stop_them(system: System, bob: Person) -> None:
    """Viewing is not editing, also where one has begun it."""
    job_id = _queued(system, bob)
    Membership.objects.filter(user=bob.user).update(role="viewer")
    assert job_detail(principal=bob.principal, job_id=job_id).id == job_id
    with pytest.raises(Forbidden):
        request_cancel(principal=bob.principal, job_id=job_id)
