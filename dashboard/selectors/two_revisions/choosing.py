"""Which two revisions are compared: those that are asked for, else the last two that were measured."""

from collections.abc import Collection

from dashboard.access import NotFound
from dashboard.models import System
from dashboard.selectors.histories.columns import measured_points
from dashboard.selectors.histories.order_rows import RevisionPlace
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.series import find_series
from dashboard.selectors.histories.unmerged import unmerged_revisions
from dashboard.selectors.releases import revision_called

# So many revisions are offered at once; further ones are found by typing.
OFFERED = 40
_UNMERGED = 10


def chosen_pair(*, system: System, before: str, after: str) -> tuple[str, str]:
    """The names of two revisions: those given, and for one left out the last one measured before, or at all.

    Before an unmerged one, that is the last one measured up to its base. Raises `NotFound` where fewer than two revisions were
    measured. Constant number of queries.
    """
    before, after = (revision_called(system, one) for one in (before, after))
    if before and after:
        return before, after
    order = ordered_revisions(system=system)
    main = find_series(system=system)
    points = measured_points(system, [main.series_id], order)[main.series_id]
    names = [point.revision for point in points]
    if len(names) < 2 and not (names and after):
        raise NotFound("nothing was measured at two revisions")
    if before:
        return before, names[-1] if names[-1] != before else names[-2]
    if not after:
        return names[-2], names[-1]
    place = next((one for one in order.revisions if one.name == after), None)
    place = place or next(
        (one for one in unmerged_revisions(system=system, order=order) if one.name == after), None
    )
    # What an unmerged one is compared with stands at its own position, or before it.
    end = None if place is None else place.position + bool(place.base)
    earlier = [point.revision for point in points if end is None or point.position < end]
    return (earlier or [name for name in names if name != after])[-1], after


def find_revisions(
    *, system: System, words: str = "", keep: Collection[str] = ()
) -> tuple[tuple[RevisionPlace, ...], int]:
    """Revisions with all these words in their name, tags, commit or message, the latest of the order first and unmerged ones before, and those in `keep`.

    And how many more there are beyond the first 40. Three queries.
    """
    wanted = words.lower().split()

    def fits(place: RevisionPlace) -> bool:
        text = f"{place.name} {place.tags} {place.commit} {place.message}".lower()
        return all(word in text for word in wanted)

    order = ordered_revisions(system=system)
    unmerged = unmerged_revisions(system=system, order=order)
    # Of unmerged ones the newest few: else many of them would leave no room.
    first, rest = (unmerged, ()) if wanted else (unmerged[:_UNMERGED], unmerged[_UNMERGED:])
    places = (*first, *order.revisions[::-1], *rest)
    fitting = [place for place in places if fits(place)]
    offered = {place.name for place in fitting[:OFFERED]} | {*keep}
    return tuple(place for place in places if place.name in offered), max(len(fitting) - OFFERED, 0)
