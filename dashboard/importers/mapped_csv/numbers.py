"""Numbers as tables of many origins write them."""

import re

from dashboard.importers.limits import FARTHEST

# How tables write that there is no value.
BLANKS = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?"})
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)


def number(cell: str, decimal: str) -> float | None:
    """The number that a cell writes with this decimal sign; None for anything else, also for what is too large."""
    plain = cell if decimal == "." else cell.replace(".", "x").replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        return None
    value = float(plain)
    return value if abs(value) <= FARTHEST else None
