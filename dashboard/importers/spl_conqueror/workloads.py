"""Which workload each row of measurements is of, where columns beside the features tell it."""

from collections.abc import Sequence

from dashboard.importers.columns import texts
from dashboard.importers.errors import Faults
from dashboard.importers.limits import LONGEST
from dashboard.importers.tables import Table

UNNAMED = "as published"
_REMEDY = "Write 1 into the column of its workload and 0 into the others"


def workloads_of(table: Table, columns: Sequence[str], faults: Faults) -> Sequence[str]:
    """The workload of each row: the one column of `columns` that is 1 there, or the text of a single column.

    Without columns all rows have one workload. A row of no workload or of several is a fault.
    """
    if not columns:
        return [UNNAMED] * len(table)
    flags = [table[name] for name in columns]
    if len(columns) == 1 and not set(flags[0]) <= {"0", "1"}:
        return texts(table, columns[0], faults, longest=LONGEST["workload"], blank=False)
    found = []
    for row, cells in enumerate(zip(*flags, strict=True)):
        strange = [place for place, cell in enumerate(cells) if cell not in ("0", "1")]
        if strange:
            table.note(faults, row, columns[strange[0]], problem="is neither 0 nor 1", remedy=_REMEDY)
        elif cells.count("1") != 1:
            problem = "the row has no workload" if "1" not in cells else "the row has several workloads"
            table.note(faults, row, columns[0], problem=problem, remedy=_REMEDY)
        found.append(columns[cells.index("1")] if "1" in cells else UNNAMED)
    return found
