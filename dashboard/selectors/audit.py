"""The audit trail of one system, to read: who did what, when, and from where."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.db.models import QuerySet

from dashboard.access import Access, Permission
from dashboard.models import AuditEntry

PAGE = 50


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries are wanted: of an action, of a person, from a day (UTC) on, until a day and with it. Blank: all."""

    action: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None


def list_audit(
    *, access: Access, wanted: AuditFilter, before: int | None = None
) -> tuple[tuple[AuditEntry, ...], int | None]:
    """A page of entries, the newest first, those older than the entry `before`; and what the next page is before.

    None where there is none. Needs the role admin; raises `Forbidden`. One query.
    """
    rows = _wanted(access, wanted)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = tuple(rows[: PAGE + 1])
    return found[:PAGE], found[PAGE - 1].pk if len(found) > PAGE else None


def whole_audit(*, access: Access, wanted: AuditFilter) -> Iterator[AuditEntry]:
    """Every wanted entry, the newest first. Needs the role admin; raises `Forbidden`."""
    return _wanted(access, wanted).iterator()


def audit_choices(*, access: Access) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The actions and the people in the audit trail of a system, each by name. Needs the role admin. Two queries."""
    rows = _wanted(access, AuditFilter()).order_by()
    actions = rows.order_by("action").values_list("action", flat=True).distinct()
    people = rows.order_by("actor").values_list("actor", flat=True).distinct()
    return tuple(actions), tuple(people)


def _wanted(access: Access, wanted: AuditFilter) -> QuerySet[AuditEntry]:
    access.check(Permission.ADMIN)
    # An earlier system with this address, deleted since, was perhaps another's.
    rows = AuditEntry.objects.filter(system_slug=access.slug, at__gte=access.system.created_at)
    if wanted.action:
        rows = rows.filter(action=wanted.action)
    if wanted.person:
        rows = rows.filter(actor=wanted.person)
    if wanted.since is not None:
        rows = rows.filter(at__gte=datetime.combine(wanted.since, time(), UTC))
    if wanted.until is not None:
        rows = rows.filter(at__lte=datetime.combine(wanted.until, time.max, UTC))
    return rows
