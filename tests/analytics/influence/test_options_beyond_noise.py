"""Which options the measurements of all combinations tell of, where no partition is known."""

from itertools import product

import numpy as np
import pytest

from analytics.configurations.options import Option, OptionSpace
from analytics.configurations.partitions import Partition
from analytics.influence.times import RegionTimes
from analytics.influence.variance import options_beyond_noise

SPACE = OptionSpace((Option("A", (False, True)), Option("B", ("x", "y", "z")), Option("C", (False, True))))
ALL = np.array(list(product(*(range(size) for size in SPACE.sizes))), dtype=np.int8)


def told(values: np.ndarray, noise: float, *, left_out: int = 0, seed: int = 0) -> list[str]:
    """The options told from five noisy runs of each configuration whose true value is given."""
    kept = ALL[left_out:]
    runs = values[left_out:, np.newaxis] + np.random.default_rng(seed).normal(0, noise, (len(kept), 5))
    times = RegionTimes(
        space=SPACE,
        regions=("r",),
        partitions=(Partition.exhaustive(SPACE, SPACE.names),),
        configurations=kept,
        values=runs[np.newaxis],
        ran=np.ones((len(kept), 5), dtype=bool),
    )
    return [name for name, tells in zip(SPACE.names, options_beyond_noise(times)[0], strict=True) if tells]


@pytest.mark.parametrize("seed", range(20))
def test_noise_alone_tells_of_no_option(seed: int) -> None:
    assert told(np.full(len(ALL), 1.0), 0.1, seed=seed) == []


@pytest.mark.parametrize("left_out", [0, 3])
def test_an_interaction_tells_of_its_options_only(left_out: int) -> None:
    """Also where some combinations could not be measured."""
    values = 1.0 + 0.5 * (ALL[:, 0] == 1) * (ALL[:, 1] == 2)
    assert told(values, 0.1, left_out=left_out) == ["A", "B"]


def test_without_noise_the_least_difference_tells() -> None:
    values = 1.0 + 1e-6 * ALL[:, 2]
    assert told(values, 0.0) == ["C"]


def test_a_region_that_never_ran_tells_of_nothing() -> None:
    assert told(np.zeros(len(ALL)), 0.0) == []
