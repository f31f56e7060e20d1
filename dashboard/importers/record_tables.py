"""Tables of records by column: what there is too much of for one object each.

Rows and what they refer to are told by position, from 0.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class MeasurementTable:
    """Whole-run measurements by column, each of shape (n,): `run` and `metric` are positions.

    Where a source has aggregates only, `value` stands for `n` executions whose sample standard deviation, in the
    metric's unit, is `deviation` (NaN where it is unknown). Both are None where every row is one execution.
    """

    run: IntArray
    metric: IntArray
    value: FloatArray
    deviation: FloatArray | None = None
    n: IntArray | None = None

    def behind(self) -> Iterator[tuple[float | None, int]]:
        """What stands behind each value: the deviation, None where it is unknown, and the number of executions."""
        size = len(self.value)
        deviations = itertools.repeat(math.nan, size) if self.deviation is None else self.deviation.tolist()
        counts = itertools.repeat(1, size) if self.n is None else self.n.tolist()
        for deviation, n in zip(deviations, counts, strict=True):
            yield None if math.isnan(deviation) else deviation, n


@dataclass(frozen=True, slots=True, eq=False)
class RegionMeasurementTable:
    """Region measurements by column, each of shape (n,); `lines` maps a row to {line number: value}."""

    run: IntArray
    region: IntArray
    metric: IntArray
    value: FloatArray
    lines: Mapping[int, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PointTable:
    """Points of imported series by column, each of shape (n,); `spread` is NaN where it is unknown."""

    series: IntArray
    revision: IntArray
    batch: IntArray
    n: IntArray
    median: FloatArray
    spread: FloatArray


def no_measurements() -> MeasurementTable:
    """A table without rows."""
    none = np.empty(0, dtype=np.int64)
    return MeasurementTable(none, none, np.empty(0))


def no_region_measurements() -> RegionMeasurementTable:
    """A table without rows."""
    none = np.empty(0, dtype=np.int64)
    return RegionMeasurementTable(none, none, none, np.empty(0))


def no_points() -> PointTable:
    """A table without rows."""
    none = np.empty(0, dtype=np.int64)
    return PointTable(none, none, none, none, np.empty(0), np.empty(0))
