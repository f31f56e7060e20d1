"""What a reproduced table is, the published numbers beside it, and the faults that can stop one."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

Tell = Callable[[str], None]


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

    name: str
    title: str
    source: str
    settings: tuple[tuple[str, str], ...]
    cells: tuple[Cell, ...]
    reading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Effort:
    """How much of a table is made: seeds of whatever is drawn at random, and series of each system (None: all)."""

    seeds: int = 10
    series: int | None = None


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A published table that can be made again: its name in commands, what it shows, and what makes it.

    `make(data, effort, tell)` reads the published data below the folder `data`, and raises `ReproductionError`.
    """

    name: str
    title: str
    make: Callable[[Path, Effort, Tell], ReproducedTable]


_SPREAD = "_spread"


def printed(name: str) -> dict[tuple[str, str], Quantity]:
    """The numbers of the table in `published/NAME.csv` by row and column, with their spread where it is printed."""
    text = (resources.files(__package__) / "published" / f"{name}.csv").read_text(encoding="utf-8")
    found: dict[tuple[str, str], Quantity] = {}
    for row in csv.DictReader(text.splitlines()):
        for column, value in row.items():
            if column != "row" and value and not column.endswith(_SPREAD):
                spread = row.get(column + _SPREAD)
                found[row["row"], column] = Quantity(float(value), float(spread) if spread else None)
    return found
