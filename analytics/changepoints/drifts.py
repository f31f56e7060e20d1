"""What may look like a step and is none: smooth drifts, settling, and waves, as columns of a regression."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.histories.measurements import FloatArray

# Points from which shapes are tried at more knots, times and frequencies.
LONG = 100


@dataclass(frozen=True, slots=True, eq=False)
class Drifts:
    """Columns (n, k) over the points of a window, and which of them are tried together.

    Each row of `pairs` (p, 2) is tried together, a shape alone beside itself; `costs` (p,) is what the choice among
    alike shapes costs, in units of twice the logarithm of the likelihood.
    """

    columns: FloatArray
    pairs: np.ndarray[tuple[int, int], np.dtype[np.intp]]
    costs: FloatArray


# Costs: a line is always there; a curve, the best of many bends and the best of many waves are chosen.
CURVE, SHAPE, WAVE = 6.0, 8.0, 6.0


@lru_cache(maxsize=64)
def drifts(points: int) -> Drifts:
    """Return the smooth alternatives to a step over so many points: lines, curves, bends, settling and waves."""
    t = np.linspace(0.0, 1.0, points)
    many = points >= LONG
    knots = np.linspace(0.1, 0.9, 9 if many else 5)
    times = np.geomspace(0.03, 0.6, 9 if many else 5)
    waves = np.arange(1, 8 if many else 3) / 2.0
    single = [
        *(np.maximum(t - knot, 0.0) for knot in knots),
        *(np.maximum(knot - t, 0.0) for knot in knots),
        *(np.exp(-t / time) for time in times),
        *(np.exp((t - 1.0) / time) for time in times),
    ]
    wavy = [wave(2.0 * np.pi * frequency * t) for frequency in waves for wave in (np.sin, np.cos)]
    columns = np.array([t, (t - 0.5) ** 2, *single, *wavy]).T
    first_wave = 2 + len(single)
    pairs = [(0, 0), (0, 1)]
    pairs += [(i, i) for i in range(2, first_wave)]
    pairs += [(i, i + 1) for i in range(first_wave, first_wave + len(wavy), 2)]
    costs = [0.0, CURVE, *[SHAPE] * len(single), *[WAVE] * (len(wavy) // 2)]
    return Drifts(columns, np.array(pairs), np.array(costs))
