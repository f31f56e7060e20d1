"""Admins of a system read who changed what in it, filter it, and take it away."""

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from dashboard.access import Forbidden, access_to
from dashboard.models import AuditEntry, System
from dashboard.selectors.audit import PAGE, AuditFilter, list_audit
from tests.people import Person

AUDIT = "/systems/small/audit/"


@pytest.fixture
def admin(client: Client, alice: Person) -> Client:
    client.force_login(alice.user)
    return client


@pytest.fixture
def traced(system: System) -> System:
    """Of which two people did three things on two days."""
    rows = [("alice", "import", 4), ("=bob", "revoke link", 5), ("alice", "revoke link", 5)]
    System.objects.update(created_at=datetime(2026, 1, 1, tzinfo=UTC))
    for actor, action, day in rows:
        entry = AuditEntry.objects.create(
            actor=actor,
            action=action,
            system_slug="small",
            address="192.0.2.7",
            details={"link": 3, "note": "", "teams": [], "people": ["vera", "bob"], "webhook": None},
        )
        AuditEntry.objects.filter(pk=entry.pk).update(at=datetime(2026, 11, day, 23, 30, tzinfo=UTC))
    AuditEntry.objects.create(actor="charlie", action="delete system", system_slug="other")
    return system


@pytest.mark.usefixtures("traced")
def test_what_an_entry_says_besides_has_no_blanks(admin: Client) -> None:
    assert {more for _, more, _ in admin.get(AUDIT).context["rows"]} == {"link: 3, people: vera and bob"}


def _shown(client: Client, **asked: str) -> list[tuple[str, str]]:
    """Who did what, as the page lists it."""
    rows = client.get(AUDIT, asked).context["rows"]
    return [(entry.actor, entry.action) for entry, *_ in rows]


@pytest.mark.usefixtures("traced")
def test_it_is_filtered_by_action_person_and_days(admin: Client) -> None:
    every = [("alice", "revoke link"), ("=bob", "revoke link"), ("alice", "import")]
    assert _shown(admin) == every
    assert _shown(admin, action="import") == every[2:]
    assert _shown(admin, person="alice") == [every[0], every[2]]
    assert _shown(admin, since="2026-11-05") == every[:2]
    assert _shown(admin, until="2026-11-04") == every[2:]
    assert _shown(admin, since="2026-11-04", until="2026-11-05", person="=bob") == [every[1]]
    assert "Nothing fits." in admin.get(AUDIT, {"person": "nobody"}).content.decode()


@pytest.mark.usefixtures("traced")
def test_the_table_has_what_was_filtered_and_no_formulas(admin: Client) -> None:
    answer = admin.get(f"{AUDIT[:-1]}.csv", {"action": "revoke link"})
    assert answer.content.decode().splitlines() == [
        "at (UTC),who,what,from,more",
        '2026-11-05 23:30:00,alice,revoke link,192.0.2.7,"link: 3, people: vera and bob"',
        '2026-11-05 23:30:00,\'=bob,revoke link,192.0.2.7,"link: 3, people: vera and bob"',
    ]


@pytest.mark.parametrize("asked", [{"since": "yesterday"}, {"until": "2026-13-01"}])
def test_a_day_that_there_is_not_is_told(admin: Client, asked: dict[str, str]) -> None:
    for address in (AUDIT, f"{AUDIT[:-1]}.csv"):
        answer = admin.get(address, asked)
        assert (answer.status_code, b"A day is written as" in answer.content) == (400, True)


def test_pages_go_on_where_the_last_one_ended(admin: Client, alice: Person) -> None:
    rows = [AuditEntry(actor="a", action=f"act {n}", system_slug="small") for n in range(PAGE + 2)]
    AuditEntry.objects.bulk_create(rows)
    page = admin.get(AUDIT, {"person": "a"})
    assert len(page.context["rows"]) == PAGE
    older = admin.get(f"{AUDIT}?{page.context['older']}")
    assert [entry.action for entry, *_ in older.context["rows"]] == ["act 1", "act 0"]
    assert older.context["older"] == ""


def test_a_system_of_the_same_address_before_it_stays_unknown(admin: Client, alice: Person) -> None:
    AuditEntry.objects.create(actor="before", action="delete system", system_slug="small")
    AuditEntry.objects.update(at=timezone.now() - timedelta(days=1))
    assert _shown(admin) == []
    assert b"before" not in admin.get(AUDIT).content


def test_the_selector_asks_for_the_role_itself(bob: Person) -> None:
    with pytest.raises(Forbidden):
        list_audit(access=access_to(bob.principal, "small"), wanted=AuditFilter())
