"""The frame of every evaluation: for each seed one test set, and one random order of what is left to learn from.

All models of a seed are tested on the same configurations and learn from the same order, so that their errors are paired.
"""

from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.times import FloatArray
from studies.learners.registry import LEARNERS, Fitted


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """One seed's rows: those to test on, ascending, and the others in a random order."""

    seed: int
    test: IntArray
    order: IntArray


def draw_splits(pool: IntArray, testable: IntArray, *, size: int, seeds: int) -> tuple[Split, ...]:
    """A split of the rows `pool` for each seed: `size` of the rows `testable`, uniformly at random, and the rest."""
    found = []
    for seed in range(seeds):
        test = np.sort(np.random.default_rng([seed, 0]).choice(testable, size, replace=False))
        rest = np.setdiff1d(pool, test)
        found.append(Split(seed, test, np.random.default_rng([seed, 1]).permutation(rest)))
    return tuple(found)


def learn(
    learner: str, configurations: IntArray, values: FloatArray, space: OptionSpace, seed: int
) -> Fitted:
    """The learner called so, fitted to configurations (n, n_options) with `values` (n,); the same for the same seed."""
    return LEARNERS[learner].fit(configurations, values, space, np.random.default_rng([seed, 2]))
