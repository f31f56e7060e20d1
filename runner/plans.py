"""The order in which runs are made."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .selections import SelectedConfiguration


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run that is to be made: `position` counts from 0 in the plan, `repetition` from 1."""

    position: int
    revision: str
    configuration: SelectedConfiguration
    workload: str
    repetition: int


def plan(
    configurations: Sequence[SelectedConfiguration],
    revisions: Sequence[str],
    *,
    repetitions: int,
    seed: int,
    workload: str,
) -> tuple[PlannedRun, ...]:
    """Return every revision x configuration x repetition in random order, the same for the same `seed`.

    All first repetitions come before all second ones, each time in a new order: repetitions of one run are
    spread over the whole time, so that a slow quarter of an hour does not fall on one configuration alone.
    """
    generator = np.random.default_rng(seed)
    pairs = [(revision, configuration) for revision in revisions for configuration in configurations]
    runs: list[PlannedRun] = []
    for repetition in range(1, repetitions + 1):
        for at in generator.permutation(len(pairs)):
            revision, configuration = pairs[at]
            runs.append(PlannedRun(len(runs), revision, configuration, workload, repetition))
    return tuple(runs)
