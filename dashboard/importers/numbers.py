"""What a number looks like in a file, and how a file writes that there is none: the one grammar of all formats."""

import re

from dashboard.importers.limits import FARTHEST

# How measured values are written that were not measured; tables of any origin know more such words.
NOT_MEASURED = frozenset({"", "nan", "na", "n/a", "?"})
BLANKS = NOT_MEASURED | {"null", "none", "-"}
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_WITH_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?", re.ASCII)
# A comma that cannot stand between thousands.
_DECIMAL_COMMA = re.compile(r"[+-]?(\d{4,},\d+|\d*,(\d{1,2}|\d{4,}))")


def is_number(text: str) -> bool:
    """Whether `text` writes a number with a decimal point, possibly with an exponent."""
    return _NUMBER.fullmatch(text) is not None


def is_whole(text: str) -> bool:
    """Whether `text` writes a whole number that fits into 64 bits."""
    return _WHOLE.fullmatch(text) is not None


def read_number(text: str, decimal: str = ".") -> float | None:
    """The number that `text` writes with this decimal sign; None for anything else and beyond `FARTHEST`."""
    plain = text if decimal == "." else text.replace(".", "x").replace(",", ".")
    if not is_number(plain):
        return None
    value = float(plain)
    return value if abs(value) <= FARTHEST else None


def has_comma(text: str) -> bool:
    """Whether `text` writes a number with a comma, as decimal sign or between thousands."""
    return _WITH_COMMA.fullmatch(text) is not None


def with_point(text: str) -> str:
    """`text` with a decimal point where it has a comma that cannot stand between thousands."""
    return text.replace(",", ".") if _DECIMAL_COMMA.fullmatch(text) else text


def pointed_number(text: str) -> str | None:
    """A number with its decimal comma as a point, `nan` and `inf` included; None where `text` is none."""
    pointed = text.replace(",", ".")
    try:
        float(pointed)
    except ValueError:
        return None
    return pointed
