"""Adding records to a system that exists already: everything is merged by its name, and contradictions are refused."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dashboard.importers.records import LevelRecord, SystemRecords
from dashboard.models import Batch, Level, Order, OrderPosition, RegionVersion, Revision, System

_SHOWN = 20


def fit_options(system: System, records: SystemRecords) -> SystemRecords:
    """`records` of a feature model alone, with the levels that the system has as it has them, its reference first.

    A feature model says nothing of references and labels: those of measurements that were there first stay.
    """
    if not records.feature_models or records.configurations:
        return records
    held: dict[str, list[LevelRecord]] = {}
    rows = Level.objects.filter(option__system=system).order_by("position")
    for name, value, label in rows.values_list("option__name", "value", "label"):
        held.setdefault(name, []).append(LevelRecord(value, label))

    def is_among(one: LevelRecord, levels: Sequence[LevelRecord]) -> bool:
        """Levels are the same if their values are equal, as off and 0 are, or else if their labels are."""
        return any(one.value == level.value or one.label == level.label for level in levels)

    options = []
    for option in records.options:
        own = held.get(option.name, [])
        same = (one for one in own if is_among(one, option.levels))
        new = (level for level in option.levels if not is_among(level, own))
        options.append(replace(option, levels=(*same, *new)))
    return replace(records, options=tuple(options))


def conflicts(system: System, records: SystemRecords) -> list[str]:
    """Sentences that say where the system and the records contradict each other, the first few."""
    found = [
        *_of_feature_models(system, records),
        *_of_batches(system, records),
        *_of_options(system, records),
        *_of_revisions(system, records),
        *_of_orders(system, records),
        *_of_region_versions(system, records),
    ]
    left_off = len(found) - _SHOWN
    return [*found[:_SHOWN], f"... and {left_off} more contradictions."] if left_off > 0 else found


def _of_batches(system: System, records: SystemRecords) -> Iterator[str]:
    held = set(
        Batch.objects.filter(system=system, state=Batch.State.VISIBLE).values_list("digest", flat=True)
    )
    for batch in records.batches:
        if batch.digest in held:
            yield (
                f"{system.name} already holds the {batch.format} data {batch.source or batch.digest[:12]!r} "
                "of this bundle. Import the bundle into a system of another name."
            )


def _of_options(system: System, records: SystemRecords) -> Iterator[str]:
    held: dict[str, list[tuple[str, object]]] = {}
    for name, label, value in Level.objects.filter(option__system=system).values_list(
        "option__name", "label", "value"
    ):
        held.setdefault(name, []).append((label, value))
    for option in records.options:
        ours = held.get(option.name)
        if ours is None:
            continue
        values = dict(ours)
        differ = [
            level.label
            for level in option.levels
            if level.label in values
            and (values[level.label] != level.value or type(values[level.label]) is not type(level.value))
        ]
        if ours[0][0] != option.levels[0].label or differ:
            yield (
                f"option {option.name}: its levels here are {', '.join(values)}, in the file "
                f"{', '.join(level.label for level in option.levels)}; the first one is the reference and must "
                "be the same, as must the values. Import into a system of another name."
            )


def _of_revisions(system: System, records: SystemRecords) -> Iterator[str]:
    held = dict(Revision.objects.filter(system=system).values_list("name", "commit"))
    for revision in records.revisions:
        ours = held.get(revision.name, "")
        if ours and revision.commit and ours != revision.commit:
            yield (
                f"revision {revision.name}: it is commit {ours} here and {revision.commit} in the file. "
                "Import into a system of another name."
            )


def _of_orders(system: System, records: SystemRecords) -> Iterator[str]:
    held: dict[str, dict[str, int]] = {
        name: {} for name in Order.objects.filter(system=system).values_list("name", flat=True)
    }
    for name, revision, position in OrderPosition.objects.filter(order__system=system).values_list(
        "order__name", "revision__name", "position"
    ):
        held[name][revision] = position
    for order in records.orders:
        ours = held.get(order.name, {})
        taken = {position: revision for revision, position in ours.items()}
        for revision, position in order.places.items():
            if ours.get(revision, position) != position or taken.get(position, revision) != revision:
                yield (
                    f"order {order.name}: revision {revision} has position {position} in the file, which "
                    "contradicts the order here. Import into a system of another name."
                )


def _of_region_versions(system: System, records: SystemRecords) -> Iterator[str]:
    held = {
        (key, revision): digest
        for key, revision, digest in RegionVersion.objects.filter(region__system=system).values_list(
            "region__key", "revision__name", "body_digest"
        )
    }
    for version in records.region_versions:
        region = records.regions[version.region]
        ours = held.get((region.key, version.revision), "")
        if ours and version.body_digest and ours != version.body_digest:
            yield (
                f"region {region.key}: its source in revision {version.revision} differs from the one here. "
                "Import into a system of another name."
            )


def _of_feature_models(system: System, records: SystemRecords) -> Iterator[str]:
    """Sentences that name, for records that `fit_options` fitted, the levels which the system has and a feature model alone does not know."""
    if not records.feature_models or records.configurations:
        return
    held: dict[str, list[str]] = {}
    for name, label in Level.objects.filter(option__system=system).values_list("option__name", "label"):
        held.setdefault(name, []).append(label)
    for option in records.options:
        known = [level.label for level in option.levels]
        strange = [label for label in held.get(option.name, []) if label not in known]
        if strange:
            yield (
                f"option {option.name}: {system.name} has the levels {', '.join(strange)}, which the feature model "
                f"does not allow; its levels are {', '.join(known)}. Correct the model, or import it into a system "
                "of another name."
            )
