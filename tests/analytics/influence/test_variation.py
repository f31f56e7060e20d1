"""Times that differ within a subspace by more than their mean are told, subspace by subspace."""

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import RegionTimes
from analytics.influence.variation import variations

SPACE = OptionSpace((Option("A", (False, True)), Option("B", (False, True))))
CONFIGURATIONS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int8)


def test_the_worst_subspace_of_each_region_is_told() -> None:
    """With A the region takes 1 or 19 s, by an option that its partition misses; without, always 2 s."""
    seconds = np.array([[2, 2, 1, 19], [0, 0, 0, 0], [5, 6, 7, 8]], dtype=np.float64)
    times = RegionTimes(
        space=SPACE,
        regions=("missed", "idle", "all"),
        partitions=(
            Partition.from_formulas(SPACE, ["!A", "A"]),
            Partition.from_formulas(SPACE, ["True"]),
            Partition.exhaustive(SPACE, ["A", "B"]),
        ),
        configurations=CONFIGURATIONS,
        # The second repetition of the first configuration did not run.
        values=np.stack([seconds, seconds + np.array([100.0, 0.0, 0.0, 0.0])], axis=2),
        ran=np.array([[True, False], [True, True], [True, True], [True, True]]),
    )
    missed, idle = variations(times)
    assert (missed.region, missed.subspaces, missed.above, missed.formula) == ("missed", 2, 1, "A")
    assert missed.worst == pytest.approx(np.std([1, 19], ddof=1) / 10)
    assert (missed.configurations, missed.seconds) == (2, 10.0)
    assert (idle.region, idle.subspaces, idle.above, idle.worst, idle.configurations) == (
        "idle",
        1,
        0,
        0.0,
        4,
    )
