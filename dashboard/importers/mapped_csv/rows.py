"""The rows of a mapped table: what each cell means, with every bad cell noted."""

import math
from collections.abc import Mapping
from functools import partial
from itertools import islice
from sys import intern

import pandas as pd

from analytics.configurations.options import MAX_LEVELS
from analytics.units import SECONDS
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LARGEST, LONGEST
from dashboard.importers.mapped_csv.dialect import CsvDialect, open_rows
from dashboard.importers.mapped_csv.roles import ColumnRole
from dashboard.importers.numbers import BLANKS, read_number
from dashboard.importers.records import MetricRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import CellError, Table, table_of

MAX_ROWS = 500_000


def read_rows(
    source: ImportSource,
    dialect: CsvDialect,
    roles: Mapping[str, ColumnRole],
    faults: Faults,
    most_rows: int | None,
) -> Table:
    """The columns with a role, of the first `most_rows` rows where that is given, without blanks around the cells."""
    most = MAX_ROWS + 1 if most_rows is None else most_rows
    with open_rows(source, dialect) as rows:
        # Most texts stand in many rows.
        plain = ((line, [intern(cell.strip()) for cell in row]) for line, row in islice(rows, most))
        table = table_of(dialect.file, dialect.header, plain, faults, wanted=list(roles))
    if len(table) > MAX_ROWS:
        problem = f"has more than {MAX_ROWS} rows"
        faults.add(dialect.file, problem, "Split the file", line=table.lines[MAX_ROWS])
    return table


def cells_of_rows(
    table: Table, roles: Mapping[str, ColumnRole], defaults: Mapping[str, str], decimal: str
) -> tuple[pd.DataFrame, dict[str, list[str]]]:
    """What each row says beside values: names, and `repetition` where a column tells it; the levels of each option.

    `defaults` name what no column does. Levels are texts, numbers with a decimal point.
    """

    def repetition(cell: str) -> int:
        number = read_number(cell, decimal)
        if number is None or number != int(number) or not 0 <= number <= LARGEST:
            remedy = "Write a whole number from 0, or map the column as ignore: rows are counted then"
            raise CellError("is no repetition", remedy)
        return int(number)

    rows = pd.DataFrame({name: [text] * len(table) for name, text in defaults.items()})
    levels: dict[str, list[str]] = {}
    for column, role in roles.items():
        if role.kind in (*defaults, "benchmark"):
            rows[role.kind] = table.read(column, partial(_name, role.kind), "")
        elif role.kind == "option":
            levels[column] = table.read(column, partial(_level, decimal, set()), "")
        elif role.kind == "repetition":
            rows["repetition"] = table.read(column, repetition, 0)
    return rows, levels


def _name(name: str, cell: str) -> str:
    longest = LONGEST["subject" if name == "benchmark" else name]
    if not cell:
        raise CellError(f"the {name} is missing", "Write its name")
    if len(cell) > longest or not cell.isprintable():
        raise CellError("the name cannot be stored", f"Use up to {longest} plain characters")
    return cell


def _level(decimal: str, levels: set[str], cell: str) -> str:
    """A level; `levels` are those of the cells before, and take it up."""
    if not cell:
        raise CellError("the level is missing", "Write the option's level, or leave the row out")
    is_number = decimal == "," and read_number(cell, ",") is not None
    text = cell.replace(",", ".") if is_number else cell
    if text not in levels and len(levels) == MAX_LEVELS:
        problem = f"has more than {MAX_LEVELS} levels and is no option"
        raise CellError(problem, "Map the column as something else")
    levels.add(text)
    return text


def measured_values(
    table: Table, roles: Mapping[str, ColumnRole], decimal: str
) -> tuple[tuple[MetricRecord, ...], pd.DataFrame]:
    """The metrics, and each measured value row by row: its `row`, `metric` (a position) and `value`, times in seconds."""

    def parse(cell: str) -> float:
        value = math.nan if cell.lower() in BLANKS else read_number(cell, decimal)
        if value is None:
            sign = "point" if decimal == "." else "comma"
            raise CellError("is no number in range", f"Write a number with a decimal {sign}, or nothing")
        return value

    columns = [column for column, role in roles.items() if role.kind in ("metric", "value")]
    numbers = [table.read(column, parse, math.nan) for column in columns]
    metrics: dict[MetricRecord, int] = {}
    found = []
    for row, values in enumerate(zip(*numbers, strict=True)):
        for column, value in zip(columns, values, strict=True):
            if math.isnan(value):
                continue
            role = _stated(table, row, column, roles)
            is_time = role.quantity == "time"
            unit, factor = ("s", SECONDS.get(role.unit, math.nan)) if is_time else (role.unit, 1.0)
            metric = MetricRecord(role.quantity, unit, role.clock, role.better)
            found.append((row, metrics.setdefault(metric, len(metrics)), value * factor))
    return tuple(metrics), pd.DataFrame(found, columns=["row", "metric", "value"])


def _stated(table: Table, row: int, column: str, roles: Mapping[str, ColumnRole]) -> ColumnRole:
    """What was measured: as the column of the value says, or as stands beside it."""
    if roles[column].kind == "metric":
        return roles[column]
    beside = {role.kind: name for name, role in roles.items()}
    quantity = table[beside["quantity"]][row]
    unit = table[beside["unit"]][row] if "unit" in beside else roles[column].unit
    if (
        not quantity
        or max(len(quantity), len(unit)) > LONGEST["metric"]
        or not (quantity + unit).isprintable()
    ):
        problem, remedy = "cannot be the name of a metric", f"Use 1 to {LONGEST['metric']} plain characters"
        table.note(row, beside["quantity"], problem, remedy, value=quantity or unit)
    if quantity == "time" and unit not in SECONDS:
        remedy = f"Write {', '.join(SECONDS)}"
        table.note(row, beside.get("unit", column), "is no unit of time", remedy, value=unit)
    return ColumnRole("metric", quantity, unit, clock="wall" if quantity == "time" else "none")
