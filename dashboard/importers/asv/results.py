"""One result file: formats 1 (nested) and 2 (columns) as rows of the same shape."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

from dashboard.importers.asv.documents import Document
from dashboard.importers.errors import Faults

REMEDY = "Run asv for this revision anew, or remove the file"


class Row(NamedTuple):
    """The results of one benchmark at one revision: one value per combination of its parameters.

    None of the lists is checked yet but for their being lists or None.
    """

    benchmark: str
    version: Any
    params: list[Any]
    values: list[Any] | None
    low: list[Any] | None
    high: list[Any] | None
    quarter: list[Any] | None
    three_quarters: list[Any] | None
    repeat: list[Any] | None


# In the order of `Row`, behind the name.
_COLUMNS = (
    "version",
    "params",
    "result",
    "stats_ci_99_a",
    "stats_ci_99_b",
    "stats_q_25",
    "stats_q_75",
    "stats_repeat",
)
_REQUIRED = ("params", "result")


def rows_of(document: Document, file: str, faults: Faults) -> Iterator[Row]:
    """The rows of a result file of either format; what has not the shape of one is a fault."""
    results = document.get("results")
    if not isinstance(results, dict):
        faults.add(file, "is no object with a result per benchmark", REMEDY, column="results")
        return
    version = document.get("version")
    if version == 1:
        yield from _nested(document, results, file, faults)
    elif version == 2:
        yield from _columnar(document, results, file, faults)
    else:
        remedy = "Formats 1 and 2 are known: update the folder with `asv update`"
        faults.add(file, "is of an unknown format", remedy, column="version", value=repr(version)[:100])


def _columnar(document: Document, results: Document, file: str, faults: Faults) -> Iterator[Row]:
    columns = document.get("result_columns")
    if not isinstance(columns, list) or not set(_REQUIRED) <= {
        one for one in columns if isinstance(one, str)
    }:
        problem = "is no list of columns with 'result' and 'params'"
        faults.add(file, problem, REMEDY, column="result_columns", value=repr(columns)[:100])
        return
    places = [columns.index(name) if name in columns else None for name in _COLUMNS]
    for name, cells in results.items():
        if not isinstance(cells, list):
            faults.add(file, "is no list", REMEDY, column=f"results/{name}", value=repr(cells)[:100])
            continue
        width = len(cells)
        row = [None if place is None or place >= width else cells[place] for place in places]
        yield from _checked(name, row, file, faults)


def _nested(document: Document, results: Document, file: str, faults: Faults) -> Iterator[Row]:
    """Format 1: a number, or an object with `result`, `params` and `stats`; versions stand apart."""
    versions = document.get("benchmark_version")
    for name, cell in results.items():
        entry = cell if isinstance(cell, dict) else {"result": cell}
        # A single null among format 1's results says that nothing could be measured.
        values = _listed(entry.get("result"))
        stats = _listed(entry.get("stats")) if isinstance(entry.get("stats"), list | dict) else None
        if stats is not None and not all(one is None or isinstance(one, dict) for one in stats):
            faults.add(file, "is no list of statistics", REMEDY, column=f"results/{name}/stats")
            continue
        row = [
            versions.get(name) if isinstance(versions, dict) else None,
            entry.get("params"),
            values,
            *(None if stats is None else _picked(stats, *key) for key in _STATISTICS),
        ]
        yield from _checked(name, row, file, faults)


_STATISTICS: tuple[tuple[str, int | None], ...] = (
    ("ci_99", 0),
    ("ci_99", 1),
    ("q_25", None),
    ("q_75", None),
    ("repeat", None),
)


def _listed(value: Any) -> list[Any] | None:
    return value if isinstance(value, list) or value is None else [value]


def _picked(stats: Sequence[Document | None], key: str, place: int | None) -> list[Any]:
    """One figure of every combination's statistics, None where it is not told."""
    found = []
    for one in stats:
        value = None if one is None else one.get(key)
        if place is not None:
            value = value[place] if isinstance(value, list) and len(value) == 2 else None
        found.append(value)
    # Before asv counted repetitions apart it wrote the number of samples.
    if key == "repeat" and all(value is None for value in found):
        return _picked(stats, "n", None) if any(one and "n" in one for one in stats) else found
    return found


def _checked(name: str, row: list[Any], file: str, faults: Faults) -> Iterator[Row]:
    """The row, if its lists are lists of one length."""
    version, params, values, *stats = row
    params = [] if params is None else params
    problem = ""
    if not isinstance(params, list) or not all(isinstance(one, list) for one in params):
        problem = "the parameters are no list of lists"
    elif values is not None and not isinstance(values, list):
        problem = "the results are no list"
    elif values is not None and any(
        column is not None and (not isinstance(column, list) or len(column) != len(values))
        for column in stats
    ):
        problem = f"some statistics are no list of {len(values)}, one per result"
    elif values == [None] and prod(map(len, params)) != 1:
        # What asv writes of a benchmark that failed before its first combination.
        values, stats = None, [None] * len(stats)
    if problem:
        faults.add(file, problem, REMEDY, column=f"results/{name}")
    else:
        yield Row(name, version, params, values, *stats)
