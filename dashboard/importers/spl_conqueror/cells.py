"""Cells of measured values, some of which say that nothing was measured."""

import math
from dataclasses import replace

from dashboard.importers.columns import FloatArray, numbers
from dashboard.importers.errors import Faults
from dashboard.importers.tables import Table

_MISSING = frozenset({"", "nan", "na", "n/a", "?"})


def measured(table: Table, name: str, faults: Faults, *, minimum: float = -math.inf) -> FloatArray:
    """The column as floats, shape (n_rows,); NaN where the cell is empty or says that there is no number."""
    missing = {cell for cell in set(table[name]) if cell.strip().lower() in _MISSING}
    if not missing:
        return numbers(table, name, faults, minimum=minimum)
    cells = ["" if cell in missing else cell for cell in table[name]]
    return numbers(replace(table, columns={name: cells}), name, faults, minimum=minimum, blank=True)
