"""Proposing a role for each column from its name and its values; a person confirms or corrects it."""

import re
from collections.abc import Sequence

from analytics.units import SECONDS
from dashboard.importers.mapped_csv.dialect import CsvDialect, read_dialect
from dashboard.importers.mapped_csv.roles import IGNORED, SINGLE, ColumnRole, Kind
from dashboard.importers.numbers import BLANKS, read_number
from dashboard.importers.settings import ImportSettings, single
from dashboard.importers.source import ImportSource

_WORDS: dict[Kind, frozenset[str]] = {
    "revision": frozenset({"revision", "rev", "commit", "sha", "hash", "version", "release", "tag"}),
    "repetition": frozenset({"repetition", "rep", "run", "iteration", "iter", "trial", "repeat", "sample"}),
    "workload": frozenset({"workload", "input", "dataset", "scenario"}),
    "environment": frozenset({"environment", "machine", "host", "hostname", "platform"}),
    "benchmark": frozenset({"benchmark", "bench", "test"}),
    "quantity": frozenset({"metric", "measure", "quantity", "property", "nfp"}),
    "unit": frozenset({"unit", "units"}),
    "value": frozenset({"value", "result", "measurement"}),
}
_UNITS = {
    **dict.fromkeys(SECONDS, "time"),
    "kb": "memory", "mb": "memory", "kib": "memory", "mib": "memory", "bytes": "memory", "b": "memory",
    "j": "energy", "mj": "energy", "wh": "energy", "w": "power", "ops": "throughput",
}  # fmt: skip
_QUANTITIES = {
    "time": "time", "duration": "time", "runtime": "time", "elapsed": "time", "latency": "time",
    "wall": "time", "performance": "time", "cpu": "time", "memory": "memory", "rss": "memory",
    "energy": "energy", "power": "power", "throughput": "throughput", "fps": "throughput", "size": "size",
}  # fmt: skip
_HIGHER = frozenset({"throughput"})
_ROWS = re.compile(r"id|index|nr|no|unnamed.*|date|timestamp|", re.IGNORECASE)
_PARTS = re.compile(r"[^\W_]+")
_MOST_LEVELS = 20


def propose(source: ImportSource, given: ImportSettings) -> tuple[CsvDialect, Sequence[ColumnRole]]:
    """How a file is written, and a role for each column of its header, to be confirmed.

    A metric whose unit nobody tells has a blank one, to be filled in. Roles that one column alone may have go to the first
    that asks for it. Raises `SourceError` and `InvalidSetting`.
    """
    dialect = read_dialect(source, delimiter=single(given, "delimiter"), decimal=single(given, "decimal"))
    taken: set[str] = set()
    roles = []
    words = [{word.lower() for word in _words(column)} for column in dialect.header]
    # Whether one column names what another one holds the values of.
    is_long = all(any(word & _WORDS[kind] for word in words) for kind in ("quantity", "value"))
    for place, column in enumerate(dialect.header):
        role = _role(column, dialect.cells(place), dialect.decimal, is_long=is_long)
        if role.kind in SINGLE and role.kind in taken:
            role = IGNORED
        taken.add(role.kind)
        roles.append(role)
    return dialect, roles


def _role(column: str, cells: Sequence[str], decimal: str, *, is_long: bool) -> ColumnRole:
    written = _words(column)
    words = [word.lower() for word in written]
    for kind, names in _WORDS.items():
        if names.intersection(words) and (is_long or kind not in ("quantity", "unit", "value")):
            return ColumnRole(kind)
    filled = [cell for cell in cells if cell.lower() not in BLANKS]
    if _ROWS.fullmatch(column.strip()) or not filled:
        return IGNORED
    numbers = [read_number(cell, decimal) for cell in filled]
    is_numeric = all(value is not None for value in numbers)
    distinct = len(set(filled))
    if is_numeric and not is_long:
        unit = next((word for word in written if word.lower() in _UNITS), "")
        quantity = next((_QUANTITIES[word] for word in words if word in _QUANTITIES), "")
        quantity = quantity or _UNITS.get(unit.lower(), "")
        if quantity:
            unit = unit.lower() if quantity == "time" else unit
            return ColumnRole(
                "metric",
                quantity,
                unit,
                "higher" if quantity in _HIGHER else "lower",
                "none" if quantity != "time" else "cpu" if "cpu" in words else "wall",
            )
        if distinct > _MOST_LEVELS or (
            distinct > 2 and not all(value == int(value) for value in numbers if value is not None)
        ):
            return ColumnRole("metric", column[:40].replace(":", " ") or "value")
    return ColumnRole("option") if distinct <= _MOST_LEVELS else IGNORED


def _words(column: str) -> list[str]:
    """The words of a name, the last one first: a unit stands behind."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).replace("_", " ")
    return list(reversed(_PARTS.findall(apart)))
