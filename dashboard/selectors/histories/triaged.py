"""What people said of the changes of one history."""

from typing import NamedTuple

from analytics.findings.triage import ChangePlace
from dashboard.access import NotFound
from dashboard.models import Series, System
from dashboard.selectors.histories.history import get_history
from dashboard.selectors.histories.rows import ChangeRow, History
from dashboard.selectors.triage import (
    ChangeKey,
    Triage,
    alone_by_hand,
    matched_triage,
    stored_triage,
    triage_of,
)


class TriagedHistory(NamedTuple):
    """Each change of a history as pages name it, in their order, with what was said of it; and those that people set by hand."""

    found: tuple[tuple[ChangeKey, Triage], ...]
    by_hand: tuple[tuple[ChangeKey, Triage], ...]


def triage_of_history(system: System, history: History) -> tuple[tuple[ChangeKey, Triage], ...]:
    """Each change of the history as pages name it, in their order, with what was said of it. Two queries."""
    return triaged_history(system, history).found


def changes_by_hand(system: System, history: History) -> tuple[tuple[ChangeKey, Triage], ...]:
    """The changes of the history that people set by hand and that its fit does not find. Two queries."""
    return triaged_history(system, history).by_hand


def brackets_by_hand(history: History, triaged: TriagedHistory) -> tuple[tuple[int, int, bool], ...]:
    """Where people set changes of the history: positions before and after, and whether each is for the worse."""
    positions = {place.name: place.position for place in history.order.revisions}
    return tuple(
        (positions[triage.placed[0]], positions[triage.placed[1]], key.is_worse)
        for some in triaged
        for key, triage in some
        if triage.placed and positions.keys() >= set(triage.placed)
    )


def triaged_history(system: System, history: History) -> TriagedHistory:
    """What people said of a history: of the changes that its fit finds, and those that it does not find. Two queries."""
    identity = Series.objects.values_list("identity", flat=True).get(pk=history.series.series_id)
    ranks = {place.revision_id: rank for rank, place in enumerate(history.order.revisions)}
    keys = [_key(identity, change) for change in history.changes]
    places = [ChangePlace(ranks[key.before], ranks[key.after], key.is_worse) for key in keys]
    rows = stored_triage(system, identity).get(identity, [])
    same = matched_triage(rows, places, ranks)
    told = tuple((key, triage_of(same.get(index))) for index, key in enumerate(keys))
    return TriagedHistory(told, alone_by_hand(rows, {row.pk for row in same.values()}))


def named_change(system: System, key: str) -> tuple[ChangeKey, int | None]:
    """The change of a history with that key, and the id of what was said of it; for `triage_changes`.

    Raises `NotFound` where its present fit has no such change.
    """
    wanted = ChangeKey.read(key)
    series = (
        Series.objects.filter(system=system, identity=wanted.identity).values_list("pk", flat=True).first()
    )
    if series is None:
        raise NotFound("there is no such change")
    history = get_history(system=system, series_id=series)
    for one, triage in (triaged for some in triaged_history(system, history) for triaged in some):
        if one == wanted:
            return one, triage.triage_id
    raise NotFound("this change is no longer found as it was: load the page again")


def _key(identity: str, change: ChangeRow) -> ChangeKey:
    return ChangeKey(identity, change.before.revision_id, change.after.revision_id, change.is_slower)
