"""The order of releases by their names."""

import re
from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

ORDER = "releases"
_DIGITS = re.compile(r"(\d+)")


def in_order(names: Sequence[str]) -> tuple[list[str], str]:
    """The releases from first to last, and in words by which rule.

    Versions as Python packages write them compare as PEP 440 says (1.0rc1 before 1.0); where one of the names is
    none, numbers inside all names compare as numbers and the rest as text (v0.9.7 before v0.9.7-p1 before v0.10).
    """
    try:
        versions = {name: Version(name) for name in names}
    except InvalidVersion:
        return sorted(names, key=_natural), "by the numbers in their names"
    return sorted(names, key=lambda name: (versions[name], name)), "by version number"


def _natural(name: str) -> list[tuple[bool, int, str]]:
    """Text and numbers in turn, so that equal places hold what can be compared."""
    return [
        (part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _DIGITS.split(name) if part
    ]
