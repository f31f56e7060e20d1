"""The order in which runs are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .errors import SelectionInvalid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .selections import SelectedConfiguration
    from .subjects import SubjectDefinition


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run that is to be made: `position` counts from 0 in the plan, `repetition` from 1."""

    position: int
    revision: str
    configuration: SelectedConfiguration
    workload: str
    repetition: int


def plan(
    subject: SubjectDefinition,
    configurations: Sequence[SelectedConfiguration],
    revisions: Sequence[str],
    *,
    repetitions: int,
    seed: int,
    workload: str = "regular",
) -> tuple[PlannedRun, ...]:
    """Return every revision x configuration x repetition in random order, the same for the same `seed`.

    All first repetitions come before all second ones, each time in a new order: repetitions of one run are
    spread over the whole time, so that a slow quarter of an hour does not fall on one configuration alone.
    """
    if workload not in subject.workloads:
        known = ", ".join(subject.workloads)
        raise SelectionInvalid(f"{subject.name} has no workload '{workload}': known are {known}")
    if repetitions < 1:
        raise SelectionInvalid(f"{repetitions} repetitions cannot be run: write 1 or more")
    generator = np.random.default_rng(seed)
    pairs = [(revision, configuration) for revision in revisions for configuration in configurations]
    runs: list[PlannedRun] = []
    for repetition in range(1, repetitions + 1):
        for at in generator.permutation(len(pairs)):
            revision, configuration = pairs[at]
            runs.append(PlannedRun(len(runs), revision, configuration, workload, repetition))
    return tuple(runs)
