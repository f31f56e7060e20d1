"""How sure comparisons of two revisions are on a machine: judged by runs of one program that did not change.

Runs of the same work, in the order of time, are told apart as if half of them were another revision's. How often that
alarms is the false-alarm rate; the smallest slow-down of that half which it mostly shows is what a comparison can see.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, ndtri

from analytics.bisection import FloatArray
from analytics.changepoints import ChangePointSettings, find_change_points
from analytics.changepoints.detection import MODELLED_FROM
from analytics.changepoints.points import points_of
from analytics.changepoints.robust import autocorrelation
from analytics.histories.measurements import Measurements
from analytics.histories.noise import MEDIAN_FACTOR
from analytics.histories.scale import ValueScale

BoolArray = NDArray[np.bool_]

# On the logarithmic scale: the smallest noise, and how finely levels are told; how far beyond the times they may lie.
NOISE_FLOOR, MARGIN = 0.003, 0.2
# The share of runs that something disturbed, and by how much.
WILD_SHARE, WILD = 0.1, 0.3

# The accepted share of alarms where nothing differs, and the share of differences that a comparison is to show.
FALSE_ALARMS, POWER = 0.01, 0.8
# The version of the comparison: what an A/A comparison of another one showed says nothing of this one.
COMPARISON_VERSION = "2"
# So many stretches of a series are compared.
STRETCHES = 60
# Of series that are simulated: how many, how finely the step that each needs is told, of so many points at most, with such
# noise and so many runs where repetitions explain it.
PATHS, HALVINGS, MOST_SIMULATED, SIMULATED_NOISE, RUNS = 24, 6, 160, 0.02, 5
MOST_AUTOCORRELATED = 0.9
# The slow-downs that are tried, as shares.
SLOWDOWNS = np.geomspace(0.002, 2.0, 64)
# Two groups of values are two speeds where they explain so much of the variance (of normal values 64 %, of equally
# spread ones 75 %), lie so far apart, and each holds such a share.
EXPLAINED, APART, SHARE = 0.8, 0.02, 0.1


def differ(first: FloatArray, second: FloatArray) -> bool:
    """Whether two revisions differ, by their times, with `FALSE_ALARMS`; both hold positive values, at least three together.

    On the logarithmic scale a time is its side's level with normal noise, but for a share of wild runs (contaminated noise,
    Tukey 1960; here by a Cauchy density). Flat priors on both levels and the logarithm of the noise, summed out on a grid.
    """
    centre = np.log(np.concatenate([first, second])).mean()
    sides = [np.log(side) - centre for side in (first, second)]
    levels = np.arange(min(map(np.min, sides)) - MARGIN, max(map(np.max, sides)) + MARGIN, NOISE_FLOOR)
    noises = np.geomspace(NOISE_FLOOR, 0.5, 16)[:, np.newaxis, np.newaxis]
    by_side = []
    for side in sides:
        distances = (side[:, np.newaxis] - levels) ** 2
        wild = WILD_SHARE * np.sqrt(2 / np.pi) / WILD / (1 + distances / WILD**2)
        calm = (1 - WILD_SHARE) / noises * np.exp(distances * (-0.5 / noises**2))
        by_side.append(np.log(calm + wild).sum(axis=1))
    old, new = by_side
    # How probable each difference of the two levels is, summed over the noise.
    weight = np.zeros(2 * len(levels) - 1)
    scale = old.max(axis=1) + new.max(axis=1)
    for before, after, most in zip(old, new, scale - scale.max(), strict=True):
        weight += np.exp(most) * np.convolve(np.exp(after - after.max()), np.exp(before - before.max())[::-1])
    share = (np.cumsum(weight) - weight / 2) / weight.sum()
    differences = np.arange(len(weight)) - (len(levels) - 1)
    low, high = np.interp((FALSE_ALARMS / 2, 1 - FALSE_ALARMS / 2), share, differences)
    return bool(low > 0 or high < 0)


def in_turns(runs: int) -> FloatArray:
    """Return which of `runs` successive runs, (runs,) of 0 and 1, are of the second side: A B B A A B B A."""
    place = np.arange(runs) % 4
    return np.asarray((place == 1) | (place == 2), dtype=float)


def one_after_the_other(runs: int) -> FloatArray:
    """Return which of `runs` successive runs, (runs,) of 0 and 1, are of the second side: its half at the end."""
    return np.asarray(np.arange(runs) >= runs // 2, dtype=float)


def alarm_share(times: FloatArray, sides: FloatArray, slowdown: float = 0.0) -> float:
    """Return the share of stretches of `times` (n,) whose `sides` (m,), m <= n, are told apart.

    The second side is made slower by `slowdown`, a share. At most `STRETCHES` of them, evenly spaced.
    """
    last = len(times) - len(sides)
    starts = np.unique(np.linspace(0, last, min(last + 1, STRETCHES)).astype(int))
    slower = 1.0 + slowdown * sides
    told = 0
    for start in starts:
        part = times[start : start + len(sides)] * slower
        told += differ(part[sides == 0], part[sides == 1])
    return told / len(starts)


def smallest_difference(times: FloatArray, runs: int) -> float | None:
    """Return the smallest slow-down, a share, that `runs` runs of each side in turns show with `POWER`.

    `times` (n,) are those of identical runs, n >= 2 runs. None where not even the largest of `SLOWDOWNS` is shown.
    """
    sides = in_turns(2 * runs)
    low, high = 0, len(SLOWDOWNS)
    while low < high:
        middle = (low + high) // 2
        if alarm_share(times, sides, float(SLOWDOWNS[middle])) >= POWER:
            high = middle
        else:
            low = middle + 1
    return float(SLOWDOWNS[low]) if low < len(SLOWDOWNS) else None


def slow_runs(times: FloatArray) -> BoolArray | None:
    """Return which of `times` (n,) were made at the slower of two speeds, (n,) of booleans; None for one speed.

    The logarithms are split into the two groups that leave the least variance within (Otsu 1979).
    """
    ordered = np.sort(np.log(times))
    n = len(ordered)
    counts = np.arange(1, n)
    sums = np.cumsum(ordered)
    below, above = sums[:-1] / counts, (sums[-1] - sums[:-1]) / (n - counts)
    between = counts * (n - counts) / n**2 * (above - below) ** 2
    best = int(between.argmax())
    smaller = min(best + 1, n - best - 1) / n
    two = between[best] >= EXPLAINED * ordered.var() and above[best] - below[best] >= np.log1p(APART)
    return np.log(times) > (below[best] + above[best]) / 2 if two and smaller >= SHARE else None


def at_one_speed(times: FloatArray, slow: BoolArray) -> FloatArray:
    """Return `times` (n,) with those of `slow` runs brought to the median of the others."""
    scale = float(np.median(times[~slow]) / np.median(times[slow]))
    return np.where(slow, times * scale, times)


def changes_of_speed(slow: BoolArray) -> int:
    """Return how often successive runs were made at different speeds."""
    return sum(bool(before != after) for before, after in pairwise(slow))


def differing_comparisons(times: FloatArray, runs: int) -> tuple[int, int]:
    """Return how many comparisons of identical runs differ, and how many there are, each of `runs` of each side in turns.

    `times` (n,) are successive runs. No two comparisons share one, so that they are independent trials as far as runs are.
    """
    sides = in_turns(2 * runs)
    blocks = [times[start : start + 2 * runs] for start in range(0, len(times) - 2 * runs + 1, 2 * runs)]
    return sum(differ(block[sides == 0], block[sides == 1]) for block in blocks), len(blocks)


def most_alarms(differing: int, comparisons: int) -> float:
    """Return the share of comparisons that differ at most, with 95 % certainty, where so many of them did.

    The upper limit of Clopper and Pearson (1934), of one side.
    """
    return float(betaincinv(differing + 1, comparisons - differing, 0.95)) if differing < comparisons else 1.0


def smallest_step(measurements: Measurements, settings: ChangePointSettings) -> float:
    """Return the smallest step, a share, that four of five series like this one show in their middle (`POWER`).

    By the search that is in use: series with the noise of `measurements`, as many points and steps of growing size are simulated,
    always the same ones. At least the minimum effect. Noise is taken as Gaussian, in longer series autocorrelated as it looks.
    """
    points, _ = points_of(measurements, settings)
    floor = settings.noise_floor * points.unit
    phi, variance = 0.0, float(np.median(points.variances)) / points.enlarged
    if len(points) >= MODELLED_FROM and not points.is_explained:
        phi, variance = autocorrelation(points.y, floor)
        phi = min(phi if settings.autocorrelation is None else settings.autocorrelation, MOST_AUTOCORRELATED)
    # Rounded, so that series that resemble one another are simulated once; a longer one shows less by the root of its length.
    simulated = min(len(points), MOST_SIMULATED)
    if simulated >= MODELLED_FROM:
        simulated = round(MODELLED_FROM * 1.25 ** round(np.log(simulated / MODELLED_FROM) / np.log(1.25)))
    near, magnitude = round(phi, 1), float(10 ** (round(2 * np.log10(settings.false_alarm_rate)) / 2))
    step = _step_shown(simulated, near, min(magnitude, 0.3), explained=points.is_explained)
    step *= np.sqrt(simulated / len(points) * (1 + phi) / (1 - phi) * (1 - near) / (1 + near))
    size = float(step * np.sqrt(max(variance, floor**2)) / points.unit)
    return max(float(np.expm1(size)) if points.scale is ValueScale.LOG else size, settings.minimum_effect)


@lru_cache(maxsize=512)
def _step_shown(points: int, phi: float, rate: float, *, explained: bool) -> float:
    """Return the step, in standard deviations of one value, that series of so many points show with `POWER`."""
    settings = ChangePointSettings(minimum_effect=0.0, false_alarm_rate=rate)
    noise = np.random.default_rng([points, PATHS]).normal(size=(PATHS, points))
    for at in range(1, points):
        noise[:, at] = phi * noise[:, at - 1] + np.sqrt(1 - phi**2) * noise[:, at]
    stepped = np.arange(points) >= points // 2
    runs, spread = (RUNS, SIMULATED_NOISE * np.sqrt(RUNS / MEDIAN_FACTOR)) if explained else (1, np.nan)

    def shows(path: FloatArray, size: float) -> bool:
        values = np.exp(SIMULATED_NOISE * (path + size * stepped))
        spreads = values * spread if explained else None
        series = Measurements.of(range(points), values, [runs] * points, spreads)
        return bool(find_change_points(series, settings).changes)

    unit = np.sqrt(4.0 / points * (1 + phi) / (1 - phi))
    needed = []
    for path in noise:
        low, high = np.log(1.0), np.log(40.0)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if shows(path, float(np.exp(middle) * unit)) else (middle, high)
        needed.append((low + high) / 2)
    # What each series needs scatters about normally on the logarithmic scale.
    return float(unit * np.exp(np.mean(needed) + ndtri(POWER) * np.std(needed, ddof=1)))
