"""What is told: what is new, asked for, told by the filters on noise, and not spoken of; once a revision."""

from collections.abc import Callable

import pytest
from django.core import mail
from django.db.models import F

from dashboard.access import Access
from dashboard.models import Alert, AlertDelivery, AlertRule, Job, KnownChange, Point
from dashboard.selectors.history_list.findings import found_changes, named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.services.triage import TriageWords, triage_changes
from tests.dashboard.alerts.conftest import REVISIONS, refit, step, work

pytestmark = [pytest.mark.database, pytest.mark.django_db]
Made = Callable[..., AlertRule]


def test_a_change_of_two_histories_is_one_message(level: Access, made: Made) -> None:
    made()
    step(level, 24)
    assert work() == [{"new": 1, "sent": 1, "failed": 0}]
    (message,) = mail.outbox
    assert message.to == ["alice@example.org"]
    assert message.subject.startswith("[Small] +")
    assert "at r24 and 1 more history" in message.subject
    assert "Small changed for the worse between r23 and r24:" in message.body
    assert "Certainty that there is a step at all" in message.body
    assert "https://perf.example.org/alert/" in message.body


def test_without_a_rule_nothing_is_looked_at(level: Access) -> None:
    step(level, 24)
    assert not Job.objects.exists()


def test_what_was_there_before_the_rule_is_no_news(level: Access, made: Made) -> None:
    step(level, 12)
    made()
    refit(level)
    assert work() == [{"new": 0, "sent": 0, "failed": 0}]
    assert KnownChange.objects.filter(alert=None).count() == 2
    step(level, 24)
    work()
    assert [one.revision.name for one in Alert.objects.all()] == ["r24"]


def test_a_new_fit_that_finds_it_again_tells_it_to_nobody(level: Access, made: Made) -> None:
    """Also where it finds it a few revisions further on, or in one more history."""
    rule = made()
    step(level, 24, series=level.system.series.order_by("pk").first())
    work()
    names = ["r24", "r25", "r26"]
    points = Point.objects.filter(series__system=level.system, revision__name__in=names)
    points.filter(series=level.system.series.order_by("pk").first()).update(median=F("median") / 1.3)
    step(level, 27, series=level.system.series.order_by("pk").last())
    work()
    assert (Alert.objects.count(), len(mail.outbox)) == (1, 1)
    assert set(rule.known.values_list("after__name", flat=True)) == {"r27"}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"smallest_percent": 40.0}, 0),
        ({"smallest_percent": 20.0}, 1),
        ({"words": "C1"}, 1),
        ({"words": "nothing of this name"}, 0),
        ({"kind": "benchmark"}, 0),
        ({"kind": "configuration", "quantity": "time"}, 1),
        ({"quantity": "work"}, 0),
        ({"is_on": False}, 0),
    ],
)
def test_a_rule_tells_what_it_asks_for(
    level: Access, made: Made, words: dict[str, object], told: int
) -> None:
    made(**words)
    step(level, 24)
    work()
    assert len(mail.outbox) == told


def test_what_became_better_is_told_where_it_is_asked_for(level: Access, made: Made) -> None:
    made()
    made(name="any", people=("bob",), only_worse=False)
    step(level, 24, 0.7)
    work()
    assert [one.to for one in mail.outbox] == [["bob@example.org"]]


def test_what_went_away_is_told_to_nobody(level: Access, made: Made) -> None:
    made()
    step(level, 12, 1.3)
    Job.objects.all().delete()
    step(level, 24, 1 / 1.3)
    assert {verdict for verdict, *_ in found_changes(level.system, HistoryQuery()).filtered} == {"went away"}
    assert work() == [{"new": 0, "sent": 0, "failed": 0}]


def test_what_somebody_spoke_of_is_told_to_nobody(level: Access, made: Made) -> None:
    made()
    step(level, 24)
    query = HistoryQuery(state="all")
    (finding,) = found_changes(level.system, query).told
    changes = named_changes(level.system, query, finding.key, beside=False)
    triage_changes(access=level, changes=changes, words=TriageWords(state="expected"))
    assert work() == [{"new": 0, "sent": 0, "failed": 0}]


def test_a_history_that_comes_as_a_whole_has_few_messages(level: Access, made: Made) -> None:
    made()
    for number, at in enumerate(range(5, REVISIONS, 5)):
        names = [f"r{later}" for later in range(at, REVISIONS)]
        share = 1.3 + 0.2 * (number % 2)
        Point.objects.filter(revision__name__in=names).update(median=F("median") * share)
    refit(level)
    (result,) = work()
    assert result["new"] == len(mail.outbox) == 5
    assert sum("older revision" in one.body for one in mail.outbox) == 1
    refit(level)
    assert work()[0]["new"] == 0


def test_who_has_lost_their_role_is_told_nothing(level: Access, made: Made) -> None:
    made(people=("alice", "bob"))
    level.system.memberships.filter(user__username="bob").delete()
    step(level, 24)
    work()
    assert [one.to for one in mail.outbox] == [["alice@example.org"]]


def test_two_rules_send_one_person_one_message_of_a_revision(level: Access, made: Made) -> None:
    made()
    made(name="all", smallest_percent=1.0, people=("alice", "bob"))
    step(level, 24)
    work()
    assert sorted(one.to[0] for one in mail.outbox) == ["alice@example.org", "bob@example.org"]
    assert AlertDelivery.objects.count() == 2
