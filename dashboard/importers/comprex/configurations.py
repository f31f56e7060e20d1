"""Options and configurations of a Comprex bundle: every option is 0 or 1."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, OptionSpace
from dashboard.importers.comprex.manifest import CONFIGURATIONS, GROUND_TRUTH, OPTIONS
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.records import LevelRecord, OptionRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import FloatArray, Table, read_table

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


@dataclass(frozen=True, slots=True)
class ComprexOptions:
    """The options as records and as the space that formulas are over; `mentioned` as the file claims."""

    records: tuple[OptionRecord, ...]
    space: OptionSpace
    mentioned: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class ComprexConfigurations:
    """Configurations by id: `position` tells the row of `levels`, shape (n, n_options).

    `seconds`, shape (n,), are the end-to-end times of the ground truth; the profiled ones have none.
    """

    position: Mapping[str, int]
    levels: IntArray
    seconds: FloatArray | None = None


def read_options(source: ImportSource, faults: Faults) -> ComprexOptions | None:
    """The options; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, OPTIONS, _COLUMNS, faults)
    if table is None:
        return None
    table.first_rows("name")
    for column in ("off_value", "on_value"):
        table.texts(column, longest=LONGEST["level"])
    names = table.texts("name", longest=LONGEST["option"], blank=False)
    records, options = [], []
    for index in range(len(names)):
        cells = {column: table[column][index] for column in _COLUMNS}
        # Values that are not recorded are written off and on.
        levels = tuple(
            LevelRecord(_BOOLEANS.get(value, value) if value else bool(number), value or label)
            for number, label, value in ((0, "off", cells["off_value"]), (1, "on", cells["on_value"]))
        )
        notes = []
        if cells["off_value_alt"] or cells["on_value_alt"]:
            notes.append(f"other values: {cells['off_value_alt'] or '?'} and {cells['on_value_alt'] or '?'}")
        if cells["value_source"]:
            notes.append(f"source of the values: {cells['value_source']}")
        records.append(OptionRecord(cells["name"], levels, "; ".join(notes)))
        try:
            options.append(records[-1].as_option())
        except ConfigurationError as error:
            table.note(index, "name", str(error), "Correct the name or the values")
    if not names:
        faults.add(OPTIONS, "lists no option", "Add a row per option")
    if faults.count > before:
        return None
    mentioned = {name: cell == "1" for name, cell in zip(names, table["in_any_partition"], strict=True)}
    return ComprexOptions(tuple(records), OptionSpace(tuple(options)), mentioned)


def read_ground_truth(
    source: ImportSource, options: ComprexOptions, faults: Faults
) -> ComprexConfigurations | None:
    """The configurations measured end to end; None where there is no such file or it cannot be read."""
    if GROUND_TRUTH not in source.names:
        return None
    table = read_table(source, GROUND_TRUTH, ("config_id", "time_s"), faults)
    if table is None:
        return None
    position, levels = _read_rows(table, options, "time_s", faults)
    return ComprexConfigurations(position, levels, table.numbers("time_s", minimum=0.0))


def read_profiled(
    source: ImportSource, options: ComprexOptions, truth: ComprexConfigurations | None, faults: Faults
) -> ComprexConfigurations | None:
    """The profiled configurations, whose `groundtruth_id` is checked; None where the file cannot be read."""
    table = read_table(source, CONFIGURATIONS, ("config_id", "groundtruth_id"), faults)
    if table is None:
        return None
    position, levels = _read_rows(table, options, "groundtruth_id", faults)
    if not len(table):
        faults.add(CONFIGURATIONS, "lists no configuration", "Add a row per profiled configuration")
    if truth is None:
        if GROUND_TRUTH not in source.names and any(table["groundtruth_id"]):
            remark = f"groundtruth_id leads nowhere, {GROUND_TRUTH} is not there."
            faults.remarks.append(f"{CONFIGURATIONS}: {remark}")
        return ComprexConfigurations(position, levels)
    for index, name in enumerate(table["groundtruth_id"]):
        if not name:
            continue
        if name not in truth.position:
            problem = f"{GROUND_TRUTH} has no such configuration"
        elif not np.array_equal(levels[index], truth.levels[truth.position[name]]):
            problem = f"{GROUND_TRUTH} has other options there"
        else:
            continue
        remedy = f"Name the row of {GROUND_TRUTH} with the same options, or leave it blank"
        table.note(index, "groundtruth_id", problem, remedy)
    return ComprexConfigurations(position, levels)


def _read_rows(
    table: Table, options: ComprexOptions, besides: str, faults: Faults
) -> tuple[dict[str, int], IntArray]:
    """The row of each id, and the level of each option in each row, shape (n_rows, n_options); `besides` is no option.

    Faults: columns of unknown or absent options, cells that are not 0 or 1, and configurations that repeat.
    """
    table.texts("config_id", longest=LONGEST["configuration"], blank=False)
    position = {key[0]: row for key, row in table.first_rows("config_id").items()}
    names = options.space.names
    for column in table.columns:
        if column not in ("config_id", besides, *names):
            remedy = f"Add the option to {OPTIONS} or remove the column"
            faults.add(table.file, "the column is no known option", remedy, line=1, column=column)
    levels = np.zeros((len(table), len(names)), dtype=np.int8)
    for place, name in enumerate(names):
        if name not in table:
            faults.add(table.file, "the option has no column", "Add the column", line=1, column=name)
            continue
        levels[:, place] = [_LEVELS.get(cell, -1) for cell in table[name]]
        for index in np.flatnonzero(levels[:, place] < 0).tolist():
            remedy = "Write 0 for off and 1 for on"
            table.note(index, name, "is neither 0 nor 1", remedy)
    first: dict[bytes, int] = {}
    for index, row in enumerate(levels):
        earlier = first.setdefault(row.tobytes(), index)
        if earlier != index and (row >= 0).all():
            problem = f"has the same options as line {table.lines[earlier]}"
            table.note(index, "config_id", problem, "Keep one of the two rows")
    return position, levels
