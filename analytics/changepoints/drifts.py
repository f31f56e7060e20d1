"""What may look like a step and is none: smooth drifts, settling, and waves, as columns of a regression."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.fft import dct

from analytics.histories.measurements import FloatArray

# Points from which shapes are tried at more knots, times and frequencies.
LONG = 100
# Variances of a random walk's increments that are tried, over that of the noise.
WALKS = np.append(0.0, np.geomspace(1e-5, 3.0, 12))
# A smaller angle is none.
TINY = 1e-100


@dataclass(frozen=True, slots=True, eq=False)
class Drifts:
    """Shapes over the points of a window, a row each, (c, n): the first `alone` of them are tried by themselves, as is a line behind them.

    From that on each two are tried together: the line and a curve, then a sine and a cosine for each wave.
    """

    rows: FloatArray
    alone: int

    @property
    def firsts(self) -> slice:
        """The first shape of each pair."""
        return slice(self.alone, None, 2)

    @property
    def seconds(self) -> slice:
        """The second shape of each pair."""
        return slice(self.alone + 1, None, 2)


# What the choice of the best line, curve, other shape and wave costs, in units of twice the logarithm of the likelihood: a line is
# always there; a curve, the best of many bends and the best of many waves are chosen.
COSTS = np.array([0.0, 6.0, 8.0, 6.0])


# Of every window that a step is compared with them in (`evidence.REACH`): 17 MB at most.
@lru_cache(maxsize=300)
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
    return Drifts(np.array([*single, t, (t - 0.5) ** 2, *wavy]), len(single))


@lru_cache(maxsize=300)
def _walks(points: int) -> tuple[FloatArray, FloatArray]:
    """Return the precision of each cosine but the first of a random walk below noise, (w, n - 1), and its log determinant."""
    waves = waves_of(points)
    return waves / (waves + WALKS[:, None]), log_product(WALKS, points) - math.log(points)


def walking(y: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what a level under a random walk of each size, in noise, leaves of the squares of y (n,), n >= 2, and its log determinant, (w,) each."""
    precisions, log_determinants = _walks(len(y))
    return precisions @ dct(y, norm="ortho")[1:] ** 2, log_determinants


def waves_of(points: int) -> FloatArray:
    """Return what differences between neighbours leave of the square of each cosine over so many points but the first, (n - 1,)."""
    return np.asarray(2.0 - 2.0 * np.cos(np.pi * np.arange(1, points) / points))


def log_product(added: FloatArray, points: int) -> FloatArray:
    """Return the logarithm of the product of all `waves_of` so many points, `added` (...) to each.

    It is a Chebyshev polynomial of the second kind, U_{n-1}(1 + added / 2) = sinh(n a) / sinh(a), where cosh(a) is its argument.
    """
    angle = np.maximum(2.0 * np.arcsinh(np.sqrt(added) / 2.0), TINY)
    return np.asarray((points - 1) * angle + np.log(np.expm1(-2.0 * points * angle) / np.expm1(-2.0 * angle)))


def wander_gains(y: FloatArray, middle: int, floor: float) -> tuple[float, float]:
    """Return twice the logarithm of the likelihood that a random walk below noise wins over one level, and a step over the walk.

    `y` has shape (n,), n >= 2; the step comes with the point `middle`; `floor` is the least sum of squares. Cosines are the
    principal axes of a random walk of unknown start: their coefficients are independent (Strang 1999, "The discrete
    cosine transform").
    """
    columns = np.ones((2, len(y)))
    columns[0], columns[1, :middle] = y, 0.0
    values, step = dct(columns, norm="ortho", overwrite_x=True)[:, 1:]
    precisions, log_determinants = _walks(len(y))
    squares, shared, own = np.array((values * values, values * step, step * step)) @ precisions.T
    alone = len(y) * np.log(squares + floor) + log_determinants
    both = len(y) * np.log(np.maximum(squares - shared**2 / own, 0.0) + floor) + log_determinants
    return float(alone[0] - alone.min()), float(alone.min() - both.min())
