"""One result file: formats 1 (nested) and 2 (columns) as rows of the same shape, and their values as points.

asv keeps no standard deviation. It keeps a 99 % interval of the median, or quartiles where that interval is open. The
deviation stored here is the one from which the fit finds asv's own standard error again: of n > 2 measurements with
deviation s the median has the variance pi/2 * s**2 / n.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple

import numpy as np

from analytics.histories.noise import MEDIAN_FACTOR
from dashboard.importers.asv.folder import REMEDY, UNKNOWN_FORMAT, Document
from dashboard.importers.errors import FileFaults
from dashboard.importers.limits import FARTHEST, LARGEST
from dashboard.importers.record_tables import FloatArray, IntArray

# Width of a 99 % interval and of the quartiles of a normal distribution, in standard deviations.
_CI_99 = 2 * 2.5758293035489004
_QUARTILES = 2 * 0.6744897501960817
_NUMBERS = {int, float, type(None)}

# Series, revision, n, median and spread of each value, shape (n,) each.
Points = tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]


class AsvRow(NamedTuple):
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


# In the order of `AsvRow`, behind the name.
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


def rows_of(document: Document, faults: FileFaults) -> Iterator[AsvRow]:
    """The rows of a result file of either format; what has not the shape of one is a fault."""
    results = document.get("results")
    if not isinstance(results, dict):
        faults.add("is no object with a result per benchmark", REMEDY, column="results")
        return
    version = document.get("version")
    if version == 1:
        yield from _nested(document, results, faults)
        return
    if version != 2:
        faults.add("is of an unknown format", UNKNOWN_FORMAT, column="version", value=repr(version))
        return
    columns = document.get("result_columns")
    if not isinstance(columns, list) or not all(name in columns for name in _REQUIRED):
        problem = "is no list of columns with 'result' and 'params'"
        faults.add(problem, REMEDY, column="result_columns", value=repr(columns))
        return
    places = [columns.index(name) if name in columns else None for name in _COLUMNS]
    for name, cells in results.items():
        if not isinstance(cells, list):
            faults.add("is no list", REMEDY, column=f"results/{name}", value=repr(cells))
            continue
        width = len(cells)
        row = [None if place is None or place >= width else cells[place] for place in places]
        yield from _checked(name, row, faults)


def _nested(document: Document, results: Document, faults: FileFaults) -> Iterator[AsvRow]:
    """Format 1: a number, or an object with `result`, `params` and `stats`; versions stand apart."""
    versions = document.get("benchmark_version")
    for name, cell in results.items():
        entry = cell if isinstance(cell, dict) else {"result": cell}
        # A single null among format 1's results says that nothing could be measured.
        values, stats = (
            one if isinstance(one, list) or one is None else [one]
            for one in (entry.get("result"), entry.get("stats"))
        )
        if not all(one is None or isinstance(one, dict) for one in stats or ()):
            faults.add("is no list of statistics", REMEDY, column=f"results/{name}/stats")
            continue
        version = versions.get(name) if isinstance(versions, dict) else None
        figures = [_figures(one or {}) for one in stats or ()]
        columns = [None] * 5 if stats is None else [[one[place] for one in figures] for place in range(5)]
        yield from _checked(name, [version, entry.get("params"), values, *columns], faults)


def _figures(stats: Document) -> tuple[Any, ...]:
    """The statistics of one combination in the order of `AsvRow`, None for what is absent."""
    interval = stats.get("ci_99")
    if not isinstance(interval, list) or len(interval) != 2:
        interval = (None, None)
    # Before asv counted repetitions apart it wrote the number of samples.
    repeat = stats["repeat"] if stats.get("repeat") is not None else stats.get("n")
    return *interval, stats.get("q_25"), stats.get("q_75"), repeat


def _checked(name: str, row: list[Any], faults: FileFaults) -> Iterator[AsvRow]:
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
        faults.add(problem, REMEDY, column=f"results/{name}")
    else:
        yield AsvRow(name, version, params, values, *stats)


def points_of(
    rows: Sequence[AsvRow], series: Sequence[int], revision: int, faults: FileFaults, missing: Counter[str]
) -> Points | None:
    """The points of the rows of one file, whose values belong to `series`; `missing` counts values that are none.

    None, with faults noted, where a cell is no number.
    """
    columns = _columns_of(rows, faults)
    if columns is None:
        return None
    median, low, high, quarter, three_quarters, repeat = columns
    failed = sum(value is None for row in rows for value in row.values or ())
    there = ~np.isnan(median)
    missing["failed"] += failed
    missing["skipped"] += int(len(median) - failed - there.sum())
    if np.any(np.abs(median) > FARTHEST):
        problem = f"lies beyond {FARTHEST:g}: nothing measured does"
        for row in rows:
            for value in row.values or ():
                if value is not None and abs(value) > FARTHEST:
                    faults.add(problem, REMEDY, column=f"results/{row.benchmark}", value=str(float(value)))
    n = np.where((repeat >= 1) & (repeat <= LARGEST), repeat, 1.0)[there]
    with np.errstate(invalid="ignore", over="ignore"):
        error = (high - low)[there] / _CI_99
        inner = (three_quarters - quarter)[there] / _QUARTILES
        shares = np.where(n > 2, MEDIAN_FACTOR, 1.0)
        spread = np.where(np.isfinite(error), error * np.sqrt(n / shares), inner)
        spread = np.where((spread >= 0) & (spread <= FARTHEST) & (n > 1), spread, np.nan)
    places = np.array(series, dtype=np.int64)[there]
    return places, np.full(len(places), revision), n.astype(np.int64), median[there], spread


def _columns_of(rows: Sequence[AsvRow], faults: FileFaults) -> list[FloatArray] | None:
    """The results and statistics of all rows by column, shape (n_values,) each, NaN where there is none."""
    cells: list[list[Any]] = [[] for _ in AsvRow._fields[3:]]
    for row in rows:
        unknown = [None] * len(row.values or ())
        for column, values in zip(cells, row[3:], strict=True):
            column.extend(unknown if values is None else values)
    if all(set(map(type, column)) <= _NUMBERS for column in cells):
        try:
            return [np.array(column, dtype=np.float64) for column in cells]
        except OverflowError:
            faults.add("holds a whole number that is too large", REMEDY)
            return None
    for row in rows:
        place = f"results/{row.benchmark}"
        for value in chain.from_iterable(values or () for values in row[3:]):
            if type(value) not in _NUMBERS:
                faults.add("is no number", REMEDY, column=place, value=repr(value))
    return None
