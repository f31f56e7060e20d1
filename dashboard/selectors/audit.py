"""The audit trail of one system, to read: who did what, when, and from where."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time

from django.db.models import QuerySet

from dashboard.access import Access, Permission
from dashboard.models import AuditEntry

PAGE = 50
# Among the details of an entry, the changes that it is of.
CHANGES = "which"


@dataclass(frozen=True, slots=True)
class AuditChange:
    """A change as the audit trail keeps it: in words, for series and revisions may go; `series` is the identity of its series."""

    history: str
    before: str
    after: str
    series: str

    @property
    def words(self) -> str:
        """`codehilite, 3.2.1 → 3.2.2`."""
        return f"{self.history}, {self.before} \N{RIGHTWARDS ARROW} {self.after}"


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


def audit_changes(
    *, access: Access, entries: Iterable[AuditEntry]
) -> list[list[tuple[AuditChange, int | None]]]:
    """The changes that each entry is of, in words, with the series of each as far as it is still there. One query."""
    named = [[AuditChange(**one) for one in entry.details.get(CHANGES, ())] for entry in entries]
    identities = {change.series for some in named for change in some}
    known = dict(access.system.series.filter(identity__in=identities).values_list("identity", "pk"))
    return [[(change, known.get(change.series)) for change in some] for some in named]


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
