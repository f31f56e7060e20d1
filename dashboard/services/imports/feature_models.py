"""Feature models alone: fitting their options to those that a system has already."""

from collections.abc import Sequence
from dataclasses import replace

from dashboard.importers.records import LevelRecord, OptionRecord, SystemRecords
from dashboard.models import Level, System

_CHUNK = 1_000


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
    return replace(records, options=tuple(_as_held(one, held.get(one.name, [])) for one in records.options))


def _as_held(option: OptionRecord, held: Sequence[LevelRecord]) -> OptionRecord:
    """`option` with its levels as the system writes them, those first that it has, in its order.

    Levels are the same if their values are equal, as off and 0 are, or else if their labels are.
    """
    same = [
        one
        for one in held
        if any(one.value == level.value or one.label == level.label for level in option.levels)
    ]
    new = [
        level
        for level in option.levels
        if not any(one.value == level.value or one.label == level.label for one in held)
    ]
    return replace(option, levels=(*same, *new))


def contradictions(system: System, records: SystemRecords) -> list[str]:
    """Sentences that name, for records that `fit_options` fitted, the levels which the system has and a feature model alone does not know."""
    if not records.feature_models or records.configurations:
        return []
    held: dict[str, list[str]] = {}
    for name, label in Level.objects.filter(option__system=system).values_list("option__name", "label"):
        held.setdefault(name, []).append(label)
    found = []
    for option in records.options:
        known = [level.label for level in option.levels]
        strange = [label for label in held.get(option.name, []) if label not in known]
        if strange:
            found.append(
                f"option {option.name}: {system.name} has the levels {', '.join(strange)}, which the feature model "
                f"does not allow; its levels are {', '.join(known)}. Correct the model, or import it into a system "
                "of another name."
            )
    return found
