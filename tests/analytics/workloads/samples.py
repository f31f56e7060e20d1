"""Values of configurations in several workloads with known truth."""

import numpy as np

from analytics.configurations.options import IntArray, Option, OptionSpace
from analytics.influence.times import FloatArray
from analytics.workloads.sample import WorkloadSample

SPACE = OptionSpace(tuple(Option(f"o{number}", (False, True)) for number in range(8)))


def sample_of(configurations: IntArray, values: FloatArray) -> WorkloadSample:
    """All of these values, of workloads called 0, 1, ..."""
    return WorkloadSample(configurations, values, tuple(map(str, range(values.shape[1]))))


def without_interaction(
    rng: np.random.Generator, configurations: int, workloads: int, noise: str = "equal"
) -> WorkloadSample:
    """Times that workloads change by a factor alone; levels differ by orders of magnitude.

    Options act with interactions of two and three, more than terms will tell. Noise is 5 %; `unequal` differs between
    workloads, between configurations, and is four times as large where the first option is on.
    """
    rows = rng.integers(0, 2, (configurations, 8)).astype(np.int8)
    common = rows @ rng.normal(0, 0.5, 8) + 0.4 * rows[:, 0] * rows[:, 1]
    common = common - 0.5 * rows[:, 2] * rows[:, 3] * rows[:, 4]
    size = np.full((configurations, workloads), 0.05)
    if noise == "unequal":
        size *= np.exp(rng.normal(0, 1, workloads)) * np.where(rows[:, 0] == 1, 4, 1)[:, np.newaxis]
        size *= np.exp(rng.normal(0, 0.5, configurations))[:, np.newaxis]
    errors = rng.standard_t(3, size.shape) if noise == "heavy" else rng.normal(size=size.shape)
    return sample_of(rows, np.exp(rng.normal(0, 4, workloads) + common[:, np.newaxis] + size * errors))
