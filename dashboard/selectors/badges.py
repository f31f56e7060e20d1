"""What badges say, and which ones a system has."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.access import Access, Permission
from dashboard.models import Badge, HistoryFit
from dashboard.selectors.history_list.findings import found_changes
from dashboard.selectors.history_list.rows import HistoryQuery, ListedHistory

# Of so many findings, each with so many histories, the largest change is told.
_MOST_FINDINGS, _MOST_HISTORIES = 500, 100_000


@dataclass(frozen=True, slots=True)
class BadgeState:
    """The largest change for the worse, a share, 0 for none; None where no history, or not that one, was searched.

    `word` is "slower" where it is of time, else "worse".
    """

    worst: float | None
    word: str = "slower"


def list_badges(*, access: Access) -> tuple[Badge, ...]:
    """The badges of a system that work, the newest first. One query. Needs the role admin. Raises `Forbidden`."""
    access.check(Permission.ADMIN)
    return tuple(
        Badge.objects.filter(system=access.system, revoked_at=None).select_related("system", "series")
    )


def living_badge(token_digest: str) -> Badge | None:
    """The badge with that hash of a token, as long as it lives. One query."""
    rows = Badge.objects.filter(token_digest=token_digest, revoked_at=None, system__visible=True)
    return rows.select_related("system", "series").first()


def badge_states(badges: Sequence[Badge]) -> tuple[BadgeState, ...]:
    """What badges, all of one system, say now: the largest change for the worse that is told and that nobody is done with.

    The findings are read once for all of them.
    """
    if not badges:
        return ()
    system = badges[0].system
    fits = HistoryFit.objects.filter(series__system=system)
    named = [one.series_id for one in badges if one.series_id]
    searched = set(fits.filter(series_id__in=named).values_list("series_id", flat=True))
    any_searched = fits.exists()
    query = HistoryQuery(size=_MOST_FINDINGS, shown=_MOST_HISTORIES)
    worse = [
        history
        for finding in (found_changes(system, query).told if any_searched else ())
        for history in finding.shown
        if history.last and history.last.is_worse
    ]
    return tuple(
        _state([one for one in worse if badge.series is None or one.identity == badge.series.identity])
        if (any_searched if badge.series_id is None else badge.series_id in searched)
        else BadgeState(None)
        for badge in badges
    )


def _state(worse: Sequence[ListedHistory]) -> BadgeState:
    changes = [(abs(one.last.relative), one) for one in worse if one.last]
    if not changes:
        return BadgeState(0.0)
    worst, history = max(changes, key=lambda one: one[0])
    is_time = history.quantity == "time" and history.last is not None and history.last.relative > 0
    return BadgeState(worst, "slower" if is_time else "worse")
