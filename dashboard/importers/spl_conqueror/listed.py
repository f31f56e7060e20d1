"""Measurements without a header: each line lists the binary options that are chosen, then the measured value."""

from dashboard.importers.errors import Faults, SourceError
from dashboard.importers.source import ImportSource
from dashboard.importers.spl_conqueror.results import MOST_CELLS, MOST_ROWS, Results
from dashboard.importers.tables import Table, read_text

METRIC = "performance"


def is_listed(source: ImportSource, file: str) -> bool:
    """Whether the first line of a table ends with a number, which no header does, behind names."""
    try:
        with source.stream(file) as stream:
            first = stream.readline(1 << 16).decode("utf-8-sig", errors="replace")
    except SourceError:
        return False
    *names, value = (cell.strip() for cell in first.split(";"))
    return bool(names) and _number(value) is not None and all(_number(name) is None for name in names)


def read_listed(source: ImportSource, file: str, faults: Faults, remarks: list[str]) -> Results | None:
    """The rows as zeros and ones of the options that some line lists; None, with faults noted, where one is wrong."""
    before = faults.count
    text = read_text(source, file, faults)
    lines: list[int] = []
    rows: list[dict[str, None]] = []
    values: list[str] = []
    for line, written in enumerate((text or "").splitlines(), start=1):
        if not written.strip():
            continue
        *names, value = (cell.strip() for cell in written.split(";"))
        number = _number(value)
        if number is None:
            problem = "does not end with a measured value"
            faults.add(file, problem, "Write OPTION;OPTION;VALUE", line=line, value=value)
            continue
        lines.append(line)
        rows.append(dict.fromkeys(filter(None, names)))
        values.append(number)
    known = dict.fromkeys(name for row in rows for name in row)
    if len(rows) > MOST_ROWS or len(rows) * len(known) > MOST_CELLS:
        faults.add(file, f"has more than {MOST_ROWS} rows or {MOST_CELLS} cells", "Split it")
    if faults.count > before:
        return None
    remarks.append(f"{file}: without a header, each line lists its options; the last value is {METRIC}.")
    columns = {name: ["1" if name in row else "0" for row in rows] for name in known}
    return Results(Table(file, {**columns, METRIC: values}, lines), (METRIC,), is_listed=True)


def _number(text: str) -> str | None:
    """A number with a decimal point, None where `text` is none."""
    pointed = text.replace(",", ".")
    try:
        float(pointed)
    except ValueError:
        return None
    return pointed
