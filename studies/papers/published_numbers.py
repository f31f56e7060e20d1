"""The published numbers of main tables, which stand in papers only: typed in here as they are printed."""

import csv
from importlib import resources

from studies.papers.tables import Quantity

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
