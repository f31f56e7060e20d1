"""Working through changes: saying what they are, one or many at a time, and taking that back."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from analytics.findings.triage import ChangePlace
from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Revision, Series, System, TriagedChange, TriageEntry, TriageState
from dashboard.selectors.audit import AuditChange
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.series import series_labels
from dashboard.selectors.histories.stored_fits import unpack_changes
from dashboard.selectors.triage import STATES, ChangeKey, matched_triage, owners_of, stored_triage
from dashboard.services import audit

LONGEST_NOTE, LONGEST_LINK = 2000, 500
# Of an action on more changes the audit trail names the first ones; their number stands there all the same.
_MOST_NAMED = 100


@dataclass(frozen=True, slots=True)
class TriageWords:
    """What is said of a change; None leaves what was said before, "" and 0 take it away."""

    state: str | None = None
    owner_id: int | None = None
    note: str | None = None
    link: str | None = None


def triage_changes(
    *, access: Access, changes: Sequence[tuple[ChangeKey, int | None]], words: TriageWords
) -> UUID:
    """Say something of changes, each with the id of what was said of it before, if anything (`matched_triage`).

    What is said moves to where the change is now. Returns the number of the action, for `undo_triage`. Needs the role editor. Raises
    `Refused` for words that cannot be kept, `NotFound` for revisions and earlier words of other systems, and `Forbidden`.
    """
    access.check(Permission.EDIT)
    if not changes:
        raise Refused("no change is chosen: choose one, with j and k")
    words = _checked(access, words)
    system, action = access.system, uuid4()
    with transaction.atomic():
        # Two people who speak of one change at the same time do so one after the other.
        System.objects.select_for_update().get(pk=system.pk)
        rows = triaged_rows(system, changes)
        for row in rows:
            row.state = words.state or row.state
            row.note = row.note if words.note is None else words.note
            row.link = row.link if words.link is None else words.link
            row.owner_id = row.owner_id if words.owner_id is None else words.owner_id or None
        keep_entries(access, rows, action)
        audit.record(
            access.principal,
            "triage changes",
            access.slug,
            changes=len(rows),
            state=words.state or "as it was",
            which=named_for_audit(system, rows),
        )
    return action


def undo_triage(*, access: Access, action: UUID) -> int:
    """Take back what was said in one action, where nobody said anything since; returns of how many changes.

    That it was said and taken back stays in the past of each. Needs the role editor. Raises `Refused` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    with transaction.atomic():
        System.objects.select_for_update().get(pk=access.system.pk)
        said = TriageEntry.objects.filter(action=action, change__system=access.system, is_undo=False)
        rows = []
        for change in TriagedChange.objects.filter(pk__in=said.values("change")):
            newest, *older = change.entries.order_by("-pk")[:2]
            if newest.action != action:
                continue
            before = older[0] if older else TriageEntry(state=TriageState.NEW)
            change.state, change.owner_id = before.state, before.owner_id
            change.note, change.link = before.note, before.link
            rows.append(change)
        if not rows:
            raise Refused("there is nothing to take back: somebody said something else since")
        keep_entries(access, rows, uuid4(), is_undo=True)
        which = named_for_audit(access.system, rows)
        audit.record(access.principal, "undo triage", access.slug, changes=len(rows), which=which)
    return len(rows)


def close_fixed(*, system: System, found: Mapping[int, tuple[bytes, bytes]], order: OrderedRevisions) -> None:
    """Close what is marked as fixed and is found no more by new fits: what comes there later is new.

    `found` are the packed changes and slow drifts of these fits by series (ids). Call it in the transaction that stores the fits. Two queries where nothing is marked so.
    """
    fixed = TriagedChange.objects.filter(system=system, state=TriageState.FIXED, closed=False, placed_by="")
    series = dict(
        Series.objects.filter(pk__in=list(found), identity__in=fixed.values("series_identity")).values_list(
            "pk", "identity"
        )
    )
    if not series:
        return
    ranks = {place.revision_id: rank for rank, place in enumerate(order.revisions)}
    stored, gone = stored_triage(system), []
    for series_id, identity in series.items():
        places = [
            ChangePlace(one.before, one.after, one.is_worse, one.is_slow)
            for is_slow, packed in enumerate(found[series_id])
            for one in unpack_changes(series_id, packed, ranks, is_slow=bool(is_slow))
        ]
        there = {row.pk for row in matched_triage(stored[identity], places, ranks).values()}
        gone += [row.pk for row in fixed if row.series_identity == identity and row.pk not in there]
    TriagedChange.objects.filter(pk__in=gone).update(closed=True)


def triaged_rows(system: System, changes: Sequence[tuple[ChangeKey, int | None]]) -> list[TriagedChange]:
    """The stored rows of these changes at their present places, made where nobody spoke of one before.

    Call it in a transaction that holds the system. Raises `NotFound` for what is of other systems.
    """
    wanted = {pk for key, _ in changes for pk in (key.before, key.after)}
    if Revision.objects.filter(system=system, pk__in=wanted).count() < len(wanted):
        raise NotFound(f"{system.slug!r} has no such revision")
    earlier = {pk for _, pk in changes if pk is not None}
    stored = TriagedChange.objects.select_for_update().filter(system=system, pk__in=earlier).in_bulk()
    if earlier - stored.keys():
        raise NotFound(f"{system.slug!r} has no such change")
    rows = []
    for key, pk in changes:
        fields: dict[str, Any] = {
            "before_id": key.before,
            "after_id": key.after,
            "is_worse": key.is_worse,
            "is_slow": key.is_slow,
        }
        if pk is None:
            # Somebody else may have spoken of it a moment ago.
            row, _ = TriagedChange.objects.get_or_create(
                system=system, series_identity=key.identity, closed=False, **fields
            )
        else:
            row = stored[pk]
            for name, value in fields.items():
                setattr(row, name, value)
        rows.append(row)
    return rows


def keep_entries(
    access: Access,
    rows: Sequence[TriagedChange],
    action: UUID,
    *,
    is_undo: bool = False,
    placed: str = "",
) -> None:
    """Keep what the rows hold now, with an entry for each; `placed` says where they were set by hand, if that was done."""
    now, author = timezone.now(), access.principal.name
    for row in rows:
        row.said_by, row.said_at = author, now
    said = ("state", "owner", "note", "link", "said_by", "said_at")
    TriagedChange.objects.bulk_update(rows, [*said, "before", "after"], batch_size=200)
    TriageEntry.objects.bulk_create(
        TriageEntry(
            change=row,
            action=action,
            state=row.state,
            owner_id=row.owner_id,
            note=row.note,
            link=row.link,
            author=author,
            is_undo=is_undo,
            placed=placed,
        )
        for row in rows
    )


def named_for_audit(system: System, rows: Sequence[TriagedChange]) -> list[dict[str, str]]:
    """What the audit trail keeps of changes: in words, for series and revisions may go, and what leads to them while they are there."""
    named = rows[:_MOST_NAMED]
    labels = series_labels(system, {row.series_identity for row in named})
    revisions = {pk for row in named for pk in (row.before_id, row.after_id)}
    names = dict(Revision.objects.filter(pk__in=revisions).values_list("pk", "name"))
    return [
        asdict(
            AuditChange(
                labels.get(row.series_identity, "a history that is gone"),
                names[row.before_id],
                names[row.after_id],
                row.series_identity,
            )
        )
        for row in named
    ]


def _checked(access: Access, words: TriageWords) -> TriageWords:
    """The words as they are kept. Raises `Refused`."""
    if words.state is not None and words.state not in STATES:
        raise Refused(f"{words.state!r} is no state of a change: choose one of {', '.join(STATES)}")
    note = None if words.note is None else words.note.strip()
    if note is not None and len(note) > LONGEST_NOTE:
        raise Refused(f"the note has {len(note)} characters: at most {LONGEST_NOTE} are kept")
    if words.owner_id and words.owner_id not in dict(owners_of(access)):
        raise Refused("the owner is no member of the system: give them a role first")
    link = None if words.link is None else checked_link(words.link)
    return TriageWords(words.state, words.owner_id, note, link)


def checked_link(text: str) -> str:
    """The address without blanks around it, "" for none. Raises `Refused` for anything but http and https."""
    link = text.strip()
    if not link:
        return ""
    try:
        parts = urlsplit(link)
        is_web = parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        is_web = False
    if not is_web or not link.isprintable() or " " in link:
        raise Refused(f"{link[:60]!r} is no address of a web page: begin it with https:// or http://")
    if len(link) > LONGEST_LINK:
        raise Refused(f"the link has {len(link)} characters: at most {LONGEST_LINK} are kept")
    return link
