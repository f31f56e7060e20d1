"""Read-only links to one report: no account needed, nothing else shown."""

import logging
import secrets
from datetime import timedelta

from django.contrib.auth.hashers import check_password, make_password
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from dashboard.access import NotFound, Permission, Principal, Refused
from dashboard.models import LinkVisit, ShareLink
from dashboard.selectors.reports import get_report
from dashboard.services import audit
from dashboard.services.logins import digest
from dashboard.services.tries import BRAKE_MINUTES, count_try
from dashboard.services.visits import browser_of, shortened_address

_log = logging.getLogger(__name__)

MAX_DAYS = 365
# How long it is kept who opened a link.
KEPT = timedelta(days=90)
_SHORTEST_PASSWORD = 8
_LONGEST_PASSWORD = 128
# Tries of the password of one link within the minutes: from one address, and from everywhere.
_MOST_TRIES = (10, 100)


def create_share_link(
    *, principal: Principal, report_id: int, days: int, password: str = ""
) -> tuple[ShareLink, str]:
    """A link to the report that works for `days` days, and its token, which is stored only as its hash.

    With a `password`, stored likewise, it asks for that first. Raises `Refused` for days outside 1 to 365 and for a
    password that is too short or long, `NotFound` or `Forbidden` without the role editor.
    """
    if not 1 <= days <= MAX_DAYS:
        raise Refused(f"a link lives 1 to {MAX_DAYS} days, not {days}: choose a number in between")
    if password and not _SHORTEST_PASSWORD <= len(password) <= _LONGEST_PASSWORD:
        raise Refused(
            f"a link's password has {_SHORTEST_PASSWORD} to {_LONGEST_PASSWORD} characters, not {len(password)}"
        )
    report = get_report(principal=principal, report_id=report_id, permission=Permission.EDIT)
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        link = ShareLink.objects.create(
            report=report,
            token_digest=digest(token),
            password=make_password(password) if password else "",
            created_by_id=principal.user_id,
            expires_at=timezone.now() + timedelta(days=days),
        )
        about = {"report": report.pk, "link": link.pk, "days": days, "password": bool(password)}
        audit.record(principal, "share report", report.system.slug, **about)
    return link, token


def revoke_share_link(*, principal: Principal, link_id: int) -> None:
    """Make the link answer like one that never was. Revoking twice changes nothing."""
    link = ShareLink.objects.select_related("report__system").filter(pk=link_id).first()
    if link is None:
        raise NotFound("there is no such link")
    report = get_report(principal=principal, report_id=link.report_id, permission=Permission.EDIT)
    if ShareLink.objects.filter(pk=link_id, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record(principal, "revoke link", report.system.slug, report=report.pk, link=link_id)


def living_share_link(*, token: str) -> ShareLink | None:
    """The link of a token as long as it lives; None for unknown, expired and revoked alike. One query."""
    return ShareLink.objects.filter(
        token_digest=digest(token),
        revoked_at=None,
        expires_at__gt=timezone.now(),
        report__system__visible=True,
    ).first()


def is_password_of(link: ShareLink, password: str, *, address: str) -> bool:
    """Whether a password opens a link. Raises `Refused` after too many tries from an address, or from everywhere."""
    for who, most in zip(((link.pk, address), (link.pk, None)), _MOST_TRIES, strict=True):
        many = count_try(("share link", *who))
        if many == most + 1:
            _log.warning("too many passwords were tried for share link %d from %.60r", link.pk, address)
        if many > most:
            raise Refused(f"Too many tries. Wait {BRAKE_MINUTES} minutes.")
    return check_password(password, link.password)


def note_visit(link: ShareLink, *, what: str, address: str, user_agent: str) -> None:
    """Keep that a link was opened: what of its report, when, roughly from where, by which family of browsers."""
    now = timezone.now()
    with transaction.atomic():
        ShareLink.objects.filter(pk=link.pk).update(opened_count=F("opened_count") + 1, last_opened_at=now)
        LinkVisit.objects.create(
            link=link,
            at=now,
            what=what,
            address=shortened_address(address),
            browser=browser_of(user_agent),
        )
