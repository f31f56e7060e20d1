"""Revisions of unmerged branches: no part of an order, they have the place of the revision that their branch left."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dashboard.access import NotFound
from dashboard.importers.unmerged import is_called
from dashboard.models import Batch, Point, Revision, System
from dashboard.selectors.histories.order_rows import OrderedRevisions, RevisionPlace
from dashboard.selectors.histories.revisions import ordered_revisions
from dashboard.selectors.histories.rows import UnmergedPoint

# More of them would hide the history.
_DRAWN = 40
_FIELDS = ("pk", "name", "commit", "message", "released_at", "content", "author", "tags", "branch")


def unmerged_revisions(*, system: System, order: OrderedRevisions) -> tuple[RevisionPlace, ...]:
    """The unmerged revisions whose base is in the order, the newest first, each at the position of its base. One query."""
    rows = Revision.objects.filter(system=system).exclude(base="").order_by("-pk")
    placed = {place.revision_id for place in order.revisions}
    # Most bases are names or whole commits. A name may look like the beginning of a commit.
    bases: dict[str, RevisionPlace | None] = {place.commit: place for place in order.revisions}
    bases |= {place.name: place for place in order.revisions}
    found = []
    for base, pk, name, *told, author, tags, branch in rows.values_list("base", *_FIELDS):
        if pk in placed:
            continue
        if base not in bases:
            bases[base] = next((place for place in order.revisions if _is_named(base, place)), None)
        if place := bases[base]:
            of_branch = {"author": author, "tags": tags, "base": place.name, "branch": branch}
            found.append(RevisionPlace(pk, name, place.position, *told, **of_branch))
    return tuple(found)


def with_unmerged(order: OrderedRevisions, unmerged: Iterable[RevisionPlace]) -> OrderedRevisions:
    """The order with unmerged revisions in line behind their bases: positions after these move on."""
    behind: dict[str, list[RevisionPlace]] = {}
    for one in unmerged:
        behind.setdefault(one.base, []).append(one)
    places: list[RevisionPlace] = []
    moved = 0
    for place in order.revisions:
        places.append(replace(place, position=place.position + moved) if moved else place)
        for one in behind.get(place.name, ()):
            moved += 1
            places.append(replace(one, position=place.position + moved))
    return replace(order, revisions=tuple(places))


def order_with(system: System, *names: str) -> OrderedRevisions:
    """The order that is shown, with the revisions of these names or commits in line where they are unmerged. Four queries at most.

    Raises `NotFound` for an unmerged one whose base is in no order.
    """
    order = ordered_revisions(system=system)
    asked = [name for name in names if not any(_is_named(name, place) for place in order.revisions)]
    if not asked:
        return order
    unmerged = unmerged_revisions(system=system, order=order)
    found = [one for one in unmerged if any(_is_named(name, one) for name in asked)]
    if lost := [name for name in asked if not any(_is_named(name, one) for one in found)]:
        of_branch = Revision.objects.filter(system=system, name__in=lost).exclude(base="").first()
        if of_branch is not None:
            what = f"{of_branch.name!r} is of a branch that left {of_branch.base!r}, which stands in no order"
            raise NotFound(f"{what}: import results of that one")
    return with_unmerged(order, found)


def _is_named(text: str, place: RevisionPlace) -> bool:
    return is_called(text, name=place.name, commit=place.commit, tags=place.tags)


def unmerged_points(
    series_id: int, unmerged: Sequence[RevisionPlace]
) -> tuple[tuple[UnmergedPoint, ...], int, tuple[RevisionPlace, ...]]:
    """The points of a series at these revisions, in their order, how many there are in all, and the branches without any. One query at most."""
    places = {one.revision_id: one for one in unmerged}
    if not places:
        return (), 0, ()
    rows = Point.objects.filter(series_id=series_id, batch__state=Batch.State.VISIBLE)
    points = {
        pk: UnmergedPoint(places[pk], n, median, spread)
        for pk, n, median, spread in rows.values_list("revision_id", "n", "median", "spread")
        if pk in places
    }
    newest = [points[pk] for pk in places if pk in points]
    unmeasured = tuple(one for one in unmerged if one.branch and one.revision_id not in points)
    return tuple(newest[:_DRAWN]), len(newest), unmeasured
