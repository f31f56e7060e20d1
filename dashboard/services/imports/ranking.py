"""Orders that follow the dates of revisions: ranked anew whenever revisions come in."""

from datetime import UTC, datetime

from dashboard.importers.records import SystemRecords
from dashboard.models import Order, OrderPosition, Revision, System

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def rank_by_date(system: System, records: SystemRecords) -> None:
    """Put the records' revisions in line with those of the order that follows dates; none without such an order.

    Ties go by commit, so that the same revisions stand in the same line whichever came first. Nothing refers to a
    position: what is stored refers to revisions. Call it in the transaction that makes the records visible.
    """
    if not records.date_order:
        return
    order, _ = Order.objects.get_or_create(system=system, name=records.date_order)
    places = OrderPosition.objects.filter(order=order)
    held = dict(places.values_list("revision_id", "position"))
    names = {one.name for one in records.revisions}
    rows = [
        (released_at or _UNKNOWN, commit, pk)
        for pk, name, commit, released_at in Revision.objects.filter(system=system).values_list(
            "pk", "name", "commit", "released_at"
        )
        if name in names or pk in held
    ]
    ranked = {pk: position for position, (_, _, pk) in enumerate(sorted(rows))}
    if ranked != held:
        listed = set(places.filter(listed=True).values_list("revision_id", flat=True))
        places.delete()
        OrderPosition.objects.bulk_create(
            (
                OrderPosition(order=order, revision_id=pk, position=place, listed=pk in listed)
                for pk, place in ranked.items()
            ),
            batch_size=2_000,
        )
