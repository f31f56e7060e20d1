"""What people noted at the revisions of a system, and where histories begin anew since a benchmark was changed."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from dashboard.models import Annotation, Series, System
from dashboard.selectors.histories.order_rows import OrderedRevisions
from dashboard.selectors.histories.rows import AnnotationRow


@dataclass(frozen=True, slots=True)
class Annotations:
    """All annotations of a system in an order: of all histories, and those of single series by their ids."""

    whole: tuple[AnnotationRow, ...] = ()
    own: Mapping[int, tuple[AnnotationRow, ...]] = field(default_factory=dict)

    def of(self, series_id: int) -> tuple[AnnotationRow, ...]:
        """Those that are drawn with a series, by their places."""
        found = (*self.whole, *self.own.get(series_id, ()))
        return tuple(sorted(found, key=lambda one: (one.first.position, one.annotation_id)))

    def breaks(self, series_id: int) -> tuple[int, ...]:
        """The positions at which the history of a series begins a new level whatever was measured."""
        benchmark = Annotation.Kind.BENCHMARK.value
        return tuple(sorted({one.first.position for one in self.of(series_id) if one.kind == benchmark}))


def load_annotations(system: System, order: OrderedRevisions) -> Annotations:
    """The annotations of a system at revisions of the order. One query, two where some are of single series."""
    rows = list(Annotation.objects.filter(system=system))
    identities = {row.series_identity for row in rows} - {""}
    ids: dict[str, int] = {}
    if identities:
        found = Series.objects.filter(system=system, identity__in=identities)
        ids = dict(found.values_list("identity", "pk"))
    places = {place.revision_id: place for place in order.revisions} if rows else {}
    whole: list[AnnotationRow] = []
    own: dict[int, tuple[AnnotationRow, ...]] = {}
    for row in rows:
        first, last = places.get(row.first_id), places.get(row.last_id or row.first_id)
        if first is None or last is None:
            continue
        one = AnnotationRow(
            row.pk,
            row.kind,
            row.text,
            row.link,
            row.author,
            row.created_at,
            first,
            last,
            is_own=bool(row.series_identity),
        )
        if not row.series_identity:
            whole.append(one)
        elif row.series_identity in ids:
            series = ids[row.series_identity]
            own[series] = (*own.get(series, ()), one)
    return Annotations(tuple(whole), own)
