"""A reproduced table in words: for the terminal, as a page of the documents, and as JSON."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from studies.papers.tables import Cell, Quantity, ReproducedTable

_NONE = "–"
_LEGEND = "Each cell: ours (published). – : no number; the notes say why."


def as_json(name: str, table: ReproducedTable) -> dict[str, Any]:
    """The table called `name` as one JSON object; values are not rounded."""
    return {"name": name, **asdict(table)}


def as_lines(table: ReproducedTable) -> Iterator[str]:
    """The table as aligned text."""
    rows, notes = _grid(table.cells)
    yield table.title
    yield f"Published in: {table.source}"
    yield ""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    yield ""
    yield _LEGEND
    yield from (f"[{number}] {note}" for number, note in enumerate(notes, start=1))
    yield from (f"{name}: {value}" for name, value in table.settings)
    for paragraph in table.reading:
        yield ""
        yield paragraph


def as_page(table: ReproducedTable, command: str) -> str:
    """The table as a page in Markdown, with the command that made it."""
    rows, notes = _grid(table.cells)
    head, *body = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in rows]
    lines = [
        f"# {table.title}",
        "",
        f"Published in: {table.source}.",
        "",
        f"    {command}",
        "",
        *(line for paragraph in table.reading for line in (paragraph, "")),
        head,
        "|---" * len(rows[0]) + "|",
        *body,
        "",
        _LEGEND,
        "",
        *(f"{number}. {note}" for number, note in enumerate(notes, start=1)),
        "",
        "## Settings",
        "",
        "Fixed before the run, the same for every system.",
        "",
        *(f"- {name}: {value}" for name, value in table.settings),
    ]
    return "\n".join(lines) + "\n"


def _grid(cells: Sequence[Cell]) -> tuple[list[list[str]], list[str]]:
    """The cells as rows of text, the head first, and the notes that they refer to."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    notes = list(dict.fromkeys(cell.remark for cell in cells if cell.remark))
    found = {(cell.row, cell.column): cell for cell in cells}
    rows = [["", *columns]]
    for row in dict.fromkeys(cell.row for cell in cells):
        units = {cell.unit for cell in cells if cell.row == row and cell.unit}
        name = f"{row}, {units.pop()}" if units else row
        rows.append([name, *(_written(found.get((row, column)), notes) for column in columns)])
    return rows, notes


def _written(cell: Cell | None, notes: Sequence[str]) -> str:
    if cell is None:
        return ""
    published = "" if cell.published is None else f" ({_number(cell.published)})"
    note = f" [{notes.index(cell.remark) + 1}]" if cell.remark else ""
    return f"{_number(cell.ours)}{published}{note}"


def _number(number: Quantity | None) -> str:
    if number is None:
        return _NONE
    if not number.spread:
        # Three significant digits, and whole numbers as they are.
        if number.value == int(number.value):
            return f"{int(number.value)}"
        return f"{number.value:.0f}" if abs(number.value) >= 100 else f"{number.value:.3g}"
    # Digits by certainty: two of the spread, and the value as far.
    places = max(0, min(3, 1 - math.floor(math.log10(number.spread))))
    return f"{number.value:.{places}f}, sd {number.spread:.{places}f}"
