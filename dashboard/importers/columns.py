"""Turning columns of text into numbers and references, with every bad cell noted."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dashboard.importers.errors import Faults
from dashboard.importers.limits import FARTHEST
from dashboard.importers.numbers import NOT_MEASURED, is_number, is_whole
from dashboard.importers.tables import Table

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_PLAIN = re.compile(r"[0-9.\x00]*", re.ASCII)


def numbers(
    table: Table, column: str, faults: Faults, *, minimum: float = -math.inf, blank: bool = False
) -> FloatArray:
    """The column as floats, shape (n_rows,); NaN where it is blank (if `blank` is allowed) or a fault."""
    cells = table[column]
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
    for index, cell in enumerate(cells):
        if cell or not blank:
            values[index] = _number(table, index, column, faults, minimum)
    return values


def measured_numbers(table: Table, column: str, faults: Faults, *, minimum: float = -math.inf) -> FloatArray:
    """Likewise; NaN also where a cell says in words that nothing was measured."""
    missing = {cell for cell in set(table[column]) if cell.strip().lower() in NOT_MEASURED}
    if not missing:
        return numbers(table, column, faults, minimum=minimum)
    cells = ["" if cell in missing else cell for cell in table[column]]
    return numbers(replace(table, columns={column: cells}), column, faults, minimum=minimum, blank=True)


def _number(table: Table, index: int, column: str, faults: Faults, minimum: float) -> float:
    cell = table[column][index]
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
    remedy = f"Write a finite number{bound}, with a decimal point"
    table.note(faults, index, column, problem=problem, remedy=remedy)
    return math.nan


def whole_numbers(table: Table, column: str, faults: Faults, *, minimum: int = 0) -> IntArray:
    """The column as integers, shape (n_rows,); `minimum - 1` where a cell is a fault."""
    known = {cell: int(cell) for cell in set(table[column]) if is_whole(cell) and int(cell) >= minimum}
    remedy = f"Write a whole number from {minimum}"
    problem = "is no whole number in range"
    return references(table, column, known, faults, problem=problem, remedy=remedy, otherwise=minimum - 1)


def references(
    table: Table,
    column: str,
    known: Mapping[str, int],
    faults: Faults,
    *,
    problem: str,
    remedy: str,
    otherwise: int = -1,
) -> IntArray:
    """What `known` gives for each cell, shape (n_rows,); `otherwise` where it is unknown, which is a fault."""
    cells = table[column]
    unknown = set(cells).difference(known)
    if not unknown:
        return np.fromiter(map(known.__getitem__, cells), dtype=np.int64, count=len(cells))
    for index, cell in enumerate(cells):
        if cell in unknown:
            table.note(faults, index, column, problem=problem, remedy=remedy)
    return np.fromiter((known.get(cell, otherwise) for cell in cells), dtype=np.int64, count=len(cells))


def first_rows(table: Table, columns: Sequence[str], faults: Faults) -> dict[tuple[str, ...], int]:
    """The first row of each combination of these columns; each further row with it is a fault."""
    keys = list(zip(*(table[column] for column in columns), strict=True))
    first: dict[tuple[str, ...], int] = {}
    for index, key in enumerate(keys):
        first.setdefault(key, index)
    if len(first) < len(keys):
        for index, key in enumerate(keys):
            if first[key] != index:
                faults.add(
                    table.file,
                    f"repeats line {table.lines[first[key]]}",
                    "Keep one of the two rows",
                    line=table.lines[index],
                    column=", ".join(columns),
                    value=", ".join(key),
                )
    return first


def texts(table: Table, column: str, faults: Faults, *, longest: int, blank: bool = True) -> Sequence[str]:
    """The column as it is; a cell that is too long for its place, or blank where it must not be, is a fault."""
    for index, cell in enumerate(table[column]):
        if len(cell) > longest:
            problem = f"has {len(cell)} characters"
            table.note(faults, index, column, problem=problem, remedy=f"Shorten it to {longest}")
        elif not cell and not blank:
            table.note(faults, index, column, problem="the value is missing", remedy="Write one")
    return table[column]
