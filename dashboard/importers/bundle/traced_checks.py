"""What the analyses and the counts of a Perfatlas bundle must say of its other parts."""

from collections.abc import Callable

from analytics.configurations.errors import ConfigurationError
from analytics.whitebox.result import WhiteBoxResult
from dashboard.importers.bundle.files import COUNTS, OPTIONS, REVISIONS, TRACINGS, WORKLOADS
from dashboard.importers.errors import Faults
from dashboard.importers.partitions import try_partitions
from dashboard.importers.records import SystemRecords
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord

Note = Callable[..., None]


def check_traced(records: SystemRecords, faults: Faults) -> None:
    """Note positions out of range, unknown names, repeated entries, and formulas that split nothing."""
    for place, tracing in enumerate(records.tracings):
        note = _noting(faults, TRACINGS, place)
        _check_place(records, tracing, note)
        _check_workload(records, tracing.workload, note)
        _check_found(records, tracing.found, note)
        if any(one.batch == tracing.batch for one in records.tracings[:place]):
            note("two analyses are of one batch", "Keep one of them", str(tracing.batch))
    for place, counts in enumerate(records.counts):
        note = _noting(faults, COUNTS, place)
        _check_place(records, counts, note)
        _check_counts(records, counts, note)
        earlier = [(one.batch, one.revision) for one in records.counts[:place]]
        if (counts.batch, counts.revision) in earlier:
            note("a batch counts one revision twice", "Join the entries", counts.revision)


def _noting(faults: Faults, file: str, place: int) -> Note:
    """What notes a fault of an entry, from its problem, its remedy and its value."""

    def note(problem: str, remedy: str, value: str = "") -> None:
        faults.add(file, problem, remedy, column=str(place), value=value)

    return note


def _check_place(records: SystemRecords, one: WhiteBoxRecord | CountsRecord, note: Note) -> None:
    if one.batch >= len(records.batches):
        problem = f"there are only {len(records.batches)} batches"
        note(problem, "Write a position, counted from 0", str(one.batch))
    if one.revision not in {revision.name for revision in records.revisions}:
        note("the revision is unknown", f"Add it to {REVISIONS}", one.revision)


def _check_workload(records: SystemRecords, name: str, note: Note) -> None:
    if name not in {workload.name for workload in records.workloads}:
        note("the workload is unknown", f"Add it to {WORKLOADS}", name)


def _check_found(records: SystemRecords, found: WhiteBoxResult, note: Note) -> None:
    """The options and levels that an analysis names must be the system's, and its formulas partitions of them."""
    levels = {one.name: {level.label for level in one.levels} for one in records.options}
    remedy = f"Add it to {OPTIONS}"
    strange = {
        (name, label)
        for one in found.named_levels()
        for name, label in one.items()
        if label not in levels.get(name, ())
    }
    for name, label in sorted(strange):
        note(f"{name} has no such level", remedy, label)
    for name in sorted(found.named_options() - levels.keys()):
        note("the option is unknown", remedy, name)
    try:
        space = records.option_space()
    except ConfigurationError:
        return  # told with the options
    parts = {
        f"{region} ({at})": one for region, all_ in found.partitions.items() for at, one in enumerate(all_)
    }
    for key, result in try_partitions(space, parts).items():
        if isinstance(result, ConfigurationError):
            note(str(result), f"Correct the formulas of {key}")


def _check_counts(records: SystemRecords, counts: CountsRecord, note: Note) -> None:
    if list(counts.sites) != sorted(set(counts.sites)):
        note("sites are not in order, or one is there twice", "Sort them")
    for run in counts.runs:
        _check_workload(records, run.workload, note)
        for name, size in (
            ("configuration", len(records.configurations)),
            ("environment", len(records.environments)),
        ):
            if getattr(run, name) >= size:
                note(f"there are only {size} for {name}", "Write a position, counted from 0")
        positions = [position for position, _ in run.counts]
        if positions != sorted(set(positions)) or any(one >= len(counts.sites) for one in positions):
            note("these are no ascending positions of sites", "Correct them")
    if len({(run.configuration, run.workload, run.environment) for run in counts.runs}) < len(counts.runs):
        note("two runs are of one configuration", "Keep one of them")
