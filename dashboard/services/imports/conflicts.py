"""Adding records to a system that exists already: everything is merged by its name, and contradictions are refused."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

from dashboard.importers.limits import hidden_character
from dashboard.importers.records import LevelRecord, SystemRecords
from dashboard.models import Batch, RegionVersion, Revision, System
from dashboard.selectors.export.records import ENVELOPE, load_options, load_orders
from dashboard.services.imports.errors import ImportRefused

_SHOWN = 20
_ELSEWHERE = "Import into a system of another name."


def check_names(records: SystemRecords, format_name: str) -> None:
    """See that names hold no characters which nobody sees. Raises `ImportRefused`.

    Bundles may hold them: they bring along what an installation of before took.
    """
    if format_name == ENVELOPE:
        return
    named = [
        *(("option", one.name) for one in records.options),
        *(("level", level.label) for one in records.options for level in one.levels),
        *(("revision", one.name) for one in records.revisions),
        *(("workload", one.name) for one in records.workloads),
    ]
    hidden = ((kind, name, found) for kind, name in named if (found := hidden_character(name)))
    problems = [
        f"{kind} {name!r} holds the character {found}, which nobody sees: leave it out."
        for kind, name, found in islice(hidden, _SHOWN)
    ]
    if problems:
        raise ImportRefused(problems)


def fit_options(system: System, records: SystemRecords) -> SystemRecords:
    """`records` of a feature model alone, with the levels that the system has as it has them, its reference first.

    A feature model says nothing of references and labels: those of measurements that were there first stay.
    """
    if not _is_model_alone(records):
        return records
    held = {one.name: one.levels for one in load_options(system)}

    def is_among(one: LevelRecord, levels: Sequence[LevelRecord]) -> bool:
        """Levels are the same if their values are equal, as off and 0 are, or else if their labels are."""
        return any(one.value == level.value or one.label == level.label for level in levels)

    options = []
    for option in records.options:
        own = held.get(option.name, ())
        same = (one for one in own if is_among(one, option.levels))
        new = (level for level in option.levels if not is_among(level, own))
        options.append(replace(option, levels=(*same, *new)))
    return replace(records, options=tuple(options))


def conflicts(system: System, records: SystemRecords) -> list[str]:
    """Sentences that say where the system and the records, fitted by `fit_options`, contradict each other, the first few."""
    contradictions = [
        *_in_levels(system, records),
        *_in_sources(system, records),
        *_in_orders(system, records),
    ]
    left_off = len(contradictions) - _SHOWN
    rest = [f"... and {left_off} more contradictions."] if left_off > 0 else []
    return contradictions[:_SHOWN] + rest


def _is_model_alone(records: SystemRecords) -> bool:
    return bool(records.feature_models) and not records.configurations


def _in_levels(system: System, records: SystemRecords) -> Iterator[str]:
    held = {one.name: one.levels for one in load_options(system)}
    for option in records.options:
        ours = {level.label: level.value for level in held.get(option.name, ())}
        theirs = {level.label: level.value for level in option.levels}
        strange = [label for label in ours if label not in theirs]
        if strange and _is_model_alone(records):
            yield (
                f"option {option.name}: {system.name} has the levels {', '.join(strange)}, which the feature model "
                f"does not allow; its levels are {', '.join(theirs)}. Correct the model, or import it into a system "
                "of another name."
            )
        differ = any(
            ours[label] != value or type(ours[label]) is not type(value)
            for label, value in theirs.items()
            if label in ours
        )
        if ours and (differ or next(iter(ours)) != option.levels[0].label):
            yield (
                f"option {option.name}: its levels here are {', '.join(ours)}, in the file {', '.join(theirs)}; the "
                f"first one is the reference and must be the same, as must the values. {_ELSEWHERE}"
            )


def _in_sources(system: System, records: SystemRecords) -> Iterator[str]:
    """Contradictions in what identifies batches, revisions and the source of regions; a blank one contradicts nothing."""
    visible = Batch.objects.filter(system=system, state=Batch.State.VISIBLE)
    digests = set(visible.values_list("digest", flat=True))
    for batch in records.batches:
        if batch.digest in digests:
            yield (
                f"{system.name} already holds the {batch.format} data {batch.source or batch.digest[:12]!r} "
                "of this bundle. Import the bundle into a system of another name."
            )
    commits = dict(Revision.objects.filter(system=system).values_list("name", "commit"))
    for revision in records.revisions:
        ours = commits.get(revision.name, "")
        if ours and revision.commit and ours != revision.commit:
            here = f"it is commit {ours} here and {revision.commit} in the file"
            yield f"revision {revision.name}: {here}. {_ELSEWHERE}"
    versions = RegionVersion.objects.filter(region__system=system)
    bodies = {
        (key, name): body
        for key, name, body in versions.values_list("region__key", "revision__name", "body_digest")
    }
    for version in records.region_versions:
        key = records.regions[version.region].key
        ours = bodies.get((key, version.revision), "")
        if ours and version.body_digest and ours != version.body_digest:
            differs = f"its source in revision {version.revision} differs from the one here"
            yield f"region {key}: {differs}. {_ELSEWHERE}"


def _in_orders(system: System, records: SystemRecords) -> Iterator[str]:
    held = {one.name: one.places for one in load_orders(system)}
    for order in records.orders:
        ours = held.get(order.name, {})
        taken = {position: revision for revision, position in ours.items()}
        for revision, position in order.places.items():
            if ours.get(revision, position) != position or taken.get(position, revision) != revision:
                yield (
                    f"order {order.name}: revision {revision} has position {position} in the file, which "
                    f"contradicts the order here. {_ELSEWHERE}"
                )
