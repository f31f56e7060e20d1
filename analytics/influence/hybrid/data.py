"""What the hybrid model is made from: runs that say where the program spent its decisions, and how long they took."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.errors import InfluenceError
from analytics.influence.times import FloatArray

# By region the positions of the options that taint its decisions, which are preferred; one that is not there has none.
Candidates = Mapping[str, frozenset[int]]


@dataclass(frozen=True, slots=True, eq=False)
class CountedSample:
    """Different configurations (n, n_options) with their noise-free counts and their times.

    `counts` (n, n_sites): how often each outcome of each decision came about; `regions` (n_sites,) names the region
    of each, "module:function". `plain` (n,) are seconds of runs as they are, `counted` (n,) those of the runs that
    counted, slower by what counting costs; None where no such run was timed. `costs` (n_regions,) say what one count of
    each of `names` costs where that is known: then `plain` is what all counts cost, and no weight is learned. Raises
    `InfluenceError`.
    """

    space: OptionSpace
    configurations: IntArray
    counts: IntArray
    regions: tuple[str, ...]
    plain: FloatArray | None = None
    counted: FloatArray | None = None
    costs: FloatArray | None = None

    def __post_init__(self) -> None:
        n = len(self.space.checked(self.configurations))
        if n < 2 or not self.regions:
            raise InfluenceError(
                f"{n} configurations with {len(self.regions)} counters: give at least 2 and 1"
            )
        if self.counts.shape != (n, len(self.regions)) or (self.counts < 0).any():
            raise InfluenceError(
                f"counts of shape {self.counts.shape}: expected ({n}, {len(self.regions)}), none below 0"
            )
        for name, seconds in (("plain", self.plain), ("counted", self.counted)):
            if seconds is None:
                continue
            if seconds.shape != (n,) or not (np.isfinite(seconds) & (seconds > 0)).all():
                raise InfluenceError(f"{name} seconds: give {n} numbers above 0, one per configuration")

    @property
    def names(self) -> tuple[str, ...]:
        """The regions, each once, in order."""
        return tuple(sorted(set(self.regions)))

    def by_region(self) -> FloatArray:
        """The sum of the counts of each of `names`, shape (n, n_regions)."""
        return self.counts @ self.membership()

    def part(self, rows: IntArray | BoolArray) -> "CountedSample":
        """The runs `rows` alone, (n,) of true and false or positions."""
        return replace(
            self,
            configurations=self.configurations[rows],
            counts=self.counts[rows],
            plain=None if self.plain is None else self.plain[rows],
            counted=None if self.counted is None else self.counted[rows],
        )

    def membership(self) -> FloatArray:
        """1 where a counter belongs to a region, else 0; shape (n_sites, n_regions)."""
        names, region = np.unique(self.regions, return_inverse=True)
        return np.eye(len(names))[region]


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
