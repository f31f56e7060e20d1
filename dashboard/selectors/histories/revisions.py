"""The revisions of a system in one of its orders, and the code versions among them."""

from dataclasses import dataclass

from analytics.histories.code_versions import CodeVersions, code_versions
from dashboard.access import NotFound
from dashboard.models import Order, OrderPosition, System
from dashboard.selectors.histories.rows import RevisionPlace

# Orders by how well they suit a first look.
_PREFERRED = ("releases", "first-parent", "all")


@dataclass(frozen=True, slots=True)
class OrderedRevisions:
    """The revisions of a system in one named order."""

    name: str
    revisions: tuple[RevisionPlace, ...]

    @property
    def by_id(self) -> dict[int, RevisionPlace]:
        """The revisions by id."""
        return {place.revision_id: place for place in self.revisions}

    @property
    def versions(self) -> CodeVersions:
        """The code versions of the order. Read it once: it takes a while for thousands of revisions."""
        return code_versions(
            tuple(place.position for place in self.revisions),
            tuple(place.content for place in self.revisions),
            tuple(place.changed_lines for place in self.revisions),
        )

    @property
    def codes(self) -> dict[str, int]:
        """The first version that holds a revision's code, by the revision's name: equal code has an equal number."""
        versions = self.versions
        first: dict[int, int] = {}
        for version, group in versions.groups.items():
            first[group] = min(first.get(group, version), version)
        at = {one.name: versions.version_at[one.position] for one in self.revisions}
        return {
            name: first[versions.groups[version]] if version in versions.groups else version
            for name, version in at.items()
        }


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
