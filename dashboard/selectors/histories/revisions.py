"""The revisions of a system in one of its orders."""

from collections.abc import Iterable

from django.db.models import Max

from dashboard.access import NotFound
from dashboard.models import Order, OrderPosition, System
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace

# Orders by how well they suit a first look.
_PREFERRED = ("releases", "first-parent", "all")
_OF_REVISION = (
    "commit",
    "message",
    "released_at",
    "content",
    "changed_lines",
    "author",
    "tags",
    "released_in",
)
# The fields of `RevisionPlace`, in their order.
_COLUMNS = ("revision_id", "revision__name", "position", *(f"revision__{name}" for name in _OF_REVISION))


def ordered_revisions(*, system: System, order: str = "") -> OrderedRevisions:
    """The revisions of a system in the order named, or in the one that suits best. Two queries.

    Empty where the system has no order. Raises `NotFound` for an unknown one.
    """
    names = list(Order.objects.filter(system=system).values_list("name", flat=True))
    if order and order not in names:
        raise NotFound(
            f"{system.slug!r} has no order {order!r}: known are {', '.join(sorted(names)) or 'none'}"
        )
    chosen = order or next((name for name in _PREFERRED if name in names), min(names, default=""))
    places = OrderPosition.objects.filter(order__system=system, order__name=chosen).order_by("position")
    return OrderedRevisions(chosen, tuple(RevisionPlace(*row) for row in places.values_list(*_COLUMNS)))


def newest_place(system: System) -> int | None:
    """The newest id of a place in an order: to list revisions moves no data, but makes all places anew. One query."""
    found: int | None = OrderPosition.objects.filter(order__system=system).aggregate(newest=Max("pk"))[
        "newest"
    ]
    return found


def place_of(name: str, places: Iterable[RevisionPlace]) -> RevisionPlace:
    """The revision with that name or tag, or whose commit begins so, among the places of an order. Raises `NotFound`."""
    found = [
        place
        for place in places
        if name and (name in (place.name, *place.tags.split()) or place.commit.startswith(name))
    ]
    if found:
        # A name may look like the beginning of a commit, and a tag too.
        return next(
            (place for place in found if place.name == name),
            next((place for place in found if name in place.tags.split()), found[0]),
        )
    raise NotFound(
        f"there is no revision {name!r} in the order that is shown: choose another one, or compare it if it is of an unmerged branch"
    )


def stretch_of(
    order: OrderedRevisions, first: RevisionPlace, last: RevisionPlace
) -> tuple[RevisionPlace, ...]:
    """The last revision that holds the code of the first, and those after it up to the first with the code of the last."""
    versions = order.versions
    bracket = (versions.version_at[first.position], versions.version_at[last.position])
    low, high = versions.between(bracket)
    return tuple(one for one in order.revisions if one.position == low or low < one.position <= high)
