"""Reading a Perfatlas bundle: lists in JSON first, then the tables that refer to them, then what they say together.

Columns of tables are read and checked as the fields of their records declare.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any, Literal, cast, get_args, get_origin

import numpy as np
from annotated_types import Ge, MaxLen, MinLen
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from dashboard.importers.bundle.checks import check
from dashboard.importers.bundle.files import (
    FILE_OF,
    FILES,
    KEYS,
    LIST_SHAPES,
    MANIFEST,
    MANIFEST_SHAPE,
    NUMBERED,
    OPTIONAL,
    TABLES,
    BundleManifest,
    columns_of,
    record_class,
)
from dashboard.importers.errors import Faults
from dashboard.importers.instants import read_instant
from dashboard.importers.limits import LARGEST, Value
from dashboard.importers.record_fields import LATER, MAY_BE_UNKNOWN, NAMED_BY, RecordField, fields_of
from dashboard.importers.record_tables import FloatArray, IntArray
from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import CellError, Table, read_table
from dashboard.importers.text_files import read_json

_LINES = TypeAdapter(
    dict[Annotated[str, Field(pattern=r"^[1-9][0-9]{0,8}$")], Value],
    config=ConfigDict(strict=True, allow_inf_nan=False),
)


def read(source: ImportSource) -> Imported:
    """The records of a Perfatlas bundle. Raises `InvalidBundle` with every fault."""
    faults = Faults()
    manifest = cast("BundleManifest", read_json(source, MANIFEST, MANIFEST_SHAPE, faults))
    # Of a bundle of another format or version nothing else can be judged.
    faults.stop_if_any()
    lists: dict[str, Any] = {
        field: read_json(source, FILE_OF[field], shape, faults)
        for field, shape in LIST_SHAPES.items()
        if field not in OPTIONAL or FILE_OF[field] in source.names
    }
    # Positions and names can only be judged where the lists that they point into were read.
    faults.stop_if_any()
    records = SystemRecords(
        description=manifest.description,
        false_alarm_rate=manifest.false_alarm_rate,
        host_link=manifest.host_link,
        batches=manifest.batches,
        **lists,
    )
    for field in TABLES:
        content = _read_content(source, field, records, faults)
        if content is not None:
            records = replace(records, **{field: content})
    check(records, faults)
    faults.stop_if_any()
    return Imported(records, source.digest(FILES))


def _read_content(source: ImportSource, field: str, records: SystemRecords, faults: Faults) -> Any:
    """What a field of `SystemRecords` holds, read from its table; None, with a fault noted, where that cannot be read.

    Every cell is checked as its field declares; one that refers to another list must find its entry in `records`.
    """
    made = record_class(field)
    fields = fields_of(made)
    later = {one.name for one in fields if LATER in one.marks}
    required = [column for column in columns_of(field) if column not in later]
    table = read_table(source, FILE_OF[field], required, faults)
    if table is None:
        return None
    if field in NUMBERED:
        # A lost row would shift what others refer to.
        for row, cell in enumerate(table["number"]):
            if cell != str(row):
                problem, remedy = f"the row's number should be {row}", "Number the rows from 0 without gaps"
                table.note(row, "number", problem, remedy)
                break
    columns = {
        one.name: _read_column(table, one, getattr(records, one.collection, ()))
        for one in fields
        if one.name in table
    }
    if not isinstance(getattr(records, field), tuple):
        _, names = KEYS[field]
        keys = [columns[name] for name in names]
        order = np.lexsort(tuple(keys[::-1]))
        same = np.logical_and.reduce([np.diff(key[order]) == 0 for key in keys])
        for place in np.flatnonzero(same).tolist():
            first, row = sorted(order[place : place + 2].tolist())
            if all(key[row] >= 0 for key in keys):
                problem = f"line {table.lines[first]} has the same {', '.join(names)}"
                table.note(row, names[-1], problem, "Keep one of the two rows")
        return made(**columns)
    # What is unknown is NaN in an array, and None in a record.
    lists = [
        [None if math.isnan(cell) else cell for cell in one.tolist()] if isinstance(one, np.ndarray) else one
        for one in columns.values()
    ]
    return tuple(made(**dict(zip(columns, row, strict=True))) for row in zip(*lists, strict=True))


def _read_column(table: Table, field: RecordField, entries: Any) -> Any:
    """One column of a table, as its field declares; `entries` are those of the list that it refers to."""
    name, shape = field.name, field.shape
    at_least, at_most = field.mark(Ge), field.mark(MaxLen)
    minimum: Any = None if at_least is None else at_least.ge
    values: Any = table[name]
    if field.collection:
        positions = _read_references(table, field, entries)
        values = values if shape is str else positions
    elif get_origin(shape) is Literal:
        _read_words(table, name, get_args(shape))
    elif shape is bool:
        values = _read_words(table, name, ("0", "1")).astype(bool)
    elif shape in {int, IntArray}:
        values = table.whole_numbers(name, minimum=minimum or 0)
        for row in np.flatnonzero(values > LARGEST).tolist():
            table.note(row, name, "is too large", f"Write at most {LARGEST}")
    elif shape in {FloatArray, float | None}:
        lowest = -math.inf if minimum is None else float(minimum)
        values = table.numbers(name, minimum=lowest, blank=MAY_BE_UNKNOWN in field.marks)
    elif get_origin(shape) is Mapping:
        values = {row: lines for row, lines in enumerate(table.read(name, _lines, None)) if lines is not None}
    elif shape is not str:
        values = table.read(name, _whole_number if shape == int | None else _instant, None)
    elif at_most is not None:
        table.texts(name, longest=at_most.max_length, blank=field.mark(MinLen) is None)
    return values


def _read_references(table: Table, field: RecordField, entries: Any) -> IntArray:
    """The positions of what the cells refer to: by position, or by name."""
    key = NAMED_BY.get(field.collection)
    if key is None:
        size = len(entries)
        known = {str(position): position for position in range(size)}
        problem = f"there are only {size} of these" if size else "there is none of these"
        remedy = "Write a position, counted from 0"
    else:
        names = entries if isinstance(entries, Mapping) else [getattr(one, key) for one in entries]
        known = {name: position for position, name in enumerate(names)}
        if field.mark(MinLen) is None and field.shape is str:
            known[""] = -1
        problem, remedy = "the name is unknown", f"Correct it, or add it to {FILE_OF[field.collection]}"
    return table.references(field.name, known, problem, remedy)


def _read_words(table: Table, column: str, words: Sequence[str]) -> IntArray:
    known = {word: position for position, word in enumerate(words)}
    return table.references(column, known, "is no known word", f"Write one of {', '.join(words)}")


def _whole_number(cell: str) -> int | None:
    if cell and not (cell.isascii() and cell.isdigit() and int(cell) <= LARGEST):
        raise CellError("is no whole number", f"Write one from 0 to {LARGEST}, or leave it blank")
    return int(cell) if cell else None


def _instant(cell: str) -> datetime | None:
    try:
        return read_instant(cell) if cell else None
    except ValueError:
        remedy = "Write it as 2026-01-31T12:00:00Z, or leave it blank"
        raise CellError("is no time with a time zone", remedy) from None


def _lines(cell: str) -> dict[str, float] | None:
    """The values of single lines of source, {line number: value}; None where the cell is blank."""
    try:
        return _LINES.validate_json(cell) if cell else None
    except ValidationError:
        remedy = 'Write a JSON object {"12": 0.5} of line numbers and values, or leave it blank'
        raise CellError("is no object of lines", remedy) from None
