"""Which revision brought a change: bisection of noisy measurements, with the probability of an error.

Where one step lies among revisions that were measured repeatedly, and which of them to measure next.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.floating[Any]]

# The smallest standard deviation of one measurement, relative: values that happen to agree are no proof.
NOISE_FLOOR = 0.003
# The largest that is thought of, and how many between the two.
LARGEST_NOISE, NOISES = 0.5, 16
# The share of runs that something disturbed, and by how much, on the logarithmic scale.
WILD_SHARE, WILD = 0.1, 0.3
# So far beyond the values a level may lie, on the logarithmic scale.
MARGIN = 0.2
# How often the two ends are measured first, and at most, until their difference is told from zero.
START, MOST_AT_ENDS = 3, 20
# So many measurements are made in all.
MOST = 300


class BisectionError(ValueError):
    """Measurements that no bisection can be made of."""


@dataclass(frozen=True, slots=True, eq=False)
class Location:
    """What is known of the first position with the new level.

    `probabilities` (n,) are those of each position being the first one with the new level, given that there is
    exactly one step; the first position has 0. `relative_size` is the step as a share of the old level, with an
    interval at the most probable place.
    """

    probabilities: FloatArray
    relative_size: float
    relative_low: float
    relative_high: float

    @property
    def best(self) -> int:
        """The most probable first position with the new level."""
        return int(np.argmax(self.probabilities))

    @property
    def error_probability(self) -> float:
        """The probability that `best` is not the position."""
        return float(1 - self.probabilities[self.best])

    @property
    def is_significant(self) -> bool:
        """Whether the size of the step differs from zero beyond the error."""
        return self.relative_low > 0 or self.relative_high < 0


def locate(measured: Mapping[int, Sequence[float]], positions: int, confidence: float = 0.95) -> Location:
    """Return where the step lies among `positions` revisions, of which some were `measured`.

    `measured` maps a position, from 0, to its values, all of them positive; the first and the last position must be
    among them, and there must be at least 3 values. On the logarithmic scale a value is that of its side's level with
    normal noise, but for a share of wild runs (contaminated noise, Tukey 1960; here by a Cauchy density): one run that
    something disturbed, or that hung, names no revision. Flat priors on both levels and on the logarithm of the noise, all three summed out on a grid.
    `confidence` is that of the interval. Raises `BisectionError`.
    """
    place, values = _values(measured, positions)
    noises = np.geomspace(NOISE_FLOOR, LARGEST_NOISE, NOISES)
    levels = np.arange(values.min() - MARGIN, values.max() + MARGIN, NOISE_FLOOR)
    splits = np.unique(place, return_index=True)[1][1:]
    distances = (values[:, np.newaxis] - levels) ** 2
    wild = WILD_SHARE * np.sqrt(2 / np.pi) / WILD / (1 + distances / WILD**2)
    by_noise = np.empty((len(splits), len(noises)))
    for index, noise in enumerate(noises):
        cumulated = np.cumsum(_log_densities(distances, wild, noise), axis=0)
        before = cumulated[splits - 1]
        by_noise[:, index] = _log_sums(before) + _log_sums(cumulated[-1] - before)
    by_split = _log_sums(by_noise)
    # Every place between two measured ones is as probable as the other.
    first = np.searchsorted(splits, [np.searchsorted(place, k) for k in range(1, positions)])
    probabilities = np.append(0.0, np.exp(by_split[first] - _log_sums(by_split[np.newaxis, first])))
    split = int(splits[first[np.argmax(probabilities) - 1]])
    old, new = (
        np.array([_log_densities(distances[part], wild[part], noise).sum(axis=0) for noise in noises])
        for part in (slice(split), slice(split, None))
    )
    # How probable each difference of the two levels is, summed over the noise.
    weight = np.zeros(2 * len(levels) - 1)
    scale = old.max(axis=1) + new.max(axis=1)
    for before, after, most in zip(old, new, scale - scale.max(), strict=True):
        weight += np.exp(most) * np.convolve(np.exp(after - after.max()), np.exp(before - before.max())[::-1])
    differences = (np.arange(len(weight)) - (len(levels) - 1)) * NOISE_FLOOR
    share = (np.cumsum(weight) - weight / 2) / weight.sum()
    low, middle, high = np.interp(((1 - confidence) / 2, 0.5, (1 + confidence) / 2), share, differences)
    return Location(
        probabilities=probabilities,
        relative_size=float(np.expm1(middle)),
        relative_low=float(np.expm1(low)),
        relative_high=float(np.expm1(high)),
    )


def _log_densities(distances: FloatArray, wild: FloatArray, noise: float) -> FloatArray:
    """The log density of values at squared `distances` from levels, up to a constant, given that of `wild` runs.

    The density of wild runs is never so small that it rounds to zero: that of calm ones may.
    """
    calm = np.exp(distances * (-0.5 / noise**2))
    calm *= (1 - WILD_SHARE) / noise
    calm += wild
    return np.asarray(np.log(calm, out=calm))


def _log_sums(logs: FloatArray) -> FloatArray:
    """The logarithms of the sums of each row, given by logarithms."""
    most = logs.max(axis=1, keepdims=True)
    return np.asarray(most[:, 0] + np.log(np.exp(logs - most).sum(axis=1)))


def _values(measured: Mapping[int, Sequence[float]], positions: int) -> tuple[FloatArray, FloatArray]:
    """Positions and centred logarithms of all values, by position."""
    if positions < 2:
        raise BisectionError(f"{positions} revisions hold no step: give at least two")
    if not {0, positions - 1} <= {place for place, some in measured.items() if len(some)}:
        raise BisectionError("the first and the last revision must be measured before the step is looked for")
    pairs = sorted((place, value) for place, some in measured.items() for value in some)
    place, values = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    if place[-1] >= positions or place[0] < 0:
        raise BisectionError(f"a position lies outside of 0 to {positions - 1}")
    if not (np.isfinite(values) & (values > 0)).all():
        raise BisectionError(f"{values.min()} is no time: give positive numbers")
    if len(values) < 3:
        raise BisectionError("two values tell nothing of the noise: measure the first revision twice")
    logs = np.log(values)
    return place, logs - logs.mean()


def next_position(
    measured: Mapping[int, Sequence[float]],
    positions: int,
    unbuildable: Collection[int],
    error: float,
) -> tuple[int | None, Location | None]:
    """Return the position to measure next, and what is known of the step; None where the search has ended.

    It has ended when the step is located with the accepted probability `error` of naming the wrong revision (`unbuildable` revisions, which cannot be built, stay in
    the answer with their neighbour), when the ends do not differ, or after 300 measurements. The next position
    splits the probability as evenly as can be (Horstein 1963), and is measured again where it was measured before.
    Raises `BisectionError` on an error outside of 0 to 1.
    """
    if not 0 < error < 1:
        raise BisectionError(f"an error probability of {error} cannot be asked for: between 0 and 1")
    last = positions - 1
    for end in (0, last):
        if len(measured.get(end, ())) < START:
            return end, None
    location = locate(measured, positions, 1 - error / (MOST_AT_ENDS - START + 1))
    if not location.is_significant:
        shorter = min((0, last), key=lambda end: len(measured[end]))
        return (shorter if len(measured[shorter]) < MOST_AT_ENDS else None), location
    located = max(suspects(location, unbuildable).values()) >= 1 - error
    if located or sum(map(len, measured.values())) >= MOST:
        return None, location
    candidates = np.array([place for place in range(positions) if place not in unbuildable])
    share = np.cumsum(location.probabilities)[candidates]
    chosen = int(candidates[np.argmin(np.abs(share - 0.5))])
    # An end whose side was measured less often comes first: the chosen one must be told from both levels.
    before = sum(len(some) for place, some in measured.items() if place < chosen)
    after = sum(len(some) for place, some in measured.items() if place > chosen)
    if len(measured.get(chosen, ())) > min(before, after):
        chosen = 0 if before <= after else last
    return chosen, location


def suspects(location: Location, unbuildable: Collection[int]) -> dict[tuple[int, ...], float]:
    """Return the positions that can be told apart, each with the unbuildable ones right before it, and their probability."""
    groups: dict[tuple[int, ...], float] = {}
    waiting: list[int] = []
    for place in range(len(location.probabilities)):
        waiting.append(place)
        if place not in unbuildable:
            groups[tuple(waiting)] = float(location.probabilities[waiting].sum())
            waiting = []
    return groups
