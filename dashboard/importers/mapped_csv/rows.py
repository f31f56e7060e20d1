"""The rows of a mapped table, read piece by piece: what each cell means, with every bad cell noted."""

import math
from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from analytics.configurations.options import MAX_LEVELS
from analytics.units import SECONDS
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LARGEST, LONGEST
from dashboard.importers.mapped_csv.dialect import CsvDialect, open_rows
from dashboard.importers.mapped_csv.roles import ColumnRole
from dashboard.importers.numbers import BLANKS, read_number
from dashboard.importers.record_tables import FloatArray, IntArray
from dashboard.importers.records import MetricRecord
from dashboard.importers.source import ImportSource
from dashboard.importers.tables import CellError, Table, table_of

if TYPE_CHECKING:
    import pandas as pd

MAX_ROWS = 500_000
# So many rows are held as text at a time.
_PIECE = 10_000


class MappedRows:
    """What the rows taken so far say; a text is kept once, however many rows hold it.

    `columns` is the column of each kind that one alone may have. `names` (by kind), `configurations` (the texts of
    `levels`, which are by column) and `metrics` give the position of each distinct one; `count` is the number of rows.
    """

    def __init__(self, roles: Mapping[str, ColumnRole], defaults: Mapping[str, str], decimal: str) -> None:
        self.columns: dict[str, str] = {role.kind: column for column, role in roles.items()}
        self.names: dict[str, dict[str, int]] = {
            # What no column tells is the same in all rows.
            kind: {} if kind in self.columns else {defaults.get(kind, ""): 0}
            for kind in (*defaults, "benchmark")
        }
        self.levels: dict[str, dict[str, str]] = {
            column: {} for column, role in roles.items() if role.kind == "option"
        }
        self.configurations: dict[tuple[str, ...], int] = {}
        self.metrics: dict[MetricRecord, int] = {}
        self.count = 0
        self._measured = {column: role for column, role in roles.items() if role.kind in ("metric", "value")}
        self._decimal = decimal
        self._pieces: list[pd.DataFrame] = []

    def take(self, table: Table) -> None:
        """Take the next rows."""
        import pandas as pd  # noqa: PLC0415 -- a second of imports that few commands need

        def repetition(cell: str) -> int:
            number = read_number(cell, self._decimal)
            if number is None or number != int(number) or not 0 <= number <= LARGEST:
                remedy = "Write a whole number from 0, or map the column as ignore: rows are counted then"
                raise CellError("is no repetition", remedy)
            return int(number)

        row, metric, value = self._values(table)
        found = {
            "row": (row + self.count).astype(np.int32),
            "metric": metric.astype(np.int32),
            "value": value,
        }
        for kind, known in self.names.items():
            positions = [0] * len(table)
            if kind in self.columns:
                positions = table.read(self.columns[kind], partial(_position, kind, known), -1)
            found[kind] = np.array(positions, dtype=np.int32)[row]
        columns = [
            table.read(column, partial(_level, self._decimal, known), "")
            for column, known in self.levels.items()
        ]
        levels = zip(*columns, strict=True) if columns else [()] * len(table)
        places = [self.configurations.setdefault(one, len(self.configurations)) for one in levels]
        found["configuration"] = np.array(places, dtype=np.int32)[row]
        if "repetition" in self.columns:
            found["repetition"] = np.array(table.read(self.columns["repetition"], repetition, 0))[row]
        self._pieces.append(pd.DataFrame(found))
        self.count += len(table)

    def values(self) -> "pd.DataFrame":
        """Hand over each measured value: `row`, `metric` and `value` (times in seconds), and what the row says beside it.

        That is the position of each kind of name and of the `configuration`, and `repetition` where a column tells it.
        """
        import pandas as pd  # noqa: PLC0415 -- as above

        pieces, self._pieces = self._pieces, []
        return pd.concat(pieces, ignore_index=True) if pieces else pd.DataFrame({"row": []})

    def _values(self, table: Table) -> tuple[IntArray, IntArray, FloatArray]:
        """The row, metric and value of each measured value, row by row."""

        def parse(cell: str) -> float:
            value = math.nan if cell.lower() in BLANKS else read_number(cell, self._decimal)
            if value is None:
                sign = "point" if self._decimal == "." else "comma"
                raise CellError("is no number in range", f"Write a number with a decimal {sign}, or nothing")
            return value

        numbers = np.array([table.read(column, parse, math.nan) for column in self._measured]).T
        rows, places = np.nonzero(~np.isnan(numbers))
        values = numbers[rows, places]
        roles = list(self._measured.values())
        if "value" in self.columns:
            roles, places = _stated(table, rows, self.columns, roles[0].unit)
        metrics = np.empty_like(places)
        for place in dict.fromkeys(places.tolist()):
            role, measured = roles[place], places == place
            unit = role.unit
            if role.quantity == "time":
                values[measured] *= SECONDS.get(unit, math.nan)
                unit = "s"
            metric = MetricRecord(role.quantity, unit, role.clock, role.better)
            metrics[measured] = self.metrics.setdefault(metric, len(self.metrics))
        return rows, metrics, values


def read_rows(
    source: ImportSource,
    dialect: CsvDialect,
    roles: Mapping[str, ColumnRole],
    defaults: Mapping[str, str],
    faults: Faults,
    *,
    most_rows: int | None,
) -> MappedRows:
    """What the columns with a role say, of the first `most_rows` rows where that is given.

    `defaults` name the revision, workload and environment that no column does. Blanks around cells mean nothing.
    """
    found = MappedRows(roles, defaults, dialect.decimal)
    with open_rows(source, dialect) as rows:
        first = islice(rows, MAX_ROWS + 1 if most_rows is None else most_rows)
        plain = ((line, [cell.strip() for cell in row]) for line, row in first)
        while piece := list(islice(plain, _PIECE)):
            table = table_of(dialect.file, dialect.header, piece, faults, wanted=list(roles))
            found.take(table)
            if found.count > MAX_ROWS:
                problem = f"has more than {MAX_ROWS} rows"
                faults.add(dialect.file, problem, "Split the file", line=table.lines[-1])
    return found


def _position(kind: str, known: dict[str, int], cell: str) -> int:
    """The position of a name among the `known` ones, which take it up."""
    longest = LONGEST["subject" if kind == "benchmark" else kind]
    if not cell:
        raise CellError(f"the {kind} is missing", "Write its name")
    if len(cell) > longest or not cell.isprintable():
        raise CellError("the name cannot be stored", f"Use up to {longest} plain characters")
    return known.setdefault(cell, len(known))


def _level(decimal: str, known: dict[str, str], cell: str) -> str:
    """A level, a number with a decimal point; the `known` ones of the option take it up."""
    if not cell:
        raise CellError("the level is missing", "Write the option's level, or leave the row out")
    is_number = decimal == "," and read_number(cell, ",") is not None
    text = cell.replace(",", ".") if is_number else cell
    if text not in known and len(known) == MAX_LEVELS:
        problem = f"has more than {MAX_LEVELS} levels and is no option"
        raise CellError(problem, "Map the column as something else")
    return known.setdefault(text, text)


def _stated(
    table: Table, rows: IntArray, columns: Mapping[str, str], unit: str
) -> tuple[list[ColumnRole], IntArray]:
    """The metrics that stand beside values, and the place among them of what was measured in each of `rows`.

    `unit` is that of all values where no column tells it.
    """
    quantities = table[columns["quantity"]]
    units = table[columns["unit"]] if "unit" in columns else [unit] * len(table)
    texts = [(quantities[row], units[row]) for row in rows.tolist()]
    places = {one: place for place, one in enumerate(dict.fromkeys(texts))}
    unnamed = {one for one in places if not one[0] or max(map(len, one)) > LONGEST["metric"]}
    unnamed.update(one for one in places if not "".join(one).isprintable())
    untimed = {one for one in places if one[0] == "time" and one[1] not in SECONDS}
    for row, one in zip(rows.tolist(), texts, strict=True) if unnamed or untimed else ():
        if one in unnamed:
            problem, remedy = (
                "cannot be the name of a metric",
                f"Use 1 to {LONGEST['metric']} plain characters",
            )
            table.note(row, columns["quantity"], problem, remedy, value=one[0] or one[1])
        if one in untimed:
            column = columns.get("unit", columns["value"])
            table.note(row, column, "is no unit of time", f"Write {', '.join(SECONDS)}", value=one[1])
    roles = [
        ColumnRole("metric", quantity, unit, clock="wall" if quantity == "time" else "none")
        for quantity, unit in places
    ]
    return roles, np.array([places[one] for one in texts], dtype=np.int64)
