"""Options and configurations of a Comprex bundle: every option is 0 or 1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.errors import ConfigurationError
from analytics.configurations.options import IntArray, Option, OptionSpace
from dashboard.importers.columns import first_rows, texts
from dashboard.importers.comprex.manifest import OPTIONS
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


@dataclass(frozen=True, slots=True)
class Options:
    """The options as records and as the space that formulas are over; `mentioned` as the file claims."""

    records: tuple[OptionRecord, ...]
    space: OptionSpace
    mentioned: Mapping[str, bool]


def read_options(source: ImportSource, faults: Faults) -> Options | None:
    """The options; None where the file cannot be read or has a fault."""
    before = faults.count
    table = read_table(source, OPTIONS, _COLUMNS, faults)
    if table is None:
        return None
    first_rows(table, ["name"], faults)
    for column in ("off_value", "on_value"):
        texts(table, column, faults, longest=LONGEST["level"])
    names = texts(table, "name", faults, longest=LONGEST["option"], blank=False)
    records, options = [], []
    for index, name in enumerate(names):
        record = _record(table, index)
        records.append(record)
        try:
            options.append(Option(name, tuple(level.value for level in record.levels)))
        except ConfigurationError as error:
            table.note(faults, index, "name", problem=str(error), remedy="Correct the name or the values")
    if not names:
        faults.add(OPTIONS, "lists no option", "Add a row per option")
    if faults.count > before:
        return None
    mentioned = {name: cell == "1" for name, cell in zip(names, table["in_any_partition"], strict=True)}
    return Options(tuple(records), OptionSpace(tuple(options)), mentioned)


def _record(table: Table, index: int) -> OptionRecord:
    """An option with its two levels; values that are not recorded are written off and on."""
    cells = {column: table[column][index] for column in _COLUMNS}
    levels = tuple(
        LevelRecord(_BOOLEANS.get(value, value) if value else bool(number), value or label)
        for number, label, value in ((0, "off", cells["off_value"]), (1, "on", cells["on_value"]))
    )
    notes = []
    if cells["off_value_alt"] or cells["on_value_alt"]:
        notes.append(f"other values: {cells['off_value_alt'] or '?'} and {cells['on_value_alt'] or '?'}")
    if cells["value_source"]:
        notes.append(f"source of the values: {cells['value_source']}")
    return OptionRecord(cells["name"], levels, "; ".join(notes))


def read_levels(table: Table, options: Options, faults: Faults, *, besides: Sequence[str]) -> IntArray:
    """The level of each option in each row, shape (n_rows, n_options); columns `besides` are no options.

    Faults: columns of unknown or absent options, cells that are not 0 or 1, and configurations that repeat.
    """
    names = options.space.names
    for column in table.columns:
        if column not in besides and column not in names:
            faults.add(
                table.file,
                "the column is no known option",
                f"Add the option to {OPTIONS} or remove the column",
                line=1,
                column=column,
            )
    levels = np.zeros((len(table), len(names)), dtype=np.int8)
    for position, name in enumerate(names):
        if name not in table:
            faults.add(table.file, "the option has no column", "Add the column", line=1, column=name)
            continue
        cells = table[name]
        levels[:, position] = [_LEVELS.get(cell, -1) for cell in cells]
        for index in np.flatnonzero(levels[:, position] < 0).tolist():
            remedy = "Write 0 for off and 1 for on"
            table.note(faults, index, name, problem="is neither 0 nor 1", remedy=remedy)
    _report_repeated(table, levels, faults)
    return levels


def _report_repeated(table: Table, levels: IntArray, faults: Faults) -> None:
    first: dict[bytes, int] = {}
    for index, row in enumerate(levels):
        earlier = first.setdefault(row.tobytes(), index)
        if earlier != index and (row >= 0).all():
            problem = f"has the same options as line {table.lines[earlier]}"
            table.note(faults, index, "config_id", problem=problem, remedy="Keep one of the two rows")
