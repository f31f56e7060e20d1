"""What tells two environments apart: their names may be the same."""

from collections.abc import Mapping
from typing import Any


def environment_difference(one: Mapping[str, Any] | None, other: Mapping[str, Any] | None) -> str:
    """`cores used, kernel`: what is known of one environment and is not the same of the other, "" for nothing."""
    known, others = (_flat(details or {}) for details in (one, other))
    names = sorted(name for name in known.keys() | others.keys() if known.get(name) != others.get(name))
    return ", ".join(name.replace("_", " ") for name in names)


def _flat(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details, each setting beside them under its own name."""
    flat = {name: value for name, value in details.items() if name != "settings"}
    return flat | {str(name): value for name, value in details.get("settings") or ()}
