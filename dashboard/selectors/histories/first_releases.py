"""In which release something came first that lies between two revisions."""

from bisect import bisect_right
from operator import attrgetter

from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace

_position = attrgetter("position")


def first_releases(order: OrderedRevisions, before: RevisionPlace, after: RevisionPlace) -> tuple[str, ...]:
    """The first releases of all revisions behind one and up to another; "" for what is in none that is known, as the newest are.

    None at all where that is not known of one of them: no release holds it, while one holds a later one.
    """
    places, ends = order.revisions, (before.position, after.position)
    first, last = (bisect_right(places, position, key=_position) for position in ends)
    until = order.released_until
    if any(not one.released_in and (until is None or one.position < until) for one in places[first:last]):
        return ()
    return tuple(dict.fromkeys(one.released_in for one in places[first:last]))
