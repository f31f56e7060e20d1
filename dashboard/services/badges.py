"""Badges: pictures that say by a secret address whether a system, or one of its histories, changed for the worse."""

import secrets

from django.db import transaction
from django.utils import timezone

from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Badge
from dashboard.selectors.histories.series import get_series
from dashboard.services import audit
from dashboard.services.logins import digest

_MOST_BADGES = 50
_LONGEST_NUMBER = 18


def make_badge(*, access: Access, history: str = "") -> tuple[Badge, str]:
    """A badge of a system, or of the one `history` with that number, and its token, which is stored only as its hash.

    Needs the role admin. Raises `Forbidden`, `NotFound` for a history that there is not, and `Refused` for what is no number
    and for too many badges.
    """
    access.check(Permission.ADMIN)
    if history and not (history.isascii() and history.isdecimal() and len(history) <= _LONGEST_NUMBER):
        raise Refused("a history is named by its number: it stands in the address of its page")
    series_id = int(history) if history else None
    row = None if series_id is None else get_series(system=access.system, series_id=series_id)
    if Badge.objects.filter(system=access.system, revoked_at=None).count() >= _MOST_BADGES:
        raise Refused(f"a system has at most {_MOST_BADGES} badges: revoke one first")
    token = secrets.token_urlsafe(24)
    with transaction.atomic():
        badge = Badge.objects.create(
            system=access.system,
            series_id=series_id,
            label="" if row is None else row.label[:400],
            token_digest=digest(token),
        )
        audit.record(access.principal, "make badge", access.slug, badge=badge.pk, history=badge.label)
    return badge, token


def revoke_badge(*, access: Access, badge_id: int) -> None:
    """Make a badge answer like one that never was. Revoking twice changes nothing. Raises `NotFound` and `Forbidden`."""
    access.check(Permission.ADMIN)
    found = Badge.objects.filter(system=access.system, pk=badge_id)
    if not found.exists():
        raise NotFound("there is no such badge")
    with transaction.atomic():
        if found.filter(revoked_at=None).update(revoked_at=timezone.now()):
            audit.record(access.principal, "revoke badge", access.slug, badge=badge_id)
