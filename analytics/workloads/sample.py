"""What is compared between workloads: the same configurations in each, with values that the clock could tell apart."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray

# A clock whose steps are more than this share of a workload's usual value does not tell a workload's influences.
COARSEST = 0.05
# How often a value is met, on average, where the steps of a clock are looked for; and among how many decimal places.
_MET, _PLACES = 4, 6
# Fewer configurations or workloads than these tell nothing.
FEWEST_CONFIGURATIONS, FEWEST_WORKLOADS = 4, 2

Reason = Literal["coarse", "zero", "missing"]


@dataclass(frozen=True, slots=True, eq=False)
class WorkloadSample:
    """Configurations (n, n_options) with their values (n, n_workloads), all positive: no cell is empty.

    `left_out` names other workloads with the reason: steps of the clock too coarse, values of zero or less, too little
    measured. `without` is the number of configurations that were not measured in all of `workloads`.
    """

    configurations: IntArray
    values: FloatArray
    workloads: tuple[str, ...]
    left_out: tuple[tuple[str, Reason], ...] = ()
    without: int = 0

    @property
    def is_enough(self) -> bool:
        """Whether there are several workloads, and several configurations in each."""
        return len(self.workloads) >= FEWEST_WORKLOADS and len(self.values) >= FEWEST_CONFIGURATIONS


def complete_sample(configurations: IntArray, values: FloatArray, workloads: Sequence[str]) -> WorkloadSample:
    """The part without gaps of `values` (n, n_workloads), NaN where nothing was measured, of `configurations`.

    What the terms do not explain is then the same in every workload, and cancels where workloads are compared. While
    cells are empty, the workload or configuration goes that the largest share of what is left lacks.
    """
    left_out: list[tuple[str, Reason]] = []
    columns: list[int] = []
    for column, name in enumerate(workloads):
        known = values[:, column][np.isfinite(values[:, column])]
        if not len(known):
            left_out.append((name, "missing"))
        elif known.min() <= 0.0:
            left_out.append((name, "zero"))
        elif clock_step(known) > COARSEST * float(np.median(known)):
            left_out.append((name, "coarse"))
        else:
            columns.append(column)
    rows = np.flatnonzero(np.isfinite(values[:, columns]).any(axis=1)) if columns else np.array([], dtype=int)
    measured = len(rows)
    while columns and len(rows):
        empty = np.isnan(values[rows][:, columns])
        if not empty.any():
            break
        of_rows, of_columns = empty.mean(axis=1), empty.mean(axis=0)
        if of_columns.max() >= of_rows.max():
            gone = columns.pop(int(of_columns.argmax()))
            left_out.append((workloads[gone], "missing"))
        else:
            rows = rows[of_rows < of_rows.max()]
    return WorkloadSample(
        configurations[rows],
        values[rows][:, columns],
        tuple(workloads[column] for column in columns),
        tuple(left_out),
        measured - len(rows),
    )


def clock_step(values: FloatArray) -> float:
    """The step that all of `values` (n,) are multiples of: a power of ten, or half of one; 0 where none is to be seen.

    Clocks and files round to decimal places, and medians lie between two of them. Where steps matter most values are met
    several times.
    """
    distinct = np.unique(values)
    if len(values) < _MET * len(distinct):
        return 0.0
    largest = float(np.abs(distinct).max(initial=0.0))
    exponent = int(np.floor(np.log10(largest))) if largest else 0
    for places in range(exponent, exponent - _PLACES, -1):
        for step in (10.0**places, 10.0**places / 2):
            if np.abs(distinct / step - np.round(distinct / step)).max() < 1e-6:
                return step
    return 0.0
