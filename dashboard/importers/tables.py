"""CSV tables by column: their text as numbers and references, with every bad cell noted."""

import io
import math
import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.limits import FARTHEST
from dashboard.importers.numbers import is_number, is_whole
from dashboard.importers.record_tables import FloatArray, IntArray
from dashboard.importers.source import ImportSource
from dashboard.importers.text_files import csv_rows, read_text

T = TypeVar("T")

_MAX_FIELD = 1 << 24
_PLAIN = re.compile(r"[0-9.\x00]*", re.ASCII)


class CellError(ValueError):
    """A cell cannot be read; its arguments are the problem and the remedy."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file by column; `lines[i]` is the line of the file on which row i ends. Bad cells go to `faults`."""

    file: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    faults: Faults

    def __len__(self) -> int:
        return len(self.lines)

    def __contains__(self, column: object) -> bool:
        return column in self.columns

    def __getitem__(self, column: str) -> Sequence[str]:
        return self.columns[column]

    def note(self, row: int, column: str, problem: str, remedy: str, *, value: str | None = None) -> None:
        """Note a fault in one row; `value` is the cell of `column` unless given."""
        shown = self.columns[column][row] if value is None else value
        self.faults.add(self.file, problem, remedy, line=self.lines[row], column=column, value=shown)

    def read(self, column: str, parse: Callable[[str], T], otherwise: T) -> list[T]:
        """What `parse` makes of each cell; `otherwise` where it raises `CellError`, which is a fault.

        Each distinct text is parsed once, in the order in which they come.
        """
        cells = self[column]
        values: dict[str, T] = {}
        errors: dict[str, CellError] = {}
        for cell in dict.fromkeys(cells):
            try:
                values[cell] = parse(cell)
            except CellError as error:
                values[cell], errors[cell] = otherwise, error
        for row, cell in enumerate(cells) if errors else ():
            if cell in errors:
                self.note(row, column, *errors[cell].args)
        return [values[cell] for cell in cells]

    def numbers(
        self, column: str, *, minimum: float = -math.inf, blank: bool = False, words: Collection[str] = ()
    ) -> FloatArray:
        """The column as floats, shape (n_rows,).

        NaN where it is blank (if `blank` is allowed), where one of the `words` says that there is none, or a fault.
        """
        cells = self[column]
        if not blank and _PLAIN.fullmatch("\0".join(cells)) and minimum <= 0:
            # The usual case, half a million times: only digits and points, so not negative and finite.
            with suppress(ValueError):
                values = np.array(cells, dtype=np.float64)
                if (values <= FARTHEST).all():
                    return values

        def parse(cell: str) -> float:
            if (blank and not cell) or cell.strip().lower() in words:
                return math.nan
            value = float(cell) if is_number(cell) else math.nan
            if not cell:
                problem = "the number is missing"
            elif cell.strip().lstrip("+-").lower() in {"nan", "inf", "infinity"} or math.isinf(value):
                problem = "the number is not finite"
            elif math.isnan(value):
                problem = "is no number"
            elif abs(value) > FARTHEST:
                problem = "the number is too large"
            elif value < minimum:
                problem = "the number is negative" if minimum == 0 else f"the number is below {minimum}"
            else:
                return value
            bound = "" if minimum == -math.inf else f" of at least {minimum:g}"
            raise CellError(problem, f"Write a finite number{bound}, with a decimal point")

        return np.array(self.read(column, parse, math.nan), dtype=np.float64)

    def whole_numbers(self, column: str, *, minimum: int = 0) -> IntArray:
        """The column as integers, shape (n_rows,); `minimum - 1` where a cell is a fault."""
        known = {cell: int(cell) for cell in set(self[column]) if is_whole(cell) and int(cell) >= minimum}
        problem, remedy = "is no whole number in range", f"Write a whole number from {minimum}"
        return self.references(column, known, problem, remedy, otherwise=minimum - 1)

    def references(
        self, column: str, known: Mapping[str, int], problem: str, remedy: str, *, otherwise: int = -1
    ) -> IntArray:
        """What `known` gives for each cell, shape (n_rows,); `otherwise` where it is unknown, which is a fault."""

        def parse(cell: str) -> int:
            if cell not in known:
                raise CellError(problem, remedy)
            return known[cell]

        return np.array(self.read(column, parse, otherwise), dtype=np.int64)

    def places(self, column: str) -> dict[str, int]:
        """The row of each text in a column that repeats none."""
        return {cell: row for row, cell in enumerate(self[column])}

    def repeats(self, keys: Iterable[Hashable]) -> Iterator[tuple[int, int]]:
        """Each row whose key an earlier row has and the first such row."""
        first: dict[Hashable, int] = {}
        for row, key in enumerate(keys):
            if (earlier := first.setdefault(key, row)) != row:
                yield row, earlier

    def check_unique(self, *columns: str) -> None:
        """Note each row that repeats the texts of an earlier one in these columns."""
        keys = list(zip(*(self[column] for column in columns), strict=True))
        for row, earlier in self.repeats(keys):
            problem, remedy = f"repeats line {self.lines[earlier]}", "Keep one of the two rows"
            self.note(row, ", ".join(columns), problem, remedy, value=", ".join(keys[row]))

    def texts(self, column: str, *, longest: int, blank: bool = True) -> Sequence[str]:
        """The column as it is; a cell that is too long for its place, or blank where it must not be, is a fault."""

        def check(cell: str) -> None:
            if len(cell) > longest:
                raise CellError(f"has {len(cell)} characters", f"Shorten it to {longest}")
            if not cell and not blank:
                raise CellError("the value is missing", "Write one")

        self.read(column, check, None)
        return self[column]


def read_table(
    source: ImportSource, file: str, required: Iterable[str], faults: Faults, *, delimiter: str = ","
) -> Table | None:
    """A CSV file with a header; None where it cannot be read or a required column is missing.

    Empty lines are passed over. Rows whose number of fields differs from the header's are faults and left out.
    """
    text = read_text(source, file, faults)
    if text is None:
        return None
    rows = csv_rows(io.StringIO(text, newline=""), file, delimiter, longest=_MAX_FIELD)
    try:
        _, header = next(rows, (1, []))
        numbered = list(rows)
    except SourceError as error:
        faults.add_fault(error.fault)
        return None
    before = faults.count
    if not header:
        faults.add(file, "is empty", "Write a header line with the names of the columns", line=1)
        return None
    for column in sorted({name for name in header if header.count(name) > 1}):
        faults.add(file, "the column is there twice", "Keep one of them", line=1, column=column)
    for column in required:
        if column not in header:
            remedy = "Add it to the header and to each row"
            faults.add(file, "the column is missing", remedy, line=1, column=column)
    if faults.count > before:
        return None
    return table_of(file, header, ((line, row) for line, row in numbered if row), faults)


def table_of(
    file: str,
    header: Sequence[str],
    rows: Iterable[tuple[int, Sequence[str]]],
    faults: Faults,
    *,
    wanted: Sequence[str] | None = None,
) -> Table:
    """The table of these rows, each with its line; one of another width than the header is a fault and left out.

    Where names of columns are `wanted`, it has only these.
    """
    names = header if wanted is None else wanted
    places = [header.index(name) for name in names]
    lines: list[int] = []
    complete: list[list[str]] = []
    for line, row in rows:
        if len(row) != len(header):
            problem = f"has {len(row)} fields where the header has {len(header)}"
            faults.add(file, problem, "Complete the row or quote fields that hold the delimiter", line=line)
        else:
            lines.append(line)
            complete.append([row[place] for place in places])
    columns = zip(*complete, strict=True) if complete else [()] * len(names)
    return Table(file, dict(zip(names, columns, strict=True)), lines, faults)
