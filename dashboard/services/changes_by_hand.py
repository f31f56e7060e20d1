"""Changes that people set by hand: where the search finds none, or at another revision than it says."""

from statistics import median
from uuid import uuid4

from django.db import transaction

from dashboard.access import Access, NotFound, Permission, Refused
from dashboard.models import Series, System, TriagedChange
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.rows import History
from dashboard.selectors.histories.triaged import changes_by_hand
from dashboard.selectors.triage import ChangeKey
from dashboard.services import audit
from dashboard.services.triage import keep_entries, named_for_audit, triaged_rows


def set_change(*, access: Access, series_id: int, revision: str) -> int:
    """Set a change of a series at a revision, between the measured ones around it; returns the id of what is kept.

    Its size is the difference of the medians beside it, up to the next changes. It is told as set by hand, and no search
    counts it. Needs the role editor. Raises `Refused` where nothing was measured on one side, or a change lies there already;
    `NotFound` for an unknown series or revision, and `Forbidden`.
    """
    access.check(Permission.EDIT)
    history = get_history(system=access.system, series_id=series_id)
    before, after = _around(history, revision)
    placed = changes_by_hand(access.system, history)
    taken = {(one.before.revision_id, one.after.revision_id) for one in history.changes}
    taken |= {(key.before, key.after) for key, _ in placed}
    if (before.revision_id, after.revision_id) in taken:
        raise Refused(f"there is a change between {before.name} and {after.name} already")
    positions = {one.revision_id: one.position for one in history.order.revisions}
    bounds = [change.after.position for change in history.changes] + [
        positions[key.after] for key, _ in placed
    ]
    start = max((one for one in bounds if one <= before.position), default=0)
    end = min((one for one in bounds if one > after.position), default=None)
    levels = [
        median(
            point.median
            for point in history.points
            if low <= point.position and (high is None or point.position < high)
        )
        for low, high in ((start, after.position), (after.position, end))
    ]
    rises = levels[1] > levels[0]
    key = ChangeKey(
        Series.objects.values_list("identity", flat=True).get(pk=series_id),
        before.revision_id,
        after.revision_id,
        is_worse=rises == (history.series.better == "lower"),
    )
    relative = (levels[1] - levels[0]) / abs(levels[0]) if levels[0] else 0.0
    return _place(access, key, None, (before, after), relative)


def move_change(*, access: Access, change: tuple[ChangeKey, int | None], revision: str) -> int:
    """Say that a change that the search found lies at another revision; with the id of what was said of it, if anything.

    Needs the role editor. Raises `Refused`, `NotFound` and `Forbidden` as `set_change` does.
    """
    access.check(Permission.EDIT)
    key, triage_id = change
    series = Series.objects.filter(system=access.system, identity=key.identity).first()
    if series is None:
        raise NotFound("there is no such change")
    history = get_history(system=access.system, series_id=series.pk)
    place = _around(history, revision)
    if tuple(one.revision_id for one in place) == (key.before, key.after):
        raise Refused("the change lies there already")
    return _place(access, key, triage_id, place, None)


def take_hand_away(*, access: Access, triage_id: int) -> None:
    """Take away what was set by hand: a change that the search found goes back to its place, any other one goes.

    Needs the role editor. Raises `NotFound` and `Forbidden`.
    """
    access.check(Permission.EDIT)
    with transaction.atomic():
        row = TriagedChange.objects.filter(system=access.system, pk=triage_id).exclude(placed_by="").first()
        if row is None:
            raise NotFound("there is no such change")
        was_found = (row.before_id, row.after_id) != (row.placed_before_id, row.placed_after_id)
        row.placed_by, row.placed_before, row.placed_after = "", None, None
        row.closed = not was_found
        row.save()
        keep_entries(access, [row], uuid4())
        which = named_for_audit(access.system, [row])
        audit.record(access.principal, "take change by hand away", access.slug, change=row.pk, which=which)


def _place(
    access: Access,
    key: ChangeKey,
    triage_id: int | None,
    place: tuple[RevisionPlace, RevisionPlace],
    relative: float | None,
) -> int:
    with transaction.atomic():
        System.objects.select_for_update().get(pk=access.system.pk)
        (row,) = triaged_rows(access.system, [(key, triage_id)])
        row.placed_by = access.principal.name
        row.placed_before_id, row.placed_after_id = (one.revision_id for one in place)
        row.placed_relative = relative
        row.save()
        keep_entries(access, [row], uuid4(), placed=f"{place[0].name} → {place[1].name}")
        about = {"change": row.pk, "at": place[1].name, "which": named_for_audit(access.system, [row])}
        audit.record(access.principal, "set change by hand", access.slug, **about)
    return row.pk


def _around(history: History, revision: str) -> tuple[RevisionPlace, RevisionPlace]:
    """The measured revisions around the beginning of one. Raises `NotFound` and `Refused`."""
    places = {place.position: place for place in history.order.revisions}
    at = next((place.position for place in places.values() if place.name == revision), None)
    if at is None:
        raise NotFound(f"there is no revision {revision!r} in the order {history.order.name!r}")
    measured = [point.position for point in history.points]
    before = max((one for one in measured if one < at), default=None)
    after = min((one for one in measured if one >= at), default=None)
    if before is None or after is None:
        raise Refused(f"nothing was measured on one side of {revision}: choose a revision in between")
    return places[before], places[after]
