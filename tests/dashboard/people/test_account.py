"""One's own account: password, where one is signed in, tokens; and links for those who forgot a password."""

import re
from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from dashboard.models import ApiToken, AuditEntry, SignIn
from tests.people import Person

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
NEW = {"new_password1": "another-long-pass", "new_password2": "another-long-pass"}


@pytest.fixture(autouse=True)
def nothing_is_noted() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def _browser(person: Person, user_agent: str = FIREFOX) -> Client:
    """A browser in which somebody signed in and opened a page."""
    client = Client(headers={"user-agent": user_agent})
    client.force_login(person.user)
    client.get("/account/")
    return client


def _is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


class TestSignIns:
    def test_they_are_listed_without_their_keys(self, alice: Person) -> None:
        _browser(alice, "curl/8.0")
        here = _browser(alice)
        page = here.get("/account/").content.decode()
        assert "Firefox on Linux" in page
        assert "curl" in page
        assert "127.0.0.1" in page
        for sign_in in SignIn.objects.all():
            assert sign_in.session_id not in page

    def test_one_is_ended_and_its_next_request_is_a_strangers(self, alice: Person) -> None:
        there, here = _browser(alice, "curl/8.0"), _browser(alice)
        sign_in = SignIn.objects.get(browser="curl")
        here.post(f"/account/sign-ins/{sign_in.pk}/")
        assert (_is_in(there), _is_in(here)) == (False, True)

    def test_all_others_are_ended_at_once(self, alice: Person, bob: Person) -> None:
        there, here, other = _browser(alice), _browser(alice), _browser(bob)
        here.post("/account/sign-ins/")
        assert (_is_in(there), _is_in(here), _is_in(other)) == (False, True, True)

    def test_those_of_somebody_else_are_not_found(self, alice: Person, bob: Person) -> None:
        theirs, mine = _browser(bob), _browser(alice)
        sign_in = SignIn.objects.get(user=bob.user)
        assert mine.post(f"/account/sign-ins/{sign_in.pk}/").status_code == 404
        assert _is_in(theirs)
        assert not AuditEntry.objects.exists()

    def test_it_goes_with_its_session_and_is_noted_once_a_minute(self, alice: Person) -> None:
        here = _browser(alice)
        seen = SignIn.objects.get().last_seen_at
        here.get("/account/")
        assert SignIn.objects.get().last_seen_at == seen
        cache.clear()
        here.get("/account/")
        assert seen < SignIn.objects.get().last_seen_at <= timezone.now()
        here.post("/logout/")
        assert not SignIn.objects.exists()


class TestPassword:
    def test_it_is_changed_and_other_browsers_are_signed_out(self, alice: Person) -> None:
        there, here = _browser(alice), _browser(alice)
        here.post("/account/password/", {"old_password": "alice", **NEW})
        assert (_is_in(there), _is_in(here)) == (False, True)
        assert Client().login(username="alice", password="another-long-pass")
        assert SignIn.objects.count() == 1
        assert AuditEntry.objects.filter(action="set password", actor="alice").count() == 1

    @pytest.mark.parametrize(
        ("posted", "said"),
        [
            ({"old_password": "wrong", **NEW}, "This is not the present password."),
            (
                {"old_password": "alice", "new_password1": "12345678", "new_password2": "12345678"},
                "too common",
            ),
            ({"old_password": "alice", **NEW, "new_password2": "x"}, "match"),
        ],
    )
    def test_what_is_wrong_is_told_at_the_field(
        self, alice: Person, posted: dict[str, str], said: str
    ) -> None:
        answer = _browser(alice).post("/account/password/", posted)
        assert (answer.status_code, said in answer.content.decode()) == (400, True)
        assert Client().login(username="alice", password="alice")

    def test_it_cannot_be_tried_without_end(self, alice: Person) -> None:
        """Whoever sits at an open browser does not find it out."""
        here = _browser(alice)
        for _ in range(10):
            here.post("/account/password/", {"old_password": "wrong", **NEW})
        answer = here.post("/account/password/", {"old_password": "alice", **NEW})
        assert "Too many tries. Wait 5 minutes." in answer.content.decode()
        assert Client().login(username="alice", password="alice")

    def test_who_came_by_the_printed_link_sets_a_first_one(self, alice: Person) -> None:
        alice.user.set_unusable_password()
        alice.user.save()
        _browser(alice).post("/account/password/", NEW)
        assert Client().login(username="alice", password="another-long-pass")


class TestForgotten:
    def _link(self) -> str:
        out = StringIO()
        call_command("password", "alice", stdout=out)
        return out.getvalue().strip().removeprefix("http://127.0.0.1:8000")

    def test_a_link_sets_a_password_once_and_ends_every_sign_in(self, alice: Person) -> None:
        """The form's address holds no secret."""
        there, client, link = _browser(alice), Client(), self._link()
        form = client.get(link)["Location"]
        assert form.endswith("/set-password/")
        assert "A new password for alice" in client.get(form).content.decode()
        assert client.post(form, NEW)["Location"] == "/login/"
        assert "The password is set." in client.get("/login/").content.decode()
        assert Client().login(username="alice", password="another-long-pass")
        assert not _is_in(there)
        assert "This link does not work" in Client().get(link).content.decode()
        entry = AuditEntry.objects.get(action="set password")
        assert (entry.actor, entry.details) == ("alice", {"how": "by a link"})

    def test_it_is_taken_in_a_browser_that_is_signed_in(self, alice: Person) -> None:
        client = _browser(alice)
        assert client.post(client.get(self._link())["Location"], NEW).status_code == 302
        assert not _is_in(client)

    def test_a_bad_password_is_told_and_the_link_stays(self, alice: Person) -> None:
        client = Client()
        form = client.get(self._link())["Location"]
        answer = client.post(form, {"new_password1": "12345678", "new_password2": "12345678"})
        assert "too common" in answer.content.decode()
        assert client.post(form, NEW).status_code == 302

    def test_it_opens_nothing_once_the_password_was_remembered(self, alice: Person) -> None:
        link = self._link()
        Client().login(username="alice", password="alice")
        assert "This link does not work" in Client().get(link).content.decode()

    def test_a_superuser_makes_one_in_the_browser_and_others_do_not(
        self, client: Client, alice: Person, bob: Person
    ) -> None:
        client.force_login(bob.user)
        assert client.post("/accounts/", {"name": "alice"}).status_code == 403
        assert client.get("/accounts/").status_code == 403
        bob.user.is_superuser = True
        bob.user.save()
        made = client.post("/accounts/", {"name": "alice"}).content.decode()
        (path,) = re.findall(r'value="http://testserver(/reset/[^"]+)"', made)
        assert Client().get(path).status_code == 302
        assert client.post("/accounts/", {"name": "nobody"}).status_code == 404
        assert AuditEntry.objects.filter(action="make password link", actor="bob").count() == 1

    def test_a_locked_or_unknown_account_gets_none(self, alice: Person) -> None:
        alice.user.is_active = False
        alice.user.save()
        for name, said in (("alice", "is locked"), ("nobody", "there is no account")):
            with pytest.raises(CommandError, match=said):
                call_command("password", name, stdout=StringIO())


class TestTokens:
    def test_one_is_made_shown_once_and_revoked(self, alice: Person) -> None:
        here = _browser(alice)
        posted = {"name": "ci", "scope": "read", "system": "small", "days": "30"}
        made = here.post("/account/tokens/", posted).content.decode()
        (secret,) = set(re.findall(r'value="(perfatlas_[^"]+)"', made))
        client = Client(headers={"authorization": f"Bearer {secret}"})
        assert client.get("/api/v1/systems").status_code == 200
        page = here.get("/account/").content.decode()
        assert ("ci" in page, secret in page) == (True, False)
        here.post(f"/account/tokens/{ApiToken.objects.get().pk}/")
        assert client.get("/api/v1/systems").status_code == 401

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"name": ""}, "Name: say in up to 80"),
            ({"days": "400"}, "1 to 365 days"),
            ({"scope": "all"}, "read or write"),
            ({"system": "other"}, "There is no system"),
        ],
    )
    def test_what_cannot_be_is_told(self, alice: Person, wrong: dict[str, str], said: str) -> None:
        posted = {"name": "ci", "scope": "read", "system": "", "days": "30", **wrong}
        answer = _browser(alice).post("/account/tokens/", posted)
        assert (answer.status_code, said in answer.content.decode()) == (400, True)
        assert not ApiToken.objects.exists()

    def test_that_of_somebody_else_is_not_found(self, alice: Person, bob: Person) -> None:
        _browser(alice).post("/account/tokens/", {"name": "ci", "scope": "read", "system": "", "days": "30"})
        token = ApiToken.objects.get()
        assert _browser(bob).post(f"/account/tokens/{token.pk}/").status_code == 404
        token.refresh_from_db()
        assert token.revoked_at is None
