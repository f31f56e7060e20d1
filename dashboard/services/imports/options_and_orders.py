"""The options, levels and orders of an import: written when it is shown, for no run refers to them.

Written ahead, a system that exists already would show levels and revisions of runs that nobody can see yet.
"""

from datetime import UTC, datetime

from dashboard.importers.records import SystemRecords
from dashboard.models import Level, Order, OrderPosition, Revision, System, SystemOption
from dashboard.selectors.record_columns import RowIds
from dashboard.services.imports.reference import ensure

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def write_options_and_orders(system: System, records: SystemRecords, ids: RowIds) -> None:
    """Find or make the records' options, levels and orders; call it in the transaction that shows the records."""
    held = SystemOption.objects.filter(system=system)
    positions = dict(held.values_list("name", "position"))
    for one in records.options:
        positions.setdefault(one.name, 1 + max(positions.values(), default=-1))
    options = [
        SystemOption(system=system, position=positions[one.name], **ids.row(one, SystemOption))
        for one in records.options
    ]
    option_ids = ensure(held, options, ("name",))
    levels = Level.objects.filter(option__system=system)
    labels: dict[int, set[str]] = {}
    for option, label in levels.values_list("option_id", "label"):
        labels.setdefault(option, set()).add(label)
    wanted = []
    for one, option in zip(records.options, option_ids, strict=True):
        there = labels.get(option, set())
        missing = [level for level in one.levels if level.label not in there]
        wanted += [
            Level(option_id=option, position=position, **ids.row(level, Level))
            for position, level in enumerate(missing, start=len(there))
        ]
    ensure(levels, wanted, ("option_id", "label"))
    orders = [Order(system=system, name=one.name) for one in records.orders]
    order_ids = ensure(Order.objects.filter(system=system), orders, ("name",))
    revisions = {one.name: pk for one, pk in zip(records.revisions, ids.of("revisions"), strict=True)}
    placed = [
        OrderPosition(order_id=order, revision_id=revisions[revision], position=position)
        for one, order in zip(records.orders, order_ids, strict=True)
        for revision, position in one.places.items()
    ]
    ensure(OrderPosition.objects.filter(order__system=system), placed, ("order_id", "revision_id"))


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
    if held.items() <= ranked.items():
        # Whatever was in line stays where it is.
        new = [
            OrderPosition(order=order, revision_id=pk, position=at)
            for pk, at in ranked.items()
            if pk not in held
        ]
        OrderPosition.objects.bulk_create(new, batch_size=2_000)
    else:
        listed = set(places.filter(listed=True).values_list("revision_id", flat=True))
        places.delete()
        OrderPosition.objects.bulk_create(
            (
                OrderPosition(order=order, revision_id=pk, position=place, listed=pk in listed)
                for pk, place in ranked.items()
            ),
            batch_size=2_000,
        )
