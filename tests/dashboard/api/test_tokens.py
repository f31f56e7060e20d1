"""Tokens: whose they are, how far they reach, and when they end."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from dashboard.access import NotFound, Refused
from dashboard.models import ApiToken, AuditEntry, Membership, System
from dashboard.selectors.tokens import list_tokens
from dashboard.services.tokens import create_token, revoke_token
from tests.dashboard.api.conftest import call, expired_token_of, token_of
from tests.people import Person, create_person


def _status(secret: str, **about: str) -> int:
    status: int = call(secret, "GET", "/systems", **about).status_code
    return status


def test_a_token_is_stored_as_its_hash_alone(alice: Person) -> None:
    secret = token_of(alice)
    stored = ApiToken.objects.get()
    assert secret.startswith("perfatlas_")
    assert len(secret) > 50
    assert not any(secret in str(value) for value in vars(stored).values())
    assert secret not in str(AuditEntry.objects.values())


def test_a_token_acts_for_its_user_until_it_is_revoked(alice: Person) -> None:
    secret = token_of(alice)
    assert _status(secret) == 200
    revoke_token(principal=alice.principal, token_id=ApiToken.objects.get().pk)
    answer = call(secret, "GET", "/systems")
    assert answer.status_code == 401
    assert "was revoked" in answer.json()["detail"]
    assert answer["WWW-Authenticate"] == "Bearer"


def test_an_expired_token_and_one_of_a_locked_account_act_for_nobody(alice: Person, bob: Person) -> None:
    assert _status(expired_token_of(alice)) == 401
    secret = token_of(bob)
    bob.user.is_active = False
    bob.user.save()
    assert _status(secret) == 401


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Bearer x", "Basic YTpi", "Token {}", "{}"])
def test_nothing_but_a_bearer_token_opens_anything(alice: Person, header: str) -> None:
    client = Client(headers={"Authorization": header.format(token_of(alice))})
    assert client.get("/api/v1/systems").status_code == 401


def test_a_token_in_the_address_or_a_session_opens_nothing(alice: Person) -> None:
    secret = token_of(alice)
    client = Client()
    client.force_login(alice.user)
    for address in ("/api/v1/systems", f"/api/v1/systems?token={secret}&access_token={secret}"):
        assert client.get(address).status_code == 401


def test_a_role_that_is_taken_away_is_taken_from_tokens_too(alice: Person, system: System) -> None:
    secret = token_of(alice)
    assert call(secret, "GET", "/systems").json()["total"] == 1
    Membership.objects.all().delete()
    assert call(secret, "GET", "/systems").json()["total"] == 0


def test_a_token_of_one_system_sees_no_other(alice: Person, system: System) -> None:
    """Also where its user sees everything."""
    other = System.objects.create(slug="other", name="Other", visible=True)
    Membership.objects.create(system=other, user=alice.user, role=Membership.Role.ADMIN)
    for _ in range(2):
        rows = call(token_of(alice, system="small"), "GET", "/systems").json()["rows"]
        assert [row["slug"] for row in rows] == ["small"]
        alice.user.is_superuser = True
        alice.user.save()


def test_nobody_gets_a_token_for_more_than_their_role(vera: Person, charlie: Person, system: System) -> None:
    with pytest.raises(Exception, match="needs the role editor in 'small'"):
        token_of(vera, "write", system="small")
    with pytest.raises(NotFound):
        token_of(charlie, "read", system="small")
    assert not ApiToken.objects.exists()


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"name": " "}, "name"),
        ({"name": "x" * 81}, "name"),
        ({"scope": "all"}, "scope"),
        ({"days": 0}, "days"),
        ({"days": 366}, "days"),
    ],
)
def test_what_is_wrong_with_a_wish_is_told_with_its_field(
    alice: Person, wrong: dict[str, object], field: str
) -> None:
    with pytest.raises(Refused, match=f"^{field}: "):
        create_token(**{"principal": alice.principal, "name": "ci", "scope": "read", "days": 1} | wrong)  # type: ignore[arg-type]


def test_people_list_and_revoke_their_own_tokens_only(alice: Person, bob: Person) -> None:
    token_of(alice)
    token_of(bob)
    (own,) = list_tokens(principal=bob.principal)
    assert own.user == bob.user
    with pytest.raises(NotFound):
        revoke_token(principal=alice.principal, token_id=own.pk)


def test_when_a_token_was_last_used_is_written_once_a_minute(alice: Person) -> None:
    secret = token_of(alice)
    for expected in (3, 2):
        with CaptureQueriesContext(connection) as queries:
            assert _status(secret) == 200
        of_tokens = [one["sql"] for one in queries if "apitoken" in one["sql"]]
        assert len(of_tokens) == expected - 1
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    _status(secret)
    second = ApiToken.objects.get().last_used_at
    assert second is not None
    assert second > first - timedelta(seconds=1)


def test_guessing_is_braked_and_one_forgotten_job_is_not(alice: Person) -> None:
    """An address that sends one old token again and again locks nobody out; many different ones are guesses."""
    for _ in range(60):
        assert _status("perfatlas_old") == 401
    assert [_status(f"perfatlas_{number}") for number in range(50)][-2:] == [401, 429]
    assert call("perfatlas_new", "GET", "/systems")["Retry-After"] == "300"
    assert _status("perfatlas_new", REMOTE_ADDR="192.0.2.1") == 401
    assert _status(token_of(alice)) == 200


def test_the_command_makes_lists_and_revokes(alice: Person) -> None:
    """The secret alone is on standard output, for a script to keep."""
    out, err = StringIO(), StringIO()
    call_command("token", "create", "alice", "--name", "ci", "--system", "small", stdout=out, stderr=err)
    secret = out.getvalue().strip()
    assert call(secret, "GET", "/systems").json()["total"] == 1
    assert secret not in err.getvalue()
    number = ApiToken.objects.get().pk
    listed = StringIO()
    call_command("token", "list", stdout=listed)
    assert f"{number}  alice  ci  read  small  living" in listed.getvalue()
    call_command("token", "revoke", str(number), stdout=StringIO())
    assert _status(secret) == 401


@pytest.mark.parametrize("arguments", [("create", "nobody", "--name", "x"), ("revoke", "77")])
def test_the_command_refuses_with_code_2(db: None, arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("token", *arguments, stdout=StringIO(), stderr=StringIO())
    assert refused.value.returncode == 2


def test_a_user_has_a_limited_number_of_tokens(db: None) -> None:
    person = create_person("dora")
    for _ in range(50):
        token_of(person)
    with pytest.raises(Refused, match="revoke one first"):
        token_of(person)
