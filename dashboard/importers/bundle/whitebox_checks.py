"""What the white-box analyses and the counts of a Perfatlas bundle must say of its other parts."""

from dashboard.importers.bundle.files import FILE_OF
from dashboard.importers.bundle.option_checks import Levels, Note, check_formulas, check_levels
from dashboard.importers.records import SystemRecords
from dashboard.importers.whitebox_records import CountsRecord, WhiteBoxRecord


def check_white_box(records: SystemRecords, levels: Levels, one: WhiteBoxRecord, note: Note) -> None:
    """The options and levels that an analysis names must be the system's, and its formulas partitions of them."""
    check_levels(levels, one.found.named_levels(), note)
    for name in sorted(one.found.named_options() - levels.keys()):
        note("the option is unknown", f"Add it to {FILE_OF['options']}", name)
    formulas = {
        f"{region} ({at})": part
        for region, parts in one.found.partitions.items()
        for at, part in enumerate(parts)
    }
    check_formulas(records, formulas, note)


def check_counts(counts: CountsRecord, note: Note) -> None:
    """Sites and positions must ascend, and each run be of another configuration."""
    if list(counts.sites) != sorted(set(counts.sites)):
        note("sites are not in order, or one is there twice", "Sort them")
    for run in counts.runs:
        positions = [position for position, _ in run.counts]
        if positions != sorted(set(positions)) or any(one >= len(counts.sites) for one in positions):
            note("these are no ascending positions of sites", "Correct them")
    if len({(run.configuration, run.workload, run.environment) for run in counts.runs}) < len(counts.runs):
        note("two runs are of one configuration", "Keep one of them")
