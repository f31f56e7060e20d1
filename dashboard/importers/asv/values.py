"""The values of one result file with what asv says of their certainty, as columns of points.

asv keeps no standard deviation. It keeps a 99 % interval of the median, or quartiles where that interval is open. The
deviation stored here is the one from which the fit finds asv's own standard error again: of n > 2 measurements with
deviation s the median has the variance pi/2 * s**2 / n.
"""

from collections import Counter
from typing import Any

import numpy as np

from analytics.histories.noise import MEDIAN_FACTOR
from dashboard.importers.asv.results import REMEDY, Row
from dashboard.importers.errors import Faults
from dashboard.importers.limits import FARTHEST, LARGEST
from dashboard.importers.record_tables import FloatArray, IntArray

# Width of a 99 % interval and of the quartiles of a normal distribution, in standard deviations.
_CI_99 = 2 * 2.5758293035489004
_QUARTILES = 2 * 0.6744897501960817
_NUMBERS = {int, float, type(None)}
_COLUMNS = ("values", "low", "high", "quarter", "three_quarters", "repeat")

Points = tuple[IntArray, IntArray, IntArray, FloatArray, FloatArray]


class Values:
    """The rows of one file, cell by cell."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._rows: list[Row] = []
        self._series: list[int] = []
        self._cells: list[list[Any]] = [[] for _ in _COLUMNS]

    def add(self, row: Row, series: list[int]) -> None:
        """Add a row whose values belong to these series."""
        self._rows.append(row)
        self._series += series
        unknown = [None] * len(series)
        columns = (row.values, row.low, row.high, row.quarter, row.three_quarters, row.repeat)
        for cells, values in zip(self._cells, columns, strict=True):
            cells.extend(unknown if values is None else values)

    def points(self, revision: int, faults: Faults, missing: Counter[str]) -> Points:
        """Series, revision, n, median and spread of each value; `missing` counts those that are none."""
        if not all(set(map(type, cells)) <= _NUMBERS for cells in self._cells):
            self._note_types(faults)
            return _none()
        try:
            median, low, high, quarter, three_quarters, repeat = (
                np.array(cells, dtype=np.float64) for cells in self._cells
            )
        except OverflowError:
            faults.add(self._file, "holds a whole number that is too large", REMEDY)
            return _none()
        failed = sum(value is None for value in self._cells[0])
        there = ~np.isnan(median)
        missing["failed"] += failed
        missing["skipped"] += int(len(median) - failed - there.sum())
        self._note_sizes(median, faults)
        n = np.where((repeat >= 1) & (repeat <= LARGEST), repeat, 1.0)[there]
        with np.errstate(invalid="ignore", over="ignore"):
            error = (high - low)[there] / _CI_99
            inner = (three_quarters - quarter)[there] / _QUARTILES
            shares = np.where(n > 2, MEDIAN_FACTOR, 1.0)
            spread = np.where(np.isfinite(error), error * np.sqrt(n / shares), inner)
            spread = np.where((spread >= 0) & (spread <= FARTHEST) & (n > 1), spread, np.nan)
        series = np.array(self._series, dtype=np.int64)[there]
        return series, np.full(len(series), revision), n.astype(np.int64), median[there], spread

    def _note_types(self, faults: Faults) -> None:
        """Tell which rows hold what is no number."""
        for row in self._rows:
            for column in _COLUMNS:
                for value in getattr(row, column) or ():
                    if type(value) not in _NUMBERS:
                        place = f"results/{row.benchmark}"
                        faults.add(self._file, "is no number", REMEDY, column=place, value=repr(value)[:100])

    def _note_sizes(self, median: FloatArray, faults: Faults) -> None:
        if not np.any(np.abs(median) > FARTHEST):
            return
        start = 0
        for row in self._rows:
            end = start + len(row.values or ())
            for value in median[start:end][np.abs(median[start:end]) > FARTHEST]:
                problem = f"lies beyond {FARTHEST:g}: nothing measured does"
                place = f"results/{row.benchmark}"
                faults.add(self._file, problem, REMEDY, column=place, value=str(value))
            start = end


def _none() -> Points:
    none = np.empty(0, dtype=np.int64)
    return none, none, none, np.empty(0), np.empty(0)
