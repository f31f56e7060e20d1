"""The revisions of a system in one of its orders."""

from dashboard.access import NotFound
from dashboard.models import Order, OrderPosition, System
from dashboard.selectors.histories.rows import OrderedRevisions, RevisionPlace

# Orders by how well they suit a first look.
_PREFERRED = ("releases", "first-parent", "all")


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
    places = OrderPosition.objects.filter(order__system=system, order__name=chosen).select_related("revision")
    return OrderedRevisions(
        name=chosen,
        revisions=tuple(
            RevisionPlace(
                revision_id=place.revision_id,
                name=place.revision.name,
                position=place.position,
                commit=place.revision.commit,
                message=place.revision.message,
                released_at=place.revision.released_at,
                content=place.revision.content,
                changed_lines=place.revision.changed_lines,
            )
            for place in places.order_by("position")
        ),
    )
