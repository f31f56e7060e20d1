"""The page of machines: who sees which, and who pauses and removes them."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.models import AuditEntry, Job, Machine, Membership, System
from dashboard.selectors.machines import machines_of
from dashboard.services.machines.registry import register_machine
from tests.dashboard.api.conftest import call, token_of
from tests.people import Person, create_person


def _page(person: Person, method: str = "get", path: str = "", **sent: str) -> tuple[int, str]:
    client = Client()
    client.force_login(person.user)
    answer = getattr(client, method)(f"/machines/{path}", sent, follow=True)
    return answer.status_code, answer.content.decode()


@pytest.fixture
def rack(bob: Person, system: System) -> Machine:
    """Bob's machine, which measures a system of his and one that only he sees."""
    machine, _ = register_machine(principal=bob.principal, name="rack-1")
    hidden = System.objects.create(slug="hidden", name="Hidden", visible=True)
    Membership.objects.create(system=hidden, user=bob.user, role=Membership.Role.EDITOR)
    for one in (system, hidden):
        machine.subjects.create(
            system=one, digest="1" * 64, environment="abc123", environment_name="CPython 3.12, a processor"
        )
    Machine.objects.filter(pk=machine.pk).update(seen_at=timezone.now())
    Job.objects.create(
        kind="measure",
        system=hidden,
        title="Measure Hidden on rack-1: 1 run",
        environment="abc123",
        state=Job.State.RUNNING,
        owner=f"machine:{machine.pk}:1:x",
        lease_expires_at=timezone.now() + timedelta(minutes=1),
    )
    return machine


def test_the_owner_sees_everything_and_members_what_is_of_their_systems(
    rack: Machine, bob: Person, vera: Person, charlie: Person
) -> None:
    _, own = _page(bob)
    assert all(words in own for words in ("rack-1", "of you", "Hidden", "Small", "CPython 3.12", "abc123"))
    assert "Measure Hidden on rack-1: 1 run" in own
    assert "Pause" in own
    _, seen = _page(vera)
    assert all(words in seen for words in ("rack-1", "of bob", "Small", "a system that you do not see"))
    assert "Hidden" not in seen
    assert "Pause rack-1" not in seen
    _, none = _page(charlie)
    assert "rack-1" not in none
    assert "export PERFATLAS_URL=http://testserver PERFATLAS_TOKEN=" in none
    assert ".venv/bin/python manage.py machine register NAME" in none


def test_the_form_tells_a_paused_machine_from_one_that_is_not_there(rack: Machine, system: System) -> None:
    def absence() -> str:
        (one,) = machines_of(system, "1" * 64)
        return one.absence

    assert absence() == ""
    Machine.objects.update(paused=True)
    assert absence() == "paused"
    Machine.objects.update(paused=False, seen_at=timezone.now() - timedelta(hours=1))
    assert absence() == "not there now"


def test_the_owner_pauses_resumes_and_removes_it(rack: Machine, bob: Person, alice: Person) -> None:
    """Others who see it may not, also admins of a system that it measures; strangers find nothing."""
    assert _page(alice, "post", f"{rack.pk}/pause/", paused="1")[0] == 403
    assert _page(alice, "post", f"{rack.pk}/remove/")[0] == 403
    assert _page(create_person("erna"), "post", f"{rack.pk}/remove/")[0] == 404
    assert (
        "rack-1 is paused: it gets no further job" in _page(bob, "post", f"{rack.pk}/pause/", paused="1")[1]
    )
    assert Machine.objects.get().paused
    assert "rack-1 gets jobs again" in _page(bob, "post", f"{rack.pk}/pause/", paused="0")[1]
    assert "rack-1 is removed" in _page(bob, "post", f"{rack.pk}/remove/")[1]
    assert not Machine.objects.exists()
    assert Job.objects.get().state == "queued"
    done = AuditEntry.objects.filter(actor="bob").order_by("pk").values_list("action", flat=True)
    assert list(done) == ["register machine", "pause machine", "resume machine", "remove machine"]


def test_a_token_of_one_system_is_for_no_machine(rack: Machine, bob: Person, system: System) -> None:
    """A machine measures all systems of its owner, for longer than a token lives."""
    secret = token_of(bob, system=system.slug)
    assert (
        call(
            secret, "POST", "/machines", data='{"name": "rack-2"}', content_type="application/json"
        ).status_code
        == 403
    )
    for method, path in (("POST", "/pause"), ("POST", "/resume"), ("DELETE", "")):
        assert call(secret, method, f"/machines/{rack.pk}{path}").status_code == 403
    (row,) = call(secret, "GET", "/machines").json()["rows"]
    assert [one["system"] for one in row["subjects"]] == [system.slug]
    assert not row["is_own"]
    rack.subjects.filter(system=system).delete()
    assert call(secret, "GET", "/machines").json()["rows"] == []
    assert (
        call(
            token_of(bob), "POST", "/machines", data='{"name": "rack-2"}', content_type="application/json"
        ).status_code
        == 201
    )
