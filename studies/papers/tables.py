"""What a reproduced table is, the published numbers beside it, and the faults that can stop one."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from dashboard.importers.errors import InvalidBundle, SourceError
from dashboard.importers.records import Imported, SystemRecords
from dashboard.importers.source import ImportSource, open_source


class ReproductionError(Exception):
    """A table cannot be made: the message names the folder or file, what is wrong with it and the remedy."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A value with the standard deviation over seeds or corrections, where it has one."""

    value: float
    spread: float | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of ours beside the published one; None where there is none, and `remark` says why.

    `unit` is shown with both. `remark` also tells why ours differs.
    """

    row: str
    column: str
    unit: str
    ours: Quantity | None
    published: Quantity | None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class ReproducedTable:
    """A table with our numbers and the published ones.

    `source` says where each published number stands; `settings` were fixed before the run and are the same for every
    system; `reading` are paragraphs on what the comparison shows and why ours differs.
    """

    title: str
    source: str
    settings: tuple[tuple[str, str], ...]
    cells: tuple[Cell, ...]
    reading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What a table is made from: the folder of the published `data`, and how much of it.

    `seeds` are those of whatever is drawn at random, `series` how many of each system (None: all). `tell` is told each
    step.
    """

    data: Path
    seeds: int = 10
    series: int | None = None
    tell: Callable[[str], None] = lambda _step: None


def read_records(folder: Path, read: Callable[[ImportSource], Imported]) -> SystemRecords:
    """What an importer makes of a folder of the published data. Raises `ReproductionError`."""
    try:
        with open_source(folder) as source:
            return read(source).records
    except (SourceError, InvalidBundle) as error:
        raise ReproductionError(f"{folder}: {error}") from None


_SPREAD = "_spread"


def printed(name: str) -> dict[tuple[str, str], Quantity]:
    """The numbers of the table in `published/NAME.csv` by row and column, with their spread where it is printed."""
    text = (resources.files(__package__) / "published" / f"{name}.csv").read_text(encoding="utf-8")
    return numbers_in(text, lambda row: row.pop("row"))


def numbers_in(text: str, row_of: Callable[[dict[str, str]], str]) -> dict[tuple[str, str], Quantity]:
    """The numbers of a CSV table by row and column; `row_of` takes the columns that name the row out of it."""
    found: dict[tuple[str, str], Quantity] = {}
    for row in csv.DictReader(text.splitlines()):
        name = row_of(row)
        for column, value in row.items():
            if value and not column.endswith(_SPREAD):
                spread = row.get(column + _SPREAD)
                found[name, column] = Quantity(float(value), float(spread) if spread else None)
    return found
