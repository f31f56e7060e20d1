"""The options, levels and orders of an import: written when it is shown, for no run refers to them.

Written ahead, a system that exists already would show levels and revisions of runs that nobody can see yet.
"""

from collections.abc import Hashable, Mapping

from dashboard.importers.records import SystemRecords
from dashboard.models import Level, Order, OrderPosition, Revision, System, SystemOption
from dashboard.services.imports.reference import ensure


def write_options_and_orders(system: System, records: SystemRecords) -> None:
    """Find or make the records' options, levels and orders; call it in the transaction that shows the records."""
    revisions = dict(Revision.objects.filter(system=system).values_list("name", "pk"))
    _write_options(system, records, revisions)
    _write_orders(system, records, revisions)


def _write_orders(system: System, records: SystemRecords, revisions: Mapping[str, int]) -> None:
    orders = ensure(
        Order.objects.filter(system=system),
        {one.name: Order(system=system, name=one.name) for one in records.orders},
        ("name",),
    )
    wanted: dict[Hashable, OrderPosition] = {
        (orders[one.name], revisions[revision]): OrderPosition(
            order_id=orders[one.name], revision_id=revisions[revision], position=position
        )
        for one in records.orders
        for revision, position in one.places.items()
    }
    ensure(OrderPosition.objects.filter(order__system=system), wanted, ("order_id", "revision_id"))


def _write_options(system: System, records: SystemRecords, revisions: Mapping[str, int]) -> None:
    held = SystemOption.objects.filter(system=system)
    known = set(held.values_list("name", flat=True))
    free = 1 + max(held.values_list("position", flat=True), default=-1)
    new = [one for one in records.options if one.name not in known]
    ids = ensure(
        held,
        {
            one.name: SystemOption(
                system=system,
                name=one.name,
                position=position,
                description=one.description,
                first_revision_id=revisions.get(one.first_revision),
                last_revision_id=revisions.get(one.last_revision),
            )
            for position, one in enumerate(new, start=free)
        },
        ("name",),
    )
    levels = Level.objects.filter(option__system=system)
    labels: dict[int, set[str]] = {}
    for option, label in levels.values_list("option_id", "label"):
        labels.setdefault(option, set()).add(label)
    wanted = {}
    for one in records.options:
        there = labels.get(ids[one.name], set())
        missing = [level for level in one.levels if level.label not in there]
        for position, level in enumerate(missing, start=len(there)):
            row = Level(option_id=ids[one.name], position=position, value=level.value, label=level.label)
            wanted[ids[one.name], level.label] = row
    ensure(levels, wanted, ("option_id", "label"))
