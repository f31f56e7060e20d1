"""What runs refer to, as records in an order of their own content. For the selector of whole systems."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from dashboard.importers.records import (
    ConfigurationRecord,
    EnvironmentRecord,
    LevelRecord,
    MetricRecord,
    OptionRecord,
    OrderRecord,
    RegionRecord,
    RegionVersionRecord,
    RevisionRecord,
    WorkloadRecord,
)
from dashboard.models import (
    Configuration,
    Environment,
    Metric,
    Order,
    OrderPosition,
    Region,
    RegionVersion,
    Revision,
    SourceText,
    System,
    SystemOption,
    Workload,
)
from dashboard.selectors.unseen import unseen


@dataclass(frozen=True, slots=True)
class Placed:
    """Records with the position of each row's id among them."""

    records: tuple[Any, ...]
    place: Mapping[int, int]


def _placed(rows: list[tuple[int, Any]]) -> Placed:
    return Placed(
        tuple(record for _, record in rows), {pk: position for position, (pk, _) in enumerate(rows)}
    )


def revisions(system: System) -> Placed:
    """Revisions by name."""
    hidden = unseen(Revision)
    rows = [
        (
            one.pk,
            RevisionRecord(
                one.name, one.commit, one.message, one.released_at, one.content, one.changed_lines
            ),
        )
        for one in Revision.objects.filter(system=system)
        if one.pk not in hidden
    ]
    return _placed(sorted(rows, key=lambda row: row[1].name))


def orders(system: System) -> tuple[OrderRecord, ...]:
    """Orders by name, each with its revisions by position."""
    places: dict[str, dict[str, int]] = {
        name: {} for name in Order.objects.filter(system=system).values_list("name", flat=True)
    }
    found = OrderPosition.objects.filter(order__system=system).order_by("position")
    for name, revision, position in found.values_list("order__name", "revision__name", "position"):
        places[name][revision] = position
    return tuple(OrderRecord(name, places[name]) for name in sorted(places))


def options(system: System) -> tuple[OptionRecord, ...]:
    """Options in their own order, with their levels."""
    found = SystemOption.objects.filter(system=system).select_related("first_revision", "last_revision")
    return tuple(
        OptionRecord(
            one.name,
            tuple(LevelRecord(level.value, level.label) for level in one.levels.all()),
            one.description,
            one.first_revision.name if one.first_revision else "",
            one.last_revision.name if one.last_revision else "",
        )
        for one in found.prefetch_related("levels").order_by("position")
    )


def configurations(system: System) -> Placed:
    """Configurations by name, and by identity where names are equal."""
    hidden = unseen(Configuration)
    rows = [
        (identity, pk, ConfigurationRecord(name, assignments))
        for pk, name, assignments, identity in Configuration.objects.filter(system=system).values_list(
            "pk", "name", "assignments", "identity"
        )
        if pk not in hidden
    ]
    rows.sort(key=lambda row: (row[2].name, row[0]))
    return _placed([row[1:] for row in rows])


def workloads(system: System) -> Placed:
    """Workloads by name."""
    hidden = unseen(Workload)
    rows = [
        (one.pk, WorkloadRecord(one.name, one.description, one.parameters))
        for one in Workload.objects.filter(system=system)
        if one.pk not in hidden
    ]
    return _placed(sorted(rows, key=lambda row: row[1].name))


def environments(ids: Collection[int]) -> Placed:
    """These environments by digest."""
    rows = [
        (one.pk, EnvironmentRecord(one.digest, one.name, one.details))
        for one in Environment.objects.filter(pk__in=ids)
    ]
    return _placed(sorted(rows, key=lambda row: row[1].digest))


def metrics(ids: Collection[int]) -> Placed:
    """These metrics by what they are."""
    rows: list[tuple[int, Any]] = [
        (one.pk, MetricRecord(one.quantity, one.unit, one.clock, one.better))  # type: ignore[arg-type]
        for one in Metric.objects.filter(pk__in=ids)
    ]
    return _placed(sorted(rows, key=lambda row: (row[1].quantity, row[1].unit, row[1].clock, row[1].better)))


def regions(system: System) -> Placed:
    """Regions by key."""
    hidden = unseen(Region)
    rows = [
        (one.pk, RegionRecord(one.key, one.name, one.package, one.is_program))
        for one in Region.objects.filter(system=system)
        if one.pk not in hidden
    ]
    return _placed(sorted(rows, key=lambda row: row[1].key))


def region_versions(
    system: System, places: Mapping[int, int]
) -> tuple[tuple[RegionVersionRecord, ...], dict[str, str]]:
    """Regions as they stand in revisions, by region and revision, and the source excerpts by digest."""
    hidden = unseen(RegionVersion)
    found = RegionVersion.objects.filter(region__system=system)
    rows = [
        RegionVersionRecord(places[region], revision, file, first, last, body, source or "")
        for pk, region, revision, file, first, last, body, source in found.values_list(
            "pk",
            "region_id",
            "revision__name",
            "file",
            "first_line",
            "last_line",
            "body_digest",
            "source__digest",
        )
        if pk not in hidden
    ]
    texts = SourceText.objects.filter(pk__in=found.values("source_id")).values_list("digest", "text")
    used = {row.source for row in rows}
    sources = {digest: text for digest, text in sorted(texts) if digest in used}
    return tuple(sorted(rows, key=lambda row: (row.region, row.revision))), sources
