"""Read-only links to one report: no account needed, nothing else shown."""

import secrets
from datetime import timedelta

from django.db.models import F
from django.utils import timezone

from dashboard.access import NotFound, Permission, Principal, Refused
from dashboard.models import ShareLink
from dashboard.selectors.reports import get_report
from dashboard.services import audit
from dashboard.services.logins import digest

MAX_DAYS = 365


def create_share_link(*, principal: Principal, report_id: int, days: int) -> tuple[ShareLink, str]:
    """A link to the report that works for `days` days, and its token, which is stored only as its hash.

    Raises `Refused` for days outside 1 to 365, `NotFound` or `Forbidden` without the role editor.
    """
    if not 1 <= days <= MAX_DAYS:
        raise Refused(f"a link lives 1 to {MAX_DAYS} days, not {days}: choose a number in between")
    report = get_report(principal=principal, report_id=report_id, permission=Permission.EDIT)
    token = secrets.token_urlsafe(24)
    link = ShareLink.objects.create(
        report=report,
        token_digest=digest(token),
        created_by_id=principal.user_id,
        expires_at=timezone.now() + timedelta(days=days),
    )
    audit.record(principal, "share report", report.system.slug, report=report.pk, link=link.pk, days=days)
    return link, token


def revoke_share_link(*, principal: Principal, link_id: int) -> None:
    """Make the link answer like one that never was. Revoking twice changes nothing."""
    link = ShareLink.objects.select_related("report__system").filter(pk=link_id).first()
    if link is None:
        raise NotFound("there is no such link")
    report = get_report(principal=principal, report_id=link.report_id, permission=Permission.EDIT)
    if ShareLink.objects.filter(pk=link_id, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(principal, "revoke link", report.system.slug, report=report.pk, link=link_id)


def open_share_link(*, token: str) -> int | None:
    """The report's id if the link lives, counting the visit; None for unknown, expired and revoked alike."""
    now = timezone.now()
    living = ShareLink.objects.filter(
        token_digest=digest(token), revoked_at=None, expires_at__gt=now, report__system__visible=True
    )
    if not living.update(opened_count=F("opened_count") + 1, last_opened_at=now):
        return None
    return ShareLink.objects.values_list("report_id", flat=True).get(token_digest=digest(token))
