"""Handing jobs out to machines: who gets which, what ends a claim, and what of a machine is not believed."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import pytest
from django.utils import timezone

from dashboard.access import Principal, access_to
from dashboard.models import Job, Machine, Membership, Subject, System
from dashboard.services.jobs.leases import MAX_ATTEMPTS, append_log, claim
from dashboard.services.jobs.queueing import request_cancel, request_pause
from dashboard.services.jobs.reaping import reap
from dashboard.services.machines.claims import ClaimLost, How, TakenJob, beat, end, receive_runs, take
from dashboard.services.machines.local_jobs import begin, drop_unwanted, offered_subjects
from dashboard.services.machines.loop import _Beat
from dashboard.services.machines.registry import (
    announce,
    pause_machine,
    register_machine,
    remove_machine,
)
from dashboard.services.measuring import MeasuringRequest, start_measuring
from dashboard.services.measuring.plans import RequestInvalid
from perfatlas.connection import Connection
from tests.people import Person, create_person

pytestmark = pytest.mark.usefixtures("tiny")


@pytest.fixture
def bob(tiny: str) -> Person:
    """An editor of Tiny."""
    person = create_person("bob")
    system = System.objects.get(slug=tiny)
    Membership.objects.create(system=system, user=person.user, role=Membership.Role.EDITOR)
    return person


def new_machine(owner: Person, name: str) -> Machine:
    """A machine of somebody's that has said what it may measure: what this one has registered."""
    machine, _ = register_machine(principal=owner.principal, name=name)
    offered, problems = offered_subjects()
    assert (problems, announce(machine=machine, subjects=offered)) == ([], (("Tiny", ""),))
    return machine


@pytest.fixture
def rack(bob: Person) -> Machine:
    """A machine of bob's."""
    return new_machine(bob, "rack")


@pytest.fixture
def job(rack: Machine, bob: Person, tiny: str) -> Job:
    """A measurement for the environment of the machine."""
    asked = MeasuringRequest(environment=rack.subjects.get().environment, repetitions=1, profile=False)
    return Job.objects.get(pk=start_measuring(access=access_to(bob.principal, tiny), request=asked))


def _taken(machine: Machine) -> TakenJob:
    found = take(machine=machine)
    assert found is not None
    return found


def _silent(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_expires_at=timezone.now() - timedelta(seconds=1))


def test_a_job_for_machines_is_no_workers(job: Job, sent: list[int]) -> None:
    """No message goes out, and nobody here claims it."""
    reap(everything=True)
    assert (sent, claim(job_id=job.pk), job.title.split(":")[0]) == ([], None, "Measure Tiny on rack")


def test_a_machine_gets_names_and_numbers_one_job_at_a_time(job: Job, rack: Machine, bob: Person) -> None:
    first = _taken(rack)
    assert (first.subject, first.configurations, len(first.revisions)) == ("Tiny", ("default",), 1)
    assert take(machine=new_machine(bob, "other")) is None
    # It was cut off, and asks again: the job is its own still, under another claim.
    assert _taken(rack).job_id == first.job_id
    with pytest.raises(ClaimLost):
        beat(machine=rack, claim=first.claim, progress=0.5, message="")


def test_whose_claim_ran_out_writes_nothing_more(job: Job, rack: Machine, bob: Person) -> None:
    late, other = _taken(rack), new_machine(bob, "other")
    _silent(job)
    now = _taken(other)
    for act in (
        lambda: beat(machine=rack, claim=late.claim, progress=1.0, message=""),
        lambda: end(machine=rack, claim=late.claim, how="failed", message=""),
        lambda: receive_runs(machine=rack, claim=late.claim, name="runs.zip", parts=[b"x"]),
        # Nor is the claim of another one of use.
        lambda: end(machine=rack, claim=now.claim, how="failed", message=""),
    ):
        with pytest.raises(ClaimLost):
            act()
    assert beat(machine=other, claim=now.claim, progress=0.5, message="half") == ""
    job.refresh_from_db()
    assert (job.state, job.progress, job.message) == ("running", 0.5, "half")


def test_the_reaper_takes_a_job_back_from_a_silent_machine(job: Job, rack: Machine, sent: list[int]) -> None:
    _taken(rack)
    _silent(job)
    reap()
    job.refresh_from_db()
    assert (job.state, job.owner, sent) == ("queued", "", [])


def test_a_job_that_silences_machines_is_given_up(job: Job, rack: Machine) -> None:
    for _ in range(MAX_ATTEMPTS):
        _taken(rack)
        _silent(job)
    assert take(machine=rack) is None
    job.refresh_from_db()
    assert (job.state, job.message.split(":")[0]) == ("failed", "given up")


def test_a_paused_machine_gets_nothing_and_a_removed_one_leaves_its_job(
    job: Job, rack: Machine, bob: Person
) -> None:
    rack = pause_machine(principal=bob.principal, machine_id=rack.pk, paused=True)
    assert take(machine=rack) is None
    rack = pause_machine(principal=bob.principal, machine_id=rack.pk, paused=False)
    _taken(rack)
    remove_machine(principal=bob.principal, machine_id=rack.pk)
    job.refresh_from_db()
    assert job.state == "queued"


def test_who_may_not_edit_any_more_has_no_machine_there(job: Job, rack: Machine, bob: Person) -> None:
    taken = _taken(rack)
    Membership.objects.filter(user=bob.user).update(role=Membership.Role.VIEWER)
    with pytest.raises(ClaimLost):
        receive_runs(machine=rack, claim=taken.claim, name="runs.zip", parts=[b"x"])
    _silent(job)
    assert take(machine=rack) is None


def test_a_machine_whose_subject_is_another_one_gets_nothing(job: Job, rack: Machine, bob: Person) -> None:
    Subject.objects.update(digest="0" * 64)
    assert take(machine=rack) is None


def test_a_stop_is_told_by_the_next_beat(job: Job, rack: Machine, bob: Person) -> None:
    taken = _taken(rack)
    request_pause(principal=bob.principal, job_id=job.pk)
    assert beat(machine=rack, claim=taken.claim, progress=0.1, message="") == "pause"
    end(machine=rack, claim=taken.claim, how="paused", message="")
    job.refresh_from_db()
    assert job.state == "paused"
    Job.objects.filter(pk=job.pk).update(state="queued")
    taken = _taken(rack)
    request_cancel(principal=bob.principal, job_id=job.pk)
    assert beat(machine=rack, claim=taken.claim, progress=0.1, message="") == "cancel"


@pytest.mark.parametrize(("ask", "state"), [(request_cancel, "cancelled"), (request_pause, "paused")])
def test_a_machine_that_does_not_stop_loses_its_claim(
    job: Job, rack: Machine, bob: Person, ask: Callable[..., None], state: str
) -> None:
    """Its words renew nothing any more, nor does it get the job again."""
    taken = _taken(rack)
    ask(principal=bob.principal, job_id=job.pk)
    end_of_lease = Job.objects.get(pk=job.pk).lease_expires_at
    beat(machine=rack, claim=taken.claim, progress=0.1, message="goes on")
    assert take(machine=rack) is None
    job.refresh_from_db()
    assert (job.state, job.lease_expires_at) == ("running", end_of_lease)
    _silent(job)
    assert take(machine=rack) is None
    reap()
    job.refresh_from_db()
    assert job.state == state
    with pytest.raises(ClaimLost):
        beat(machine=rack, claim=taken.claim, progress=0.2, message="goes on")


@pytest.mark.parametrize("how", ["released", "paused", "removed"])
def test_what_is_to_stop_does_not_wait_for_another_machine(
    job: Job, rack: Machine, bob: Person, how: str
) -> None:
    taken = _taken(rack)
    request_cancel(principal=bob.principal, job_id=job.pk)
    if how == "removed":
        remove_machine(principal=bob.principal, machine_id=rack.pk)
    else:
        end(machine=rack, claim=taken.claim, how=cast("How", how), message="")
    job.refresh_from_db()
    assert job.state == "cancelled"


def test_a_machine_that_never_ends_fills_no_table(
    job: Job, rack: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its words the last ones stay."""
    monkeypatch.setattr("dashboard.services.jobs.leases.MOST_LINES", 300)
    taken, other = _taken(rack), Job.objects.create(kind="sweep", title="another one")
    append_log(job_id=other.pk, lines=["stays"])
    for turn in range(5):
        lines = [f"{turn} {at}" for at in range(200)]
        beat(machine=rack, claim=taken.claim, progress=0.0, message="", lines=lines)
    kept = list(job.log_lines.values_list("text", flat=True))
    assert (len(kept), kept[0], kept[-1], other.log_lines.count()) == (300, "3 100", "4 199", 1)


def test_long_lines_are_told_in_pieces_that_the_server_reads(job: Job, operator: Principal) -> None:
    """A beat that is too large is refused, and a machine took that for the loss of its job."""
    append_log(job_id=job.pk, lines=["\N{SNOWMAN}" * 1000] * 60)
    sizes: list[int] = []

    class _Server(Connection):
        def post(self, path: str, **body: object) -> Any:
            sizes.append(len(json.dumps(body)))
            told.extend(cast("list[str]", body["lines"]))
            return {"stop": ""}

    told: list[str] = []
    beats = _Beat(_Server("http://127.0.0.1", ""), "claim", job.pk, operator)
    while len(told) < 60:
        beats._beat()
    assert max(sizes) < 100_000
    assert told == list(job.log_lines.values_list("text", flat=True))


def test_no_machine_of_an_environment_is_told_before_anything_waits(bob: Person, tiny: str) -> None:
    with pytest.raises(RequestInvalid, match="no machine of the environment"):
        start_measuring(access=access_to(bob.principal, tiny), request=MeasuringRequest(environment="0" * 16))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"revisions": ("v9",)}, "lists no revision 'v9'"),
        ({"revisions": ("all",)}, "lists no revision 'all'"),
        ({"configurations": ("mode=rm",)}, "has no level 'rm'"),
        ({"configurations": ("analysis",)}, "no configuration"),
        ({"workload": "../etc"}, "no workload"),
        ({"subject": "../evil"}, "no subject"),
        ({"digest": "1" * 64}, "another one"),
        ({"environment": "1" * 16}, "environment of this machine"),
    ],
)
def test_a_machine_refuses_what_its_own_subject_does_not_list(
    job: Job, rack: Machine, wrong: dict[str, object], words: str, operator: Principal
) -> None:
    """Whatever a server says: nothing is begun for it."""
    taken, before = _taken(rack), Job.objects.count()
    with pytest.raises(Exception, match=words):
        begin(taken.model_copy(update=wrong), principal=operator, asked_by="https://perf.example.org 1")
    assert Job.objects.count() == before


def test_what_a_killed_machine_had_begun_goes_on_unless_another_one_did_it(
    job: Job, rack: Machine, operator: Principal
) -> None:
    """The same job of the server is the same job here; one that nobody wants any more is cancelled, and may come again."""
    taken, asked_by = _taken(rack), "https://perf.example.org 1"
    own = begin(taken, principal=operator, asked_by=asked_by)
    assert begin(taken, principal=operator, asked_by=asked_by) == own
    drop_unwanted(principal=operator)
    states = dict(Job.objects.values_list("pk", "state"))
    assert (states[own], states[job.pk]) == ("cancelled", "running")
    Job.objects.filter(pk=own).update(checkpoint={"position": 1})
    assert begin(taken, principal=operator, asked_by=asked_by) == own
    assert Job.objects.get(pk=own).state == "queued"
