"""Tables of records by column: what there is too much of for one object each.

Each column is an array of shape (n,). A column that refers to other records holds their positions, from 0.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from annotated_types import Ge
from numpy.typing import NDArray

from dashboard.importers.record_fields import LATER, MAY_BE_UNKNOWN, RecordField, RefersTo

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def _no_integers() -> IntArray:
    return np.empty(0, dtype=np.int64)


def _no_numbers() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class MeasurementTable:
    """Measurements of whole runs.

    Where a source has aggregates only, `value` stands for `n` executions whose sample standard deviation, in the
    metric's unit, is `deviation` (NaN where it is unknown). Left out, every row is one execution.
    """

    run: Annotated[IntArray, RefersTo("runs")] = field(default_factory=_no_integers)
    metric: Annotated[IntArray, RefersTo("metrics")] = field(default_factory=_no_integers)
    value: FloatArray = field(default_factory=_no_numbers)
    deviation: Annotated[FloatArray, Ge(0), MAY_BE_UNKNOWN, LATER] = field(default_factory=_no_numbers)
    n: Annotated[IntArray, Ge(1), LATER] = field(default_factory=_no_integers)

    def __post_init__(self) -> None:
        """Fill in what was left out."""
        if not len(self.deviation):
            object.__setattr__(self, "deviation", np.full(len(self.run), np.nan))
        if not len(self.n):
            object.__setattr__(self, "n", np.ones(len(self.run), dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class RegionMeasurementTable:
    """Measurements of regions; `lines` maps a row to {line number: value}."""

    run: Annotated[IntArray, RefersTo("runs")] = field(default_factory=_no_integers)
    region: Annotated[IntArray, RefersTo("regions")] = field(default_factory=_no_integers)
    metric: Annotated[IntArray, RefersTo("metrics")] = field(default_factory=_no_integers)
    value: FloatArray = field(default_factory=_no_numbers)
    lines: Mapping[int, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PointTable:
    """Points of imported series; `spread` is NaN where it is unknown."""

    series: Annotated[IntArray, RefersTo("series")] = field(default_factory=_no_integers)
    revision: Annotated[IntArray, RefersTo("revisions")] = field(default_factory=_no_integers)
    batch: Annotated[IntArray, RefersTo("batches")] = field(default_factory=_no_integers)
    n: IntArray = field(default_factory=_no_integers)
    median: FloatArray = field(default_factory=_no_numbers)
    spread: Annotated[FloatArray, Ge(0), MAY_BE_UNKNOWN] = field(default_factory=_no_numbers)


def cells_of(table: Any, field: RecordField, part: slice = slice(None)) -> list[Any]:
    """A column of a table in some rows: lines of source as JSON, None for what is unknown."""
    column = getattr(table, field.name)
    if isinstance(column, Mapping):
        there = map(column.get, range(*part.indices(len(table.run))))
        return [
            None if one is None else json.dumps(dict(one), sort_keys=True, separators=(",", ":"))
            for one in there
        ]
    cells: list[Any] = column[part].tolist()
    return [None if math.isnan(cell) else cell for cell in cells] if MAY_BE_UNKNOWN in field.marks else cells
