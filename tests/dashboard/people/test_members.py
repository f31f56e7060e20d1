"""Admins of a system give and take roles in the browser; a system keeps an admin."""

import pytest
from django.test import Client

import dashboard.urls
from dashboard.access import Forbidden, NotFound, access_to
from dashboard.models import AuditEntry, Membership, System
from dashboard.people import urls as people_urls
from dashboard.services.members import change_role, remove_member
from tests.people import Person

MEMBERS = "/systems/small/members/"


def _role(person: Person) -> str | None:
    return Membership.objects.filter(user=person.user).values_list("role", flat=True).first()


def _press(client: Client, person: Person, **posted: str) -> str:
    """What the page says after a button of a member's row."""
    answer = client.post(f"{MEMBERS}{person.user.pk}/", posted, follow=True)
    return answer.content.decode()


@pytest.fixture
def admin(client: Client, alice: Person) -> Client:
    client.force_login(alice.user)
    return client


def test_an_admin_sees_everybody_and_changes_a_role(admin: Client, bob: Person, vera: Person) -> None:
    shown = admin.get(MEMBERS).content.decode()
    assert "3 people have a role in Small" in shown
    assert "bob is viewer now." in _press(admin, bob, role="viewer")
    assert _role(bob) == "viewer"
    entry = AuditEntry.objects.get(action="change role")
    assert (entry.actor, entry.system_slug, entry.address) == ("alice", "small", "127.0.0.1")
    assert entry.details == {"of": "bob", "was": "editor", "role": "viewer"}


def test_a_role_that_stays_leaves_no_trace(admin: Client, bob: Person) -> None:
    assert "bob is editor now." in _press(admin, bob, role="editor")
    assert not AuditEntry.objects.exists()


def test_an_admin_takes_a_role_away(admin: Client, bob: Person) -> None:
    assert "bob has no role here any more." in _press(admin, bob, remove="1")
    assert _role(bob) is None
    with pytest.raises(NotFound):
        access_to(bob.principal, "small")


@pytest.mark.parametrize("posted", [{"remove": "1"}, {"role": "editor"}])
def test_the_last_admin_stays(admin: Client, alice: Person, bob: Person, posted: dict[str, str]) -> None:
    """A locked account is no admin who could help."""
    bob.user.is_active = False
    bob.user.save()
    Membership.objects.filter(user=bob.user).update(role="admin")
    said = _press(admin, alice, **posted)
    assert "Small would have no admin any more" in said
    assert "make somebody else admin first" in said
    assert _role(alice) == "admin"


def test_an_admin_leaves_where_another_one_stays(
    admin: Client, alice: Person, bob: Person, system: System
) -> None:
    _press(admin, bob, role="admin")
    assert "alice is viewer now." in _press(admin, alice, role="viewer")
    assert "You see this system as its viewer" in admin.get(MEMBERS).content.decode()


def test_a_role_that_there_is_not_is_refused(admin: Client, bob: Person) -> None:
    assert "The role is one of viewer, editor, admin, not &#x27;owner&#x27;" in _press(
        admin, bob, role="owner"
    )
    assert _role(bob) == "editor"


def test_others_learn_their_role_and_whom_to_ask(client: Client, alice: Person, vera: Person) -> None:
    client.force_login(vera.user)
    shown = client.get(MEMBERS).content.decode()
    assert "as its viewer" in shown
    assert "alice" in shown
    assert "Invite somebody" not in shown


def test_services_ask_for_the_role_themselves(alice: Person, bob: Person, vera: Person) -> None:
    access = access_to(bob.principal, "small")
    with pytest.raises(Forbidden):
        change_role(access=access, user_id=vera.user.pk, role="admin")
    with pytest.raises(Forbidden):
        remove_member(access=access, user_id=vera.user.pk)


@pytest.mark.parametrize("number", ["9" * 25, "9" * 5_000, "-1", "x", "²", ""])
def test_numbers_that_no_table_holds_are_refused(admin: Client, number: str) -> None:
    """By the sentence of the form, as any other wrong word."""
    sent = {"role": "viewer", "days": number, "note": "", "name": "n", "scope": "read", "system": ""}
    for path in ("/systems/small/invitations/", "/account/tokens/"):
        assert admin.post(path, sent).status_code == 400
    assert admin.post("/systems/small/teams/", {"team": number, "role": "viewer"}).status_code == 404
    assert admin.get("/systems/small/audit/", {"before": number}).status_code == 200
    assert admin.get("/systems/small/audit/", {"until": "9999-12-31"}).status_code == 200


def test_addresses_name_no_row_that_no_table_holds(admin: Client) -> None:
    """Nor does any pattern of ours take more digits than that."""
    for path in (
        "/systems/small/members/{}/",
        "/systems/small/teams/{}/",
        "/reports/{}/",
        "/account/tokens/{}/",
    ):
        assert admin.post(path.format("9" * 25), {"role": "viewer"}).status_code == 404
        assert admin.post(path.format("9" * 18), {"role": "viewer"}).status_code in {404, 405}
    patterns = [str(one.pattern) for urls in (dashboard.urls, people_urls) for one in urls.urlpatterns]
    assert [one for one in patterns if "<int:" in one] == []


def test_quiet_hours_have_no_zone_of_their_own(admin: Client) -> None:
    sent = {
        "name": "n",
        "smallest_percent": "5",
        "certainty_percent": "95",
        "people": "alice",
        "shape": "json",
    }
    zoned = {"time_zone": "UTC", "quiet_from": "22:00+05:00", "quiet_until": "06:00"}
    answer = admin.post("/systems/small/alerts/rules/", sent | zoned)
    assert answer.status_code == 400
    assert "quiet hours are written as 22:00" in answer.content.decode().lower()
