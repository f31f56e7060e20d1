"""The link in a message: it says which alert is meant, and who acknowledges it. It is signed, expires, and does nothing by itself."""

from datetime import timedelta

from django.contrib.auth.models import User
from django.core import signing
from django.utils import timezone

from dashboard.access import Access, Permission, Refused
from dashboard.models import Alert
from dashboard.selectors.alerts import findings_of
from dashboard.selectors.history_list.findings import named_changes
from dashboard.selectors.history_list.rows import HistoryQuery
from dashboard.selectors.triage import UNTOUCHED
from dashboard.services.public_address import public_url
from dashboard.services.triage import TriageWords, triage_changes

LIFE = timedelta(days=30)
_SALT = "perfatlas.alert"


def alert_link(alert: Alert, user_id: int | None) -> str:
    """The address that opens an alert, for one person, or for whoever signs in."""
    token = signing.dumps([alert.pk, user_id], salt=_SALT)
    return public_url(f"/alert/{token}/", opened_at=alert.rule.opened_at)


def opened_link(token: str) -> tuple[int, int | None] | None:
    """The alert (id) and the person (id) of a link; None for one that was mistyped or has expired."""
    try:
        alert_id, user_id = signing.loads(token, salt=_SALT, max_age=LIFE)
    except signing.BadSignature:
        return None
    return alert_id, user_id


def kept_alert(alert_id: int) -> Alert | None:
    """An alert that somebody opened by its link, as long as its system is there."""
    rows = Alert.objects.select_related("rule__system", "revision")
    return rows.filter(pk=alert_id, rule__system__visible=True).first()


def account_of(user_id: int | None) -> User | None:
    """The person of a link, as long as they may sign in."""
    return None if user_id is None else User.objects.filter(pk=user_id, is_active=True).first()


def acknowledge(*, access: Access, alert: Alert) -> None:
    """Say of all findings of an alert that they are acknowledged, where nobody said anything yet.

    Needs the role editor. Raises `Refused` where nothing of it is found any more, and `Forbidden`.
    """
    access.check(Permission.EDIT)
    findings = findings_of(alert)
    if not findings:
        raise Refused("what this told is found no more: new measurements say otherwise")
    query = HistoryQuery(state="all")
    changes = [
        change
        for finding in findings
        if finding.triage.state == UNTOUCHED.state
        for change in named_changes(access.system, query, finding.key, beside=False)
    ]
    if changes:
        triage_changes(access=access, changes=changes, words=TriageWords(state="acknowledged"))
    unsaid = Alert.objects.filter(pk=alert.pk, acknowledged_at=None)
    unsaid.update(acknowledged_by=access.principal.name, acknowledged_at=timezone.now())
