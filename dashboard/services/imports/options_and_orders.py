"""The options, levels, orders and branches of an import: written when it is shown, for no run refers to them.

Written ahead, a system that exists already would show levels and revisions of runs that nobody can see yet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.unmerged import is_called
from dashboard.models import Level, Order, OrderPosition, Revision, System, SystemOption
from dashboard.selectors.record_columns import RowIds
from dashboard.services.imports.reference import ensure

_UNKNOWN = datetime.min.replace(tzinfo=UTC)


def settle_bases(system: System | None, imported: Imported, bases: Sequence[str]) -> Imported:
    """The same with the first of the bases, the nearest first, that stands in an order; a remark where none does: it may come later.

    Orders are the system's and the records' own. One query at most.
    """
    if not bases:
        return imported
    records = imported.records
    placed = {name for one in records.orders for name in one.places}
    there = {
        (one.name, one.commit, one.tags)
        for one in records.revisions
        if not one.base and (one.name in placed or records.date_order)
    }
    if system is not None:
        held = Revision.objects.filter(system=system, positions__isnull=False)
        there |= set(held.values_list("name", "commit", "tags"))

    def is_there(base: str) -> bool:
        return any(is_called(base, name=name, commit=commit, tags=tags) for name, commit, tags in there)

    known = next(filter(is_there, bases), None)
    if known is None:
        what = f"{bases[0]} stands in no" if len(bases) == 1 else f"none of {len(bases)} bases stands in an"
        remark = f"{what} order: what ran is drawn at {bases[0]} once that does."
        return replace(imported, remarks=(*imported.remarks, remark))
    revisions = tuple(replace(one, base=known) if one.base else one for one in records.revisions)
    return replace(imported, records=replace(records, revisions=revisions))


def write_options_and_orders(system: System, records: SystemRecords, ids: RowIds) -> None:
    """Find or make the records' options, levels and orders, and say where branches left; call it in the transaction that shows them."""
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
    _tell_revisions(system, records, revisions)


def _tell_revisions(system: System, records: SystemRecords, ids: Mapping[str, int]) -> None:
    """Say of which bases revisions are, which tags they have, and of those that were there without a date when they were made.

    `ids` are by name.
    """
    of_branches: dict[str, list[int]] = {}
    for one in records.revisions:
        if one.base:
            of_branches.setdefault(one.base, []).append(ids[one.name])
    for base, unmerged in of_branches.items():
        Revision.objects.filter(pk__in=unmerged).update(base=base)
    dated = [(ids[one.name], one.released_at) for one in records.revisions if one.released_at]
    if dated:
        undated = set(Revision.objects.filter(system=system, released_at=None).values_list("pk", flat=True))
        told = [Revision(pk=pk, released_at=at) for pk, at in dated if pk in undated]
        Revision.objects.bulk_update(told, ["released_at"], batch_size=500)
    tagged = {ids[one.name]: one for one in records.revisions if one.tags or one.released_in}
    if tagged:
        # What the registered subject's own source says counts more.
        own = set(Revision.objects.filter(system=system, positions__listed=True).values_list("pk", flat=True))
        rows = [
            Revision(pk=pk, tags=one.tags, released_in=one.released_in)
            for pk, one in tagged.items()
            if pk not in own
        ]
        Revision.objects.bulk_update(rows, ["tags", "released_in"], batch_size=500)


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
    names = {one.name for one in records.revisions if not one.base}
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
