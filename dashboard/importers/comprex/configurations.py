"""Options and configurations of a Comprex bundle: every option is 0 or 1."""

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, OptionSpace
from dashboard.importers.comprex.manifest import CONFIGURATIONS, GROUND_TRUTH, OPTIONS
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import LevelRecord, OptionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import Table, read_table

_COLUMNS = (
    "name",
    "off_value",
    "on_value",
    "off_value_alt",
    "on_value_alt",
    "value_source",
    "in_any_partition",
)
_BOOLEANS = {"false": False, "true": True}
_LEVELS = {"0": 0, "1": 1}


def read_options(source: ImportSource, faults: Faults) -> Table | None:
    """The table of options; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, OPTIONS, _COLUMNS, faults)
    if table is None:
        return None
    table.check_unique("name")
    for column in ("off_value", "on_value"):
        table.texts(column, longest=LONGEST["level"])
    table.texts("name", longest=LONGEST["option"], blank=False)
    for row, option in enumerate(option_records(table)):
        try:
            option.as_option()
        except ConfigurationError as error:
            table.note(row, "name", str(error), "Correct the name or the values")
    if not len(table):
        faults.add(OPTIONS, "lists no option", "Add a row per option")
    return table if faults.count == before else None


def option_records(table: Table) -> tuple[OptionRecord, ...]:
    """The options of the table; values that it does not tell are written off and on."""
    records = []
    for cells in zip(*(table[column] for column in _COLUMNS), strict=True):
        name, off, on, other_off, other_on, origin, _ = cells
        levels = tuple(
            LevelRecord(_BOOLEANS.get(value, value) if value else is_on, value or label)
            for is_on, label, value in ((False, "off", off), (True, "on", on))
        )
        notes = []
        if other_off or other_on:
            notes.append(f"other values: {other_off or '?'} and {other_on or '?'}")
        if origin:
            notes.append(f"source of the values: {origin}")
        records.append(OptionRecord(name, levels, "; ".join(notes)))
    return tuple(records)


def levels_of(table: Table, space: OptionSpace) -> IntArray:
    """The level of each option in each row of configurations, shape (n_rows, n_options); -1 for anything but 0 and 1."""
    off = ["0"] * len(table)
    levels = [[_LEVELS.get(cell, -1) for cell in table.columns.get(name, off)] for name in space.names]
    return np.array(levels, dtype=np.int8).T


def read_ground_truth(source: ImportSource, space: OptionSpace, faults: Faults) -> Table | None:
    """The configurations measured end to end; None where there is no such file or it cannot be read."""
    if GROUND_TRUTH not in source.names:
        return None
    table = read_table(source, GROUND_TRUTH, ("config_id", "time_s"), faults)
    if table is not None:
        _check_configurations(table, space, "time_s", faults)
        table.numbers("time_s", minimum=0.0)
    return table


def read_profiled(
    source: ImportSource, space: OptionSpace, truth: Table | None, faults: Faults
) -> Table | None:
    """The profiled configurations, whose `groundtruth_id` is checked; None where the file cannot be read."""
    table = read_table(source, CONFIGURATIONS, ("config_id", "groundtruth_id"), faults)
    if table is None:
        return None
    _check_configurations(table, space, "groundtruth_id", faults)
    if not len(table):
        faults.add(CONFIGURATIONS, "lists no configuration", "Add a row per profiled configuration")
    if truth is None:
        if GROUND_TRUTH not in source.names and any(table["groundtruth_id"]):
            remark = f"groundtruth_id leads nowhere, {GROUND_TRUTH} is not there."
            faults.remarks.append(f"{CONFIGURATIONS}: {remark}")
        return table
    levels, true_levels, places = levels_of(table, space), levels_of(truth, space), truth.places("config_id")
    for row, name in enumerate(table["groundtruth_id"]):
        if not name:
            continue
        if name not in places:
            problem = f"{GROUND_TRUTH} has no such configuration"
        elif not np.array_equal(levels[row], true_levels[places[name]]):
            problem = f"{GROUND_TRUTH} has other options there"
        else:
            continue
        remedy = f"Name the row of {GROUND_TRUTH} with the same options, or leave it blank"
        table.note(row, "groundtruth_id", problem, remedy)
    return table


def _check_configurations(table: Table, space: OptionSpace, besides: str, faults: Faults) -> None:
    """Note columns of unknown or absent options, cells that are not 0 or 1, and configurations that repeat.

    `besides` is a column that is no option.
    """
    table.texts("config_id", longest=LONGEST["configuration"], blank=False)
    table.check_unique("config_id")
    for column in table.columns:
        if column not in ("config_id", besides, *space.names):
            remedy = f"Add the option to {OPTIONS} or remove the column"
            faults.add(table.file, "the column is no known option", remedy, line=1, column=column)
    for name in space.names:
        if name not in table:
            faults.add(table.file, "the option has no column", "Add the column", line=1, column=name)
    levels = levels_of(table, space)
    for place, row in np.argwhere(levels.T < 0).tolist():
        table.note(row, space.names[place], "is neither 0 nor 1", "Write 0 for off and 1 for on")
    for row, earlier in table.repeats(one.tobytes() for one in levels):
        if (levels[row] >= 0).all():
            problem = f"has the same options as line {table.lines[earlier]}"
            table.note(row, "config_id", problem, "Keep one of the two rows")
