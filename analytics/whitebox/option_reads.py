"""SPLat: configurations that differ in options which the program reads, and no others (Kim et al., ESEC/FSE 2013).

A run reads options one after another, each for the first time once. What it read decides what it does, so all
configurations that agree on that are one. Pure: whoever runs the program says what each run read.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.configurations.validity import ValidConfigurations
from analytics.influence.times import FloatArray


@dataclass(frozen=True, slots=True)
class ReadingRun:
    """The configuration of a run, as level indices, and the positions of the options that it read, in order."""

    row: tuple[int, ...]
    reads: tuple[int, ...]

    def holds(self, configurations: IntArray) -> BoolArray:
        """Which configurations (n, n_options) agree with it on all that it read, shape (n,)."""
        own, read = np.array(self.row), list(self.reads)
        agrees: BoolArray = (configurations[:, read] == own[read]).all(axis=1)
        return agrees


def next_to_read(
    valid: ValidConfigurations, runs: Sequence[ReadingRun]
) -> tuple[IntArray, tuple[int, ...]] | None:
    """The configuration to run next, (n_options,), and the options that its run is sure to read; None at the end.

    Depth first, as the paper's stack: it differs from the latest run in the last option read of which a level is left.
    Options that nobody read stay as near to their reference as constraints allow. The first one is the reference configuration, or the
    valid one nearest to it. At the end each valid configuration agrees with a run on all that this run read, if a run depends on its options alone.
    """
    if not runs:
        start = valid.complete({})
        return None if start is None else (start, ())
    made = np.array([run.row for run in runs], dtype=np.int8)
    for run in reversed(runs):
        for depth in reversed(range(len(run.reads))):
            *before, option = read = run.reads[: depth + 1]
            alike = made[(made[:, before] == [run.row[one] for one in before]).all(axis=1)]
            for level in sorted(set(range(valid.space.sizes[option])) - set(alike[:, option].tolist())):
                chosen = {one: run.row[one] for one in before} | {option: level}
                if (row := valid.complete(chosen)) is not None:
                    return row, read
    return None


@dataclass(frozen=True, slots=True, eq=False)
class ReadsModel:
    """The value of each run, `values` (n_runs,), for all configurations that agree with it on what it read."""

    runs: tuple[ReadingRun, ...]
    values: FloatArray

    def predict(self, configurations: IntArray) -> FloatArray:
        """The value of each configuration (n, n_options), shape (n,); NaN where it agrees with no run."""
        predicted = np.full(len(configurations), np.nan)
        for run, value in zip(self.runs, self.values, strict=True):
            predicted[run.holds(configurations)] = value
        return predicted
