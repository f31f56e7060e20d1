"""The page of a system's alerts, the link in a message, and the command."""

import json
import re
from collections.abc import Callable
from io import StringIO

import pytest
from django.conf import LazySettings
from django.core import mail
from django.core.management import call_command
from django.test import Client

from dashboard.access import Access
from dashboard.models import Alert, AlertRule, Membership, TriagedChange
from tests.dashboard.alerts.conftest import refit, step, work
from tests.people import Person
from tests.sinks import Sink

pytestmark = [pytest.mark.database, pytest.mark.django_db]
Made = Callable[..., AlertRule]
PAGE = "/systems/small/alerts/"
FORM = {
    "name": "slower",
    "smallest_percent": "5",
    "certainty_percent": "95",
    "only_worse": "on",
    "people": ["alice", "bob"],
    "shape": "slack",
    "time_zone": "Europe/Berlin",
    "quiet_from": "22:00",
    "quiet_until": "07:00",
    "is_on": "on",
}


@pytest.fixture
def admin(client: Client, alice: Person, bob: Person) -> Client:
    client.force_login(alice.user)
    return client


def _shown(client: Client, address: str = PAGE) -> str:
    return client.get(address).content.decode()


def _rule_page() -> str:
    return f"{PAGE}rules/{AlertRule.objects.get().pk}/"


def test_an_admin_makes_and_changes_a_rule(admin: Client, level: Access) -> None:
    assert "No rule yet" in _shown(admin)
    secret = "https://hooks.example.org/services/s3cret"
    answer = admin.post(f"{PAGE}rules/", FORM | {"webhook": secret}, follow=True)
    text = answer.content.decode()
    assert "The rule slower is kept." in text
    assert "quiet from 22:00 to 07:00, Europe/Berlin" in text
    assert "hooks.example.org" in text
    shown = _shown(admin, _rule_page())
    assert "s3cret" not in text + shown
    assert 'value="22:00"' in shown
    # Blank keeps the address.
    admin.post(_rule_page(), FORM | {"name": "slow", "webhook": ""})
    rule = AlertRule.objects.get()
    assert (rule.name, rule.webhook, rule.shape) == ("slow", secret, "slack")
    admin.post(_rule_page(), FORM | {"no_webhook": "on"})
    assert AlertRule.objects.get().webhook == ""
    assert sorted(rule.recipients.values_list("user__username", flat=True)) == ["alice", "bob"]


def test_what_is_wrong_is_told_and_what_was_written_stays(admin: Client, level: Access) -> None:
    answer = admin.post(f"{PAGE}rules/", FORM | {"smallest_percent": "much", "name": "mine"})
    text = answer.content.decode()
    assert (answer.status_code, AlertRule.objects.count()) == (400, 0)
    assert "The smallest change is no number" in text
    assert 'value="mine"' in text
    secret = admin.post(f"{PAGE}rules/", FORM | {"webhook": "http://hooks.example.org/s3cret"})
    assert b"s3cret" not in secret.content


def test_everything_wrong_is_told_at_its_field_at_once(admin: Client, level: Access) -> None:
    """What was written stays, but for the secret: that says so."""
    wrong: dict[str, str | list[str]] = {
        "name": " ",
        "smallest_percent": "much",
        "certainty_percent": "101",
        "quiet_until": "",
    }
    wrong |= {"time_zone": "Mars", "people": [], "webhook": "http://hooks.example.org/s3cret"}
    answer = admin.post(f"{PAGE}rules/", {**FORM, **wrong})
    text = " ".join(answer.content.decode().split())
    assert answer.status_code == 400
    for field, said in (
        ("name", "A rule&#x27;s name has 1 to 80 characters."),
        ("certainty_percent", "The smallest change is no number."),
        ("certainty_percent", "The certainty is 0 to 100 %."),
        ("shape", "The webhook must begin with https://"),
        ("shape", "write the webhook once more: it is a secret, which no page shows."),
        ("time_zone", "Quiet hours have a beginning and an end, or neither."),
        ("time_zone", "There is no time zone &#x27;Mars&#x27;"),
    ):
        before, found, _ = text.partition(said)
        assert found, said
        assert re.findall(r'name="(\w+)"', before)[-1] == field
    assert all(f'value="{one}"' in text for one in ("much", "101", "Mars", "22:00"))
    assert "s3cret" not in text


def test_a_webhook_is_asked_for_again_where_another_field_is_wrong(admin: Client, level: Access) -> None:
    secret = {"webhook": "https://hooks.example.org/s3cret", "time_zone": "Mars"}
    text = admin.post(f"{PAGE}rules/", FORM | secret).content.decode()
    assert "Write the webhook once more: it is a secret, which no page shows." in text
    assert "once more" not in admin.post(f"{PAGE}rules/", FORM | {"time_zone": "Mars"}).content.decode()


def test_a_rule_is_tested_and_deleted_and_the_log_says_how_it_got_on(admin: Client, made: Made) -> None:
    made()
    assert "1 test on the way" in admin.post(f"{_rule_page()}test/", follow=True).content.decode()
    work()
    assert [one.to for one in mail.outbox] == [["alice@example.org"]]
    assert re.search(r"alice: sent", _shown(admin))
    assert "tells nobody any more" in admin.post(f"{_rule_page()}delete/", follow=True).content.decode()


@pytest.fixture
def link(level: Access, made: Made) -> str:
    """What alice got by mail: where the message leads."""
    made()
    step(level, 24)
    work()
    found = re.search(r"https://perf\.example\.org(/alert/\S+)", str(mail.outbox[0].body))
    assert found
    return found[1]


def _open(client: Client, link: str) -> str:
    answer = client.get(link)
    assert (answer.status_code, answer["Location"], answer["Referrer-Policy"]) == (
        302,
        "/alert/",
        "no-referrer",
    )
    return client.get("/alert/").content.decode()


def test_the_link_acknowledges_after_a_press_and_never_by_itself(
    client: Client, admin: Client, link: str
) -> None:
    """Whoever the message was sent to needs not sign in."""
    reader = Client()
    text = _open(reader, link)
    assert "Small changed for the worse" in text
    assert "Acknowledge it as alice" in text
    assert not TriagedChange.objects.exists()
    assert reader.post("/alert/").status_code == 302
    assert set(TriagedChange.objects.values_list("state", "said_by")) == {("acknowledged", "alice")}
    again = reader.get("/alert/").content.decode()
    assert "alice said of it" in again
    assert "acknowledged" in again
    assert "alice spoke of it." in _shown(admin)


def test_a_button_of_another_site_acknowledges_nothing(link: str) -> None:
    reader = Client(enforce_csrf_checks=True)
    _open(reader, link)
    assert reader.post("/alert/").status_code == 403
    assert not TriagedChange.objects.exists()


@pytest.mark.parametrize("token", ["x", "WzEsMV0:1wxyz:aaaa", ""])
def test_a_link_that_was_made_up_opens_nothing(db: None, token: str) -> None:
    assert Client().get(f"/alert/{token}").status_code in {301, 404}
    assert Client().get(f"/alert/{token}/").status_code == 404
    assert Client().get("/alert/").status_code == 404


def test_who_lost_their_role_sees_nothing_by_an_old_link(link: str, alice: Person) -> None:
    Membership.objects.filter(user=alice.user).delete()
    reader = Client()
    reader.get(link)
    answer = reader.get("/alert/")
    assert (answer.status_code, b"Small" in answer.content) == (404, False)


def test_a_viewer_reads_and_acknowledges_nothing(link: str, alice: Person) -> None:
    Membership.objects.filter(user=alice.user).update(role="viewer")
    reader = Client()
    assert "needs the role editor" in _open(reader, link)
    assert reader.post("/alert/").status_code == 400
    assert not TriagedChange.objects.exists()


def test_the_link_of_a_webhook_asks_who_one_is(  # noqa: PLR0917 -- everybody who opens it
    level: Access, made: Made, sink: Sink, settings: LazySettings, bob: Person, charlie: Person
) -> None:
    settings.ALERT_INNER_HOSTS = ["127.0.0.1"]
    made(people=(), webhook=sink.address)
    step(level, 24)
    work()
    link = sink.bodies[0]["link"].removeprefix("https://perf.example.org")
    reader = Client()
    text = _open(reader, link)
    assert "Sign in to see it" in text
    assert "Small" not in text
    assert reader.post("/alert/").status_code == 200
    assert not TriagedChange.objects.exists()
    stranger = Client()
    stranger.force_login(charlie.user)
    stranger.get(link)
    assert stranger.get("/alert/").status_code == 404
    reader.force_login(bob.user)
    reader.get(link)
    reader.post("/alert/")
    assert set(TriagedChange.objects.values_list("said_by", flat=True)) == {"bob"}


def test_what_is_found_no_more_says_so(level: Access, link: str) -> None:
    step(level, 24, 1 / 1.3)
    reader = Client()
    assert "found no more" in _open(reader, link)
    assert reader.post("/alert/").status_code == 400


def test_the_command_lists_tests_and_sends(level: Access, made: Made) -> None:
    rule = made()
    step(level, 24)

    def run(*more: str) -> str:
        out = StringIO()
        call_command("alerts", "small", *more, stdout=out, stderr=StringIO())
        return out.getvalue()

    assert f"rule {rule.pk}  slower: 5\N{NO-BREAK SPACE}% or more for the worse" in run()
    assert "alice: sent" in run("--send")
    assert len(mail.outbox) == 1
    rows = [json.loads(line) for line in run("--json").splitlines()]
    assert [row["messages"] for row in rows if "alert" in row] == [{"alice": "sent"}]
    run("--test", str(rule.pk))
    run("--send")
    assert [one.subject for one in mail.outbox][1:] == ["[Small] Test of the rule slower"]
    refit(level)
    assert Alert.objects.count() == 1
