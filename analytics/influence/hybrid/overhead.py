"""What counting adds to a run's time, from runs of one configuration with and without it."""

import numpy as np

from analytics.influence.times import FloatArray


def seconds_per_count(plain: FloatArray, counted: FloatArray, counts: FloatArray) -> float:
    """The time that one count takes: the median over configurations, not below 0.

    `plain` and `counted` (n,) are seconds of paired runs, `counts` (n,) how much was counted in all.
    """
    some = counts > 0
    if not some.any():
        return 0.0
    return max(float(np.median((counted[some] - plain[some]) / counts[some])), 0.0)


def uncounted(plain: FloatArray, counted: FloatArray, counts: FloatArray) -> FloatArray:
    """What counted runs take without counting, shape (n,); each corrected by the pairs of all others."""
    every = np.arange(len(plain))
    rates = np.array(
        [seconds_per_count(*(one[every != at] for one in (plain, counted, counts))) for at in every]
    )
    # A run takes some time, however noisy the pairs are.
    corrected: FloatArray = np.maximum(counted - rates * counts, counted / 2)
    return corrected
