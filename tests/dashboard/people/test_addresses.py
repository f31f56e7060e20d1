"""The e-mail address of an account, and links for a new password by e-mail: through a real mail server."""

import re
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.test import Client

from dashboard.job_kinds import KINDS
from dashboard.models import AuditEntry, Job, TryCount
from dashboard.services.jobs.running import run_job
from tests.people import Person
from tests.sinks import Postbox, posting

pytestmark = [pytest.mark.database, pytest.mark.django_db, pytest.mark.usefixtures("sent")]
NEW = {"new_password1": "another-long-pass", "new_password2": "another-long-pass"}


@pytest.fixture(autouse=True)
def postbox(settings: LazySettings) -> Iterator[Postbox]:
    """The mail server that is set."""
    with posting() as found:
        settings.EMAIL_URL = f"smtp://127.0.0.1:{found.port}"
        settings.PUBLIC_URL = "https://perf.example.org"
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", found.port
        yield found


def _browser(person: Person) -> Client:
    client = Client()
    client.force_login(person.user)
    return client


def _link(postbox: Postbox, address: str) -> str:
    """The path of the link in the newest message, which went to that address."""
    to, message = postbox.taken[-1]
    assert to == address
    (path,) = re.findall(r"https://perf\.example\.org(/\S+)", message.get_content())
    return str(path)


def _asked(person: Person, address: str) -> str:
    """What the page says where one asks for an address."""
    return (
        _browser(person).post("/account/address/", {"address": address}, follow=True).content.decode().lower()
    )


def _email(person: Person) -> str:
    person.user.refresh_from_db()
    return person.user.email


def test_an_address_is_kept_once_its_link_was_opened(alice: Person, postbox: Postbox) -> None:
    """Opening it changes nothing: a press of the button does, once."""
    assert "a link is on its way to a@example.org" in _asked(alice, "a@example.org")
    assert postbox.taken[0][1]["Subject"] == "[Perfatlas] Is this your address?"
    client, link = _browser(alice), _link(postbox, "a@example.org")
    opened = client.get(link)
    assert (opened["Location"], opened["Referrer-Policy"]) == ("/address/", "no-referrer")
    assert "Is a@example.org yours?" in client.get("/address/").content.decode()
    assert _email(alice) == ""
    assert "Messages for you go to a@example.org" in client.post("/address/", follow=True).content.decode()
    assert _email(alice) == "a@example.org"
    client.get(link)
    assert client.post("/address/").status_code == 400
    assert AuditEntry.objects.filter(action="confirm e-mail address", actor="alice").count() == 1
    client.post("/account/address/", {"forget": ""})
    assert _email(alice) == ""


def test_the_link_of_another_account_gives_nothing(alice: Person, bob: Person, postbox: Postbox) -> None:
    _asked(alice, "a@example.org")
    stranger, other, link = Client(), _browser(bob), _link(postbox, "a@example.org")
    stranger.get(link)
    assert stranger.get("/address/")["Location"] == "/login/?next=/address/"
    other.get(link)
    assert b"another account" in other.post("/address/").content
    assert (_email(alice), _email(bob)) == ("", "")
    assert Client().get("/address/made-up/").status_code == 404
    assert other.get(link.replace("address/", "alert/")).status_code == 404


@pytest.mark.parametrize("address", ["alice", "a@b@c", "a@example.org\nBcc: b@example.org", ""])
def test_what_is_no_address_is_refused(alice: Person, postbox: Postbox, address: str) -> None:
    assert "written as name@example.org" in _asked(alice, address)
    assert postbox.taken == []


def test_nobody_is_flooded(alice: Person, bob: Person, postbox: Postbox) -> None:
    """Neither by one account nor at one address."""
    for _ in range(4):
        _asked(alice, "a@example.org")
    for _ in range(4):
        said = _asked(bob, "A@example.org")
    assert "too many messages" in said
    assert len(postbox.taken) == 5


def test_a_refusal_of_the_mail_server_is_told(
    alice: Person, postbox: Postbox, settings: LazySettings
) -> None:
    postbox.refused = {"a@example.org"}
    assert "the mail server refuses the address" in _asked(alice, "a@example.org")
    settings.EMAIL_URL = ""
    assert "no mail server is set" in _asked(alice, "a@example.org")


def _forget(words: str, client: Client | None = None) -> str:
    return (client or Client()).post("/forgot/", {"words": words}).content.decode()


def _send() -> None:
    for job in Job.objects.filter(state=Job.State.QUEUED):
        run_job(job_id=job.pk, kinds=KINDS)
        job.refresh_from_db()
        assert (job.state, job.result) == (Job.State.DONE, {})


@pytest.mark.parametrize("words", ["alice", "A@example.org"])
def test_a_forgotten_password_is_set_by_a_link_once(alice: Person, postbox: Postbox, words: str) -> None:
    alice.user.email = "a@example.org"
    alice.user.save()
    _forget(words)
    _send()
    assert postbox.taken[0][1]["Subject"] == "[Perfatlas] A new password for alice"
    link, client = _link(postbox, "a@example.org"), Client()
    client.post(client.get(link)["Location"], NEW)
    assert client.login(username="alice", password="another-long-pass")
    assert b"does not work" in Client().get(link).content


def test_whoever_asks_reads_the_same(alice: Person, bob: Person, postbox: Postbox) -> None:
    """There is such an account, it has no address, it is locked, or there is none."""
    alice.user.email = "a@example.org"
    alice.user.save()
    first = _forget("alice")
    bob.user.email, bob.user.is_active = "b@example.org", False
    bob.user.save()
    token = re.compile(r'name="csrfmiddlewaretoken" value="[^"]+"')
    for words in ("bob", "b@example.org", "nobody", "a\0", "x" * 999):
        TryCount.objects.all().delete()
        assert token.sub("", _forget(words)) == token.sub("", first)
    _send()
    assert [to for to, _ in postbox.taken] == ["a@example.org"]


def test_asking_has_a_brake(alice: Person, postbox: Postbox) -> None:
    """One account gets two messages at most, and one address asks five times, whoever it asks for."""
    alice.user.email = "a@example.org"
    alice.user.save()
    for _ in range(5):
        assert "too many tries" not in _forget("alice").lower()
    assert "too many tries" in _forget("nobody").lower()
    _send()
    assert len(postbox.taken) == 2


def test_without_a_mail_server_the_page_says_who_helps(db: None, settings: LazySettings) -> None:
    settings.EMAIL_URL = ""
    assert b"sends no links by e-mail" in Client().get("/forgot/").content
    assert not Job.objects.exists()


def test_no_link_is_sent_to_where_a_request_says_that_we_are(
    alice: Person, bob: Person, postbox: Postbox, settings: LazySettings
) -> None:
    """Whoever asks names host and port: a link that opens an account begins with the setting, or is not sent."""
    bob.user.email = "b@example.org"
    bob.user.save()
    for address in ("https://perf.example.org", ""):
        settings.PUBLIC_URL = address
        Client(SERVER_NAME="testserver", SERVER_PORT="4444").post("/forgot/", {"words": "bob"})
        client = _browser(alice)
        client.post("/account/address/", {"address": "a@example.org"}, SERVER_PORT="4444")
        if address:
            _send()
            assert {to for to, _ in postbox.taken} == {"a@example.org", "b@example.org"}
            assert not any("testserver" in message.get_content() for _, message in postbox.taken)
    assert len(postbox.taken) == 2
    assert not Job.objects.filter(state=Job.State.QUEUED).exists()
    assert "perfatlas_public_url" in _asked(alice, "a@example.org")
