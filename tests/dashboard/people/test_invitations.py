"""An invitation gives one role to one person, once; its secret is stored nowhere and stays in no address."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from dashboard.access import access_to
from dashboard.models import AuditEntry, Invitation, Membership
from dashboard.services.invitations import invite
from tests.people import Person

NEW = {"username": "dana", "password1": "a-long-enough-pass", "password2": "a-long-enough-pass"}


@pytest.fixture
def secret(alice: Person) -> str:
    """Of an invitation to be an editor."""
    return invite(access=access_to(alice.principal, "small"), role="editor", note="Dana")[1]


def _role(name: str) -> str | None:
    return Membership.objects.filter(user__username=name).values_list("role", flat=True).first()


def test_an_admin_makes_a_link_that_is_shown_once(client: Client, alice: Person, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://perf.example.org"
    client.force_login(alice.user)
    posted = {"role": "editor", "days": "7", "note": "Dana"}
    made = client.post("/systems/small/invitations/", posted).content.decode()
    (secret,) = set(re.findall(r"https://perf\.example\.org/join/([\w-]+)/", made))
    assert "Only this machine" not in made
    after = client.get("/systems/small/members/").content.decode()
    assert secret not in after
    assert "Dana" in after
    invitation = Invitation.objects.get()
    assert (invitation.expires_at - timezone.now()).days == 6
    entry = AuditEntry.objects.get(action="invite")
    assert secret not in f"{invitation.token_digest}{entry.details}"


def test_an_address_of_this_machine_alone_is_warned_of(client: Client, alice: Person) -> None:
    client.force_login(alice.user)
    posted = {"role": "editor", "days": "7", "note": ""}
    made = client.post("/systems/small/invitations/", posted, headers={"host": "127.0.0.1"})
    assert "Only this machine reaches 127.0.0.1" in made.content.decode()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"days": "31"}, "lives 1 to 30 days, not 31"),
        ({"days": "x"}, "lives 1 to 30 days, not 0"),
        ({"role": "owner"}, "The role is one of viewer, editor, admin"),
        ({"note": "n" * 81}, "up to 80 characters"),
    ],
)
def test_what_cannot_be_is_refused_and_kept_in_the_form(
    client: Client, alice: Person, wrong: dict[str, str], said: str
) -> None:
    client.force_login(alice.user)
    posted = {"role": "editor", "days": "7", "note": "Dana", **wrong}
    answer = client.post("/systems/small/invitations/", posted)
    assert (answer.status_code, said in answer.content.decode()) == (400, True)
    assert posted["note"] in answer.content.decode()
    assert not Invitation.objects.exists()


def test_a_new_account_gets_the_role_and_is_signed_in(client: Client, secret: str) -> None:
    opened = client.get(f"/join/{secret}/")
    assert (opened["Location"], opened["Referrer-Policy"]) == ("/join/", "no-referrer")
    assert "alice invites you to Small" in client.get("/join/").content.decode()
    assert client.post("/join/", NEW)["Location"] == "/app/s/small/"
    assert _role("dana") == "editor"
    assert client.get("/systems/small/members/").status_code == 200
    entry = AuditEntry.objects.get(action="accept invitation")
    assert (entry.actor, entry.details["invited_by"]) == ("dana", "alice")


def test_who_has_an_account_signs_in_and_joins(client: Client, secret: str, charlie: Person) -> None:
    """The way back from signing in holds no secret."""
    client.get(f"/join/{secret}/")
    page = client.get("/join/").content.decode()
    assert "/login/?next=/join/" in page
    assert secret not in page
    client.post("/login/", {"username": "charlie", "password": "charlie", "next": "/join/"})
    assert "Join as charlie" in client.get("/join/").content.decode()
    assert client.post("/join/")["Location"] == "/app/s/small/"
    assert _role("charlie") == "editor"


def test_a_link_works_once(client: Client, secret: str) -> None:
    """Also for somebody who opened it before the other one joined."""
    late = Client()
    late.get(f"/join/{secret}/")
    client.get(f"/join/{secret}/")
    client.post("/join/", NEW)
    answer = late.post("/join/", {**NEW, "username": "erin"})
    assert (answer.status_code, b"does not work" in answer.content) == (404, True)
    assert not User.objects.filter(username="erin").exists()
    assert Client().get(f"/join/{secret}/").status_code == 404


@pytest.mark.parametrize(
    "ending", ["expired", "revoked", "inviter is no admin", "inviter is locked", "hidden"]
)
def test_an_ended_invitation_answers_as_one_that_never_was(client: Client, secret: str, ending: str) -> None:
    client.get(f"/join/{secret}/")
    made_up = Client().get("/join/made-up/").content
    invitation = Invitation.objects.get()
    now = timezone.now()
    if ending == "expired":
        Invitation.objects.update(expires_at=now - timedelta(seconds=1))
    elif ending == "revoked":
        Invitation.objects.update(revoked_at=now)
    elif ending == "inviter is no admin":
        Membership.objects.filter(user=invitation.created_by).update(role="editor")
    elif ending == "inviter is locked":
        User.objects.update(is_active=False)
    else:
        invitation.system.visible = False
        invitation.system.save()
    assert Client().get(f"/join/{secret}/").content == made_up
    assert client.get("/join/").content == made_up
    assert client.post("/join/", NEW).status_code == 404
    assert not User.objects.filter(username="dana").exists()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"password1": "12345678", "password2": "12345678"}, "too common"),
        ({"username": "dana-smith", "password1": "dana-smith1", "password2": "dana-smith1"}, "too similar"),
        ({"password2": "another-pass-word"}, "match"),
        ({"username": "alice"}, "already exists"),
        ({"username": "a b"}, "valid username"),
    ],
)
def test_a_bad_name_or_password_uses_nothing_up(
    client: Client, secret: str, wrong: dict[str, str], said: str
) -> None:
    client.get(f"/join/{secret}/")
    answer = client.post("/join/", {**NEW, **wrong})
    assert (answer.status_code, said in answer.content.decode()) == (400, True)
    assert client.post("/join/", NEW).status_code == 302


def test_names_cannot_be_tried_without_end(client: Client, secret: str) -> None:
    client.get(f"/join/{secret}/")
    said = [client.post("/join/", {**NEW, "username": "alice"}).content.decode() for _ in range(21)]
    assert "already exists" in said[19]
    assert "Too many tries" in said[20]
    assert "already exists" not in said[20]


def test_a_higher_role_replaces_a_lower_one_and_no_other(secret: str, vera: Person, alice: Person) -> None:
    client = Client()
    client.force_login(alice.user)
    client.get(f"/join/{secret}/")
    answer = client.post("/join/")
    assert (answer.status_code, b"You are admin of Small already." in answer.content) == (400, True)
    client = Client()
    client.force_login(vera.user)
    client.get(f"/join/{secret}/")
    client.post("/join/")
    assert _role("vera") == "editor"


def test_an_admin_revokes_an_invitation(client: Client, alice: Person, secret: str) -> None:
    client.force_login(alice.user)
    address = f"/systems/small/invitations/{Invitation.objects.get().pk}/"
    for _ in range(2):
        assert client.post(address)["Location"] == "/systems/small/members/"
    assert client.get(f"/join/{secret}/").status_code == 404
    assert AuditEntry.objects.filter(action="revoke invitation").count() == 1
