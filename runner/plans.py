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
    spread over the whole time, so that a slow quarter of an hour does not fall on one configuration alone. Two pairs of
    revision and configuration take turns as A B B A, so that a steady drift favours neither.
    """
    generator = np.random.default_rng(seed)
    pairs = [(revision, configuration) for revision in revisions for configuration in configurations]
    runs: list[PlannedRun] = []
    order = np.arange(len(pairs))
    for repetition in range(1, repetitions + 1):
        in_turns = len(pairs) == 2 and repetition % 2 == 0
        order = order[::-1] if in_turns else generator.permutation(len(pairs))
        for at in order:
            revision, configuration = pairs[at]
            runs.append(PlannedRun(len(runs), revision, configuration, workload, repetition))
    return tuple(runs)
