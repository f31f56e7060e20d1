"""CSV tables by column: their text as numbers and references, with every bad cell noted."""

import io
import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.limits import FARTHEST
from dashboard.importers.numbers import NOT_MEASURED, is_number, is_whole
from dashboard.importers.source import ImportSource
from dashboard.importers.text_files import csv_rows, read_text

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_MAX_FIELD = 1 << 24
_PLAIN = re.compile(r"[0-9.\x00]*", re.ASCII)


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

    def numbers(self, column: str, *, minimum: float = -math.inf, blank: bool = False) -> FloatArray:
        """The column as floats, shape (n_rows,); NaN where it is blank (if `blank` is allowed) or a fault."""
        cells = self[column]
        values = np.full(len(cells), np.nan)
        if not blank and _PLAIN.fullmatch("\0".join(cells)) and minimum <= 0:
            # The usual case, half a million times: only digits and points, so not negative and finite.
            try:
                values[:] = np.array(cells, dtype=np.float64) if cells else ()
            except ValueError:
                pass
            else:
                if (values <= FARTHEST).all():
                    return values
        for row, cell in enumerate(cells):
            if cell or not blank:
                values[row] = self._number(row, column, minimum)
        return values

    def measured_numbers(self, column: str, *, minimum: float = -math.inf) -> FloatArray:
        """Likewise; NaN also where a cell says in words that nothing was measured."""
        missing = {cell for cell in set(self[column]) if cell.strip().lower() in NOT_MEASURED}
        if not missing:
            return self.numbers(column, minimum=minimum)
        cells = ["" if cell in missing else cell for cell in self[column]]
        return replace(self, columns={column: cells}).numbers(column, minimum=minimum, blank=True)

    def _number(self, row: int, column: str, minimum: float) -> float:
        cell = self[column][row]
        value = float(cell) if is_number(cell) else math.nan
        problem = ""
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
        if not problem:
            return value
        bound = "" if minimum == -math.inf else f" of at least {minimum:g}"
        self.note(row, column, problem, f"Write a finite number{bound}, with a decimal point")
        return math.nan

    def whole_numbers(self, column: str, *, minimum: int = 0) -> IntArray:
        """The column as integers, shape (n_rows,); `minimum - 1` where a cell is a fault."""
        known = {cell: int(cell) for cell in set(self[column]) if is_whole(cell) and int(cell) >= minimum}
        problem, remedy = "is no whole number in range", f"Write a whole number from {minimum}"
        return self.references(column, known, problem, remedy, otherwise=minimum - 1)

    def references(
        self, column: str, known: Mapping[str, int], problem: str, remedy: str, *, otherwise: int = -1
    ) -> IntArray:
        """What `known` gives for each cell, shape (n_rows,); `otherwise` where it is unknown, which is a fault."""
        cells = self[column]
        unknown = set(cells).difference(known)
        if not unknown:
            return np.fromiter(map(known.__getitem__, cells), dtype=np.int64, count=len(cells))
        for row, cell in enumerate(cells):
            if cell in unknown:
                self.note(row, column, problem, remedy)
        return np.fromiter((known.get(cell, otherwise) for cell in cells), dtype=np.int64, count=len(cells))

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
        for row, cell in enumerate(self[column]):
            if len(cell) > longest:
                self.note(row, column, f"has {len(cell)} characters", f"Shorten it to {longest}")
            elif not cell and not blank:
                self.note(row, column, "the value is missing", "Write one")
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
    for line, row in numbered:
        if row and len(row) != len(header):
            problem = f"has {len(row)} fields where the header has {len(header)}"
            faults.add(file, problem, "Complete the row or quote fields that hold commas", line=line)
    complete = [(line, row) for line, row in numbered if len(row) == len(header)]
    columns = zip(*(row for _, row in complete), strict=True) if complete else [()] * len(header)
    return Table(file, dict(zip(header, columns, strict=True)), [line for line, _ in complete], faults)
