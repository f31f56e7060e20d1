"""Which configurations of an analysis failed, traced or counted."""

from collections.abc import Iterable
from typing import Any


def failed_runs(traced: Iterable[dict[str, Any]], counted: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The runs that did not end well, as they are stored, in order; the first one of each configuration."""
    found: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    for run in (*traced, *counted):
        if run["status"] != "ok":
            found.setdefault(tuple(sorted(run["levels"].items())), run)
    return list(found.values())
