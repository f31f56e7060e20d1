"""Sending what is due: each message is claimed before it is sent, tried again later where that helps, and kept in the log."""

import logging
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from dashboard.models import Alert, AlertDelivery, AlertRule
from dashboard.selectors.alerts import due_deliveries, people_of
from dashboard.services.alerts.links import alert_link
from dashboard.services.alerts.messages import test_message, webhook_body, with_links
from dashboard.services.alerts.webhooks import host_of, post_json
from dashboard.services.mail import NotDelivered, send_mail

_log = logging.getLogger(__name__)

# After the first try, the second, ...: then it is given up.
BACK_OFF = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480))
_LONGEST_REASON = 400
NO_ADDRESS = "has no e-mail address"


def after_quiet_hours(rule: AlertRule, at: datetime) -> datetime:
    """When a message that could go out at that moment may do so, by the quiet hours of its rule."""
    if rule.quiet_from is None or rule.quiet_until is None or rule.quiet_from == rule.quiet_until:
        return at
    zone = ZoneInfo(rule.time_zone)
    local = at.astimezone(zone)
    since, until = rule.quiet_from, rule.quiet_until
    now = local.time()
    is_quiet = since <= now < until if since < until else now >= since or now < until
    if not is_quiet:
        return at
    day = local.date() if now < until else local.date() + timedelta(days=1)
    return datetime.combine(day, until, zone).astimezone(UTC)


def new_deliveries(rule: AlertRule, alert: Alert | None) -> list[AlertDelivery]:
    """Store the messages of an alert to everybody whom its rule tells, once to each person for one revision; of no alert, a test.

    A test goes out at once, whatever the hour.
    """
    now = timezone.now()
    due = now if alert is None else after_quiet_hours(rule, now)
    people = people_of(rule)
    if alert is not None:
        told = AlertDelivery.objects.filter(alert__revision=alert.revision_id, rule__system=rule.system_id)
        people = people.exclude(pk__in=told.exclude(user=None).values("user"))
    rows = [
        AlertDelivery(rule=rule, alert=alert, user=one, to=one.get_username(), due_at=due) for one in people
    ]
    if rule.webhook:
        rows.append(AlertDelivery(rule=rule, alert=alert, to=host_of(rule.webhook)[:260], due_at=due))
    return AlertDelivery.objects.bulk_create(rows)


def deliver_due(*, check: Any = lambda: None) -> dict[str, int]:
    """Send every message that is due, the oldest first; how many went out, and how many did not."""
    counts = {"sent": 0, "failed": 0}
    for pk in list(due_deliveries().values_list("pk", flat=True)):
        check()
        outcome = _deliver(pk)
        if outcome is not None:
            counts["sent" if outcome else "failed"] += 1
    return counts


def _deliver(pk: int) -> bool | None:
    """Send one message; whether it arrived, None where somebody else sends it just now."""
    row = AlertDelivery.objects.select_related("rule__system", "alert__revision", "user").get(pk=pk)
    later = timezone.now() + BACK_OFF[min(row.attempts, len(BACK_OFF) - 1)]
    claimed = due_deliveries().filter(pk=pk, attempts=row.attempts)
    if not claimed.update(attempts=F("attempts") + 1, due_at=after_quiet_hours(row.rule, later)):
        return None
    try:
        _send(row)
    except NotDelivered as error:
        is_over = error.is_final or row.attempts >= len(BACK_OFF)
        ended = {"state": AlertDelivery.State.FAILED, "ended_at": timezone.now()} if is_over else {}
        AlertDelivery.objects.filter(pk=pk).update(reason=str(error)[:_LONGEST_REASON], **ended)
        _log.warning("message %d to %s was not delivered: %s", pk, row.to, error)
        return False
    AlertDelivery.objects.filter(pk=pk).update(
        state=AlertDelivery.State.SENT, ended_at=timezone.now(), reason=""
    )
    return True


def _send(row: AlertDelivery) -> None:
    """Raises `NotDelivered`."""
    rule, alert = row.rule, row.alert
    if alert is None:
        subject, text = test_message(rule)
        about: dict[str, Any] = {"system": rule.system.slug, "rule": rule.name, "test": True}
    else:
        link = alert_link(alert, row.user_id)
        subject, text = alert.subject, with_links(alert, link)
        about = {
            "system": rule.system.slug,
            "rule": rule.name,
            "test": False,
            "confirmed": alert.is_confirmed,
            "alert": alert.pk,
            "revision": alert.revision.name,
            "commit": alert.revision.commit,
            "link": link,
        }
    if row.user is None:
        if not rule.webhook:
            raise NotDelivered("the rule has no webhook any more", is_final=True)
        post_json(rule.webhook, webhook_body(rule, subject, text, about))
        return
    if not people_of(rule).filter(pk=row.user.pk).exists():
        raise NotDelivered("the rule tells this person no more", is_final=True)
    _send_mail(row, subject, text)


def _send_mail(row: AlertDelivery, subject: str, text: str) -> None:
    address = row.user.email if row.user else ""
    if not address:
        raise NotDelivered(NO_ADDRESS, is_final=True)
    # The same for each try, so that a message that came twice is one.
    name = f"<perfatlas-alert-{row.pk}@{settings.DEFAULT_FROM_EMAIL.rpartition('@')[2].rstrip('>')}>"
    send_mail(address, subject, text, {"Message-ID": name})


def parsed_hour(text: str) -> time | None:
    """`22:00` as a time of the day; None for "". Raises `ValueError`."""
    if not text.strip():
        return None
    found = time.fromisoformat(text.strip())
    if found.tzinfo is not None:
        raise ValueError("the zone stands in a field of its own")
    return found
