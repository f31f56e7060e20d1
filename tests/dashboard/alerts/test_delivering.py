"""Messages: webhooks, what fails and is tried again, quiet hours, tests; and no secret anywhere."""

import logging
import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import pytest
from django.conf import LazySettings
from django.core import mail
from django.test import Client
from django.utils import timezone

from dashboard.access import Access, Forbidden, Refused, access_to
from dashboard.models import AlertDelivery, AlertRule, AuditEntry, System
from dashboard.services.alerts.deliveries import deliver_if_due
from dashboard.services.alerts.delivering import after_quiet_hours, deliver_due
from dashboard.services.alerts.rules import RuleWords, delete_rule, test_rule, write_rule
from tests.dashboard.alerts.conftest import step, work
from tests.people import Person
from tests.sinks import Sink, posting

test_rule.__test__ = False  # type: ignore[attr-defined] # it is the service
pytestmark = [pytest.mark.once, pytest.mark.database, pytest.mark.django_db]
Made = Callable[..., AlertRule]


@pytest.fixture
def inner(settings: LazySettings) -> None:
    """Webhooks may call this machine."""
    settings.ALERT_INNER_HOSTS = ["127.0.0.1"]


@pytest.mark.usefixtures("inner")
def test_a_webhook_is_sent_json(level: Access, made: Made, sink: Sink) -> None:
    made(people=(), webhook=sink.address)
    step(level, 24)
    assert work()[0]["sent"] == 1
    (body,) = sink.bodies
    assert sink.paths == ["/hook/s3cret"]
    assert body["title"].startswith("[Small] +")
    assert (body["system"], body["revision"], body["test"]) == ("small", "r24", False)
    assert body["link"].startswith("https://perf.example.org/alert/")


@pytest.mark.usefixtures("inner")
@pytest.mark.parametrize(
    ("shape", "key"), [("slack", "text"), ("discord", "content"), ("teams", "attachments")]
)
def test_services_get_what_they_take(level: Access, made: Made, sink: Sink, shape: str, key: str) -> None:
    made(people=(), webhook=sink.address, shape=shape)
    step(level, 24)
    work()
    assert "changed for the worse" in str(sink.bodies[0][key])


@pytest.mark.usefixtures("inner")
def test_what_fails_is_tried_again_later_and_then_given_up(
    level: Access, made: Made, sink: Sink, operator: object, sent: list[int]
) -> None:
    made(people=(), webhook=sink.address)
    sink.status = 503
    step(level, 24)
    work()
    row = AlertDelivery.objects.get()
    assert (row.state, row.attempts, row.reason) == ("waiting", 1, "127.0.0.1 answered 503")
    assert row.due_at > timezone.now() + timedelta(seconds=50)
    assert deliver_due() == {"sent": 0, "failed": 0}
    for _ in range(5):
        AlertDelivery.objects.update(due_at=timezone.now())
        deliver_due()
    row.refresh_from_db()
    assert (row.state, row.attempts, len(sink.bodies)) == ("failed", 6, 6)


@pytest.mark.usefixtures("inner")
def test_a_server_that_comes_back_gets_it(level: Access, made: Made, sink: Sink) -> None:
    made(people=(), webhook=sink.address)
    sink.status = 500
    step(level, 24)
    work()
    sink.status = 204
    AlertDelivery.objects.update(due_at=timezone.now())
    deliver_if_due(principal=level.principal)
    deliver_if_due(principal=level.principal)
    assert work() == [{"sent": 1, "failed": 0}]
    row = AlertDelivery.objects.get()
    assert (row.state, row.reason) == ("sent", "")


@pytest.mark.usefixtures("inner")
@pytest.mark.parametrize(("status", "state"), [(404, "failed"), (302, "failed"), (429, "waiting")])
def test_what_no_second_try_helps_is_given_up_at_once(
    level: Access, made: Made, sink: Sink, status: int, state: str
) -> None:
    made(people=(), webhook=sink.address)
    sink.status, sink.location = status, sink.address
    step(level, 24)
    work()
    assert (AlertDelivery.objects.get().state, len(sink.bodies)) == (state, 1)


def test_without_an_address_or_a_mail_server_the_log_says_so(
    level: Access, made: Made, alice: Person, settings: LazySettings
) -> None:
    made(people=("alice", "bob"))
    settings.EMAIL_URL = ""
    alice.user.email = ""
    alice.user.save()
    step(level, 24)
    work()
    reasons = dict(AlertDelivery.objects.values_list("to", "reason"))
    assert reasons["alice"] == "has no e-mail address"
    assert reasons["bob"] == "no mail server is set: PERFATLAS_EMAIL_URL"


@pytest.mark.parametrize(
    ("since", "until", "zone", "at", "due"),
    [
        ("22:00", "07:00", "UTC", "23:30", (1, "07:00")),
        ("22:00", "07:00", "UTC", "06:59", (0, "07:00")),
        ("22:00", "07:00", "UTC", "07:00", (0, "07:00")),
        ("22:00", "07:00", "UTC", "12:00", (0, "12:00")),
        ("12:00", "13:00", "UTC", "12:30", (0, "13:00")),
        ("22:00", "07:00", "Europe/Berlin", "21:30", (1, "06:00")),
        ("22:00", "07:00", "America/New_York", "21:30", (0, "21:30")),
    ],
)
def test_quiet_hours_delay(since: str, until: str, zone: str, at: str, due: tuple[int, str]) -> None:
    rule = AlertRule(
        quiet_from=time.fromisoformat(since), quiet_until=time.fromisoformat(until), time_zone=zone
    )
    day = datetime(2026, 11, 24, tzinfo=UTC)

    def moment(days: int, hour: str) -> datetime:
        return datetime.combine(day + timedelta(days=days), time.fromisoformat(hour), UTC)

    assert after_quiet_hours(rule, moment(0, at)) == moment(*due)


def test_in_quiet_hours_a_message_waits_and_a_test_goes_out(
    level: Access, made: Made, alice: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = made(quiet_from="00:00", quiet_until="23:59")
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 11, 24, 12, tzinfo=UTC))
    step(level, 24)
    work()
    assert (AlertDelivery.objects.get().attempts, mail.outbox) == (0, [])
    assert test_rule(access=access_to(alice.principal, "small"), rule_id=rule.pk) == 1
    work()
    assert [one.subject for one in mail.outbox] == ["[Small] Test of the rule slower"]


def test_a_test_goes_out_whatever_the_system_is_called(level: Access, made: Made, alice: Person) -> None:
    """A line's end in a name ends no head of a message: mail would refuse it."""
    System.objects.filter(pk=level.system.pk).update(name="Sm\nBcc: all")
    test_rule(access=access_to(alice.principal, "small"), rule_id=made().pk)
    work()
    assert [one.subject for one in mail.outbox] == ["[Sm Bcc: all] Test of the rule slower"]


def test_only_admins_write_rules(level: Access, made: Made, bob: Person) -> None:
    rule = made()
    access = access_to(bob.principal, level.slug)
    for act in (
        lambda: write_rule(access=access, words=RuleWords("x", people=("bob",)), opened_at=""),
        lambda: test_rule(access=access, rule_id=rule.pk),
        lambda: delete_rule(access=access, rule_id=rule.pk),
    ):
        with pytest.raises(Forbidden):
            act()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"name": " "}, "1 to 80"),
        ({"people": ()}, "nobody is told"),
        ({"people": ("charlie",)}, "'charlie' has no role here"),
        ({"teams": ("build",)}, "'build' has no role here"),
        ({"smallest_percent": -1.0}, "0 to 1000"),
        ({"smallest_percent": float("nan")}, "0 to 1000"),
        ({"certainty_percent": 101.0}, "0 to 100"),
        ({"kind": "term"}, "the kind is one of"),
        ({"quiet_from": "22:00"}, "a beginning and an end"),
        ({"quiet_from": "25:00", "quiet_until": "07:00"}, "22:00"),
        ({"time_zone": "Mars/Olympus"}, "no time zone"),
        ({"time_zone": "../../etc/passwd"}, "no time zone"),
        ({"shape": "xml"}, "a webhook takes"),
        ({"webhook": "http://hooks.example.org/x"}, "https://"),
    ],
)
def test_what_cannot_be_is_refused(made: Made, charlie: Person, words: dict[str, object], said: str) -> None:
    with pytest.raises(Refused, match=said):
        made(**words)
    assert not AlertRule.objects.exists()


@pytest.mark.usefixtures("inner")
def test_the_address_of_a_webhook_is_nowhere(
    level: Access, made: Made, sink: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    made(webhook=sink.address)
    sink.status = 500
    step(level, 24)
    work()
    kept = [str(row) for row in (*AuditEntry.objects.values_list(), *AlertDelivery.objects.values_list())]
    assert not any("s3cret" in text for text in (*kept, caplog.text))


def test_a_mail_server_gets_subject_text_and_link(
    level: Access, made: Made, settings: LazySettings, client: Client
) -> None:
    made(people=("alice", "bob"))
    with posting() as postbox:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", postbox.port
        postbox.refused = {"bob@example.org"}
        step(level, 24)
        work()
    ((address, message),) = postbox.taken
    assert (address, message["To"]) == ("alice@example.org", "alice@example.org")
    assert message["Subject"].startswith("[Small] +29.9")
    assert message["Auto-Submitted"] == "auto-generated"
    text = message.get_content()
    assert "Small changed for the worse between r23 and r24:" in text
    (path,) = re.findall(r"See and acknowledge it: https://perf\.example\.org(/alert/\S+)", text)
    client.get(path)
    assert "Acknowledge it as alice" in client.get("/alert/").content.decode()
    row = AlertDelivery.objects.get(to="bob")
    assert (row.state, row.reason) == ("failed", "the mail server refuses the address")
