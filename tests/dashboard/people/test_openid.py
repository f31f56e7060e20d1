"""Signing in by OpenID Connect, with a provider on this machine: who gets in, and everybody who does not."""

from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from joserfc.jwk import RSAKey

from dashboard.models import AuditEntry, OpenIdentity, SignIn
from dashboard.services import openid
from tests.dashboard.people.openid_provider import CLIENT_ID, SECRET, Provider, providing
from tests.people import Person

pytestmark = [
    pytest.mark.database,
    pytest.mark.django_db,
    pytest.mark.urls("tests.dashboard.people.openid_addresses"),
]
HOLDS_NOT = "answered does not hold, so nobody was signed in."


@pytest.fixture(autouse=True)
def nothing_is_kept() -> None:
    openid._client.cache_clear()


@pytest.fixture
def provider(settings: LazySettings) -> Iterator[Provider]:
    """The provider that is set, which tells what is right."""
    with providing() as found:
        settings.OPENID_ISSUER, settings.OPENID_NAME = found.address, "Example"
        settings.OPENID_CLIENT_ID, settings.OPENID_CLIENT_SECRET = CLIENT_ID, SECRET
        yield found


@pytest.fixture
def known(vera: Person) -> User:
    """An account that has confirmed its address."""
    vera.user.email = "Vera@example.org"
    vera.user.save()
    return vera.user


def ask(address: str) -> str:
    """Where an address leads."""
    parts = urlsplit(address)
    connection = HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", f"{parts.path}?{parts.query}")
    location = connection.getresponse().getheader("Location")
    connection.close()
    assert location
    return location


def go(client: Client, path: str = "/login/openid/") -> Any:
    """Press the button, have the provider send one back, and come back."""
    return client.get(ask(client.get(path)["Location"]).removeprefix("http://testserver"))


def whose(client: Client) -> int | None:
    """The account that a browser is signed in to."""
    found = client.session.get("_auth_user_id")
    return None if found is None else int(found)


def told(client: Client, answer: Any) -> str:
    """The sentence on the page of signing in."""
    assert (answer.status_code, answer["Location"]) == (302, "/login/")
    page = client.get("/login/").content.decode()
    (text,) = page.split('class="form-error" role="alert">')[1:]
    return text.partition("</p>")[0].replace("&#x27;", "'")


def test_a_verified_address_leads_to_its_account_and_is_remembered(provider: Provider, known: User) -> None:
    """In a session that nobody knew before; it is listed. From then on it is the subject that counts."""
    client = Client()
    client.get("/login/openid/")
    before = client.session.session_key
    answer = go(client, "/login/openid/?next=/docs/")
    assert (answer.status_code, answer["Location"], whose(client)) == (302, "/docs/", known.pk)
    assert client.session.session_key != before
    client.get("/account/")
    assert SignIn.objects.get(user=known).session_id == client.session.session_key
    entry = AuditEntry.objects.get(action="connect account")
    assert (entry.actor, entry.details["address"]) == ("vera", "vera@example.org")
    provider.person = {"sub": "s-1", "email": "married@example.org", "email_verified": False}
    again = Client()
    go(again)
    assert whose(again) == known.pk
    again.post("/logout/")
    assert whose(again) is None
    assert OpenIdentity.objects.count() == AuditEntry.objects.filter(action="connect account").count() == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"claims": {"nonce": "another"}},
        {"claims": {"nonce": None}},
        {"claims": {"aud": "another"}},
        {"claims": {"aud": "another", "azp": CLIENT_ID}},
        {"claims": {"aud": None}},
        {"claims": {"iss": "https://another.example.org"}},
        {"claims": {"exp": 1}},
        {"claims": {"sub": None}},
        {"claims": {"sub": "x" * 256}},
        {"claims": {"sub": "a\0b"}},
        # Its text tells where it lies in memory: processes that share the tests would not know them as the same.
        pytest.param({"key": RSAKey.generate_key(2048, {"kid": "k1"}, private=True)}, id="foreign key"),
        {"algorithm": "none"},
        {"algorithm": "HS256"},
        {"algorithm": "none", "metadata": {"id_token_signing_alg_values_supported": ["none"]}},
        {"algorithm": "HS256", "metadata": {"id_token_signing_alg_values_supported": ["HS256"]}},
        {"gives_token": False},
        {"moved": "http://127.0.0.1:9/token"},
        {"claims": {"email_verified": None}, "page": {"sub": "s-2", "email_verified": True}},
    ],
    ids=str,
)
def test_what_does_not_hold_signs_nobody_in(provider: Provider, known: User, wrong: dict[str, Any]) -> None:
    for name, value in wrong.items():
        setattr(provider, name, value)
    client = Client()
    assert told(client, go(client)) == f"What Example {HOLDS_NOT}"
    assert whose(client) is None
    assert not OpenIdentity.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"email_verified": False},
        {"email_verified": None},
        {"email_verified": 1.5},
        {"email": None},
        {"email": "vera"},
        {"email": ["vera@example.org"]},
        {"email": "verа@example.org"},  # a Cyrillic letter
    ],
    ids=str,
)
def test_nobody_takes_an_account_over_by_an_address_that_is_not_verified(
    provider: Provider, known: User, settings: LazySettings, wrong: dict[str, Any]
) -> None:
    """Nor does such a one make an account."""
    settings.OPENID_CREATES_ACCOUNTS = True
    provider.claims = wrong
    provider.page = {"sub": "s-1"}
    client, accounts = Client(), User.objects.count()
    assert "vouches for no e-mail address of yours" in told(client, go(client))
    assert whose(client) is None
    assert User.objects.count() == accounts


def test_what_the_token_lacks_stands_on_the_page_about_the_person(provider: Provider, known: User) -> None:
    provider.claims = {"email": None, "email_verified": None}
    provider.page = provider.person
    client = Client()
    go(client)
    assert whose(client) == known.pk


def test_a_locked_account_stays_out_also_once_it_is_connected(provider: Provider, known: User) -> None:
    client = Client()
    User.objects.filter(pk=known.pk).update(is_active=False)
    assert told(client, go(client)).startswith("Your account is locked")
    User.objects.filter(pk=known.pk).update(is_active=True)
    go(Client())
    User.objects.filter(pk=known.pk).update(is_active=False)
    assert told(client, go(client)).startswith("Your account is locked")
    assert whose(client) is None


def test_an_address_that_passes_to_somebody_else_does_not_pass_the_account_on(
    provider: Provider, known: User
) -> None:
    go(Client())
    provider.person |= {"sub": "s-2"}
    client = Client()
    assert "belongs to somebody else there" in told(client, go(client))
    assert whose(client) is None


def test_an_address_of_several_accounts_leads_to_none(provider: Provider, known: User, bob: Person) -> None:
    User.objects.filter(pk=bob.user.pk).update(email="vera@example.org")
    client = Client()
    assert told(client, go(client)).startswith("Several accounts have the address")


def test_accounts_are_made_where_that_is_set_alone(
    provider: Provider, db: None, settings: LazySettings
) -> None:
    """Without a password or a role; one of that name is never taken over."""
    client = Client()
    assert told(client, go(client)) == "There is no account of vera@example.org here: ask for an invitation."
    settings.OPENID_CREATES_ACCOUNTS = True
    provider.person |= {"email": "New@Example.org", "sub": "s-9"}
    go(client)
    made = User.objects.get(pk=whose(client) or 0)
    assert (made.username, made.email) == ("new@example.org", "new@example.org")
    powers = (made.has_usable_password(), made.is_staff, made.is_superuser, made.memberships.exists())
    assert not any(powers)
    assert AuditEntry.objects.get(action="make account").actor == "new@example.org"
    User.objects.create_user("taken@example.org")
    provider.person |= {"email": "taken@example.org", "sub": "s-10"}
    other = Client()
    assert told(other, go(other)).startswith("No account can be called")


def test_domains_and_a_claim_say_who_is_let_in(
    provider: Provider, known: User, settings: LazySettings
) -> None:
    """Each time anew."""
    client = Client()
    settings.OPENID_DOMAINS = ["other.org", "ample.org"]
    assert "vouches for no address of yours that is let in" in told(client, go(client))
    settings.OPENID_DOMAINS = ["example.org"]
    settings.OPENID_CLAIM = "groups=performance"
    provider.page = {"sub": "s-1"}
    for groups in (None, "performance2", ["a", "b"], {"performance": 1}):
        provider.claims = {"groups": groups}
        assert told(client, go(client)).startswith("You are not among those")
    for groups in ("performance", ["a", "performance"]):
        provider.claims = {"groups": groups}
        client = Client()
        go(client)
        assert whose(client) == known.pk
    provider.claims = {"groups": ["a"]}
    client = Client()
    assert told(client, go(client)).startswith("You are not among those")


@pytest.mark.parametrize(
    "page", ["https://evil.example.org/", "//evil.example.org", "javascript:alert(1)", ""]
)
def test_nothing_but_a_page_of_ours_comes_after_it(provider: Provider, known: User, page: str) -> None:
    assert go(Client(), f"/login/openid/?next={page}")["Location"] == "/"


def test_an_answer_is_for_the_browser_that_asked_and_for_once(provider: Provider, known: User) -> None:
    """So nobody is signed in to an account of somebody else by a link."""
    mine, other = Client(), Client()
    back = ask(mine.get("/login/openid/")["Location"]).removeprefix("http://testserver")
    for path in (back, "/login/openid/back/", "/login/openid/back/?state=x&code=y"):
        assert told(other, other.get(path)).startswith("That sign-in was begun in another browser")
    mine.get(back)
    assert whose(mine) == known.pk
    assert mine.get(back)["Location"] == "/login/"
    assert whose(other) is None


def test_what_the_provider_refuses_is_told_in_our_words(provider: Provider, known: User) -> None:
    provider.error = "access_denied"
    client = Client()
    assert told(client, go(client)) == "Example did not sign you in."
    assert "loud" not in client.get("/login/").content.decode()


@pytest.mark.parametrize(
    "about",
    [
        {"issuer": "https://another.example.org"},
        {"token_endpoint": "http://another.example.org/token"},
        {"jwks_uri": "file:///etc/passwd"},
    ],
    ids=str,
)
def test_a_provider_that_is_not_what_it_should_be_is_not_asked(
    provider: Provider, db: None, about: dict[str, str]
) -> None:
    provider.metadata = about
    client = Client()
    assert told(client, client.get("/login/openid/")) == "Example does not answer just now: try again later"


def test_tries_have_an_end_and_a_silent_provider_is_told(
    provider: Provider, db: None, settings: LazySettings
) -> None:
    settings.OPENID_ISSUER = "http://127.0.0.1:9"
    for _ in range(50):
        client = Client()
        answer = client.get("/login/openid/")
    assert told(client, answer).startswith("Example does not answer")
    settings.OPENID_ISSUER = provider.address
    assert told(client, client.get("/login/openid/")) == "Too many tries. Wait 5 minutes."
    assert client.get("/login/openid/", REMOTE_ADDR="10.0.0.9")["Location"].startswith(provider.address)
