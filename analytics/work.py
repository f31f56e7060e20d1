"""Work: counts of a program's regions, each weighted by what one count of it costs.

A weight is relative: 1 is the mean of what a count costs. So work has the unit of counts, and two machines that differ
only in speed have the same weights. A weight that was learned once stays: a change of work is a change of counts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, inf
from statistics import median
from typing import Self

# A region that was never sampled counts as if it had been seen once, at the mean cost.
PRIOR_SAMPLES = 1.0
# Fewer samples of all regions together tell no weights.
FEWEST_SAMPLES = 100.0


class CountWeights:
    """The weights of regions by their keys ("module:function"); without any, each count weighs 1.

    A region that came later weighs as the median of its module, or of all regions where its module is new.
    """

    def __init__(self, known: Mapping[str, float]) -> None:
        self._known = dict(known)
        by_module: dict[str, list[float]] = {}
        for region, weight in self._known.items():
            by_module.setdefault(region.partition(":")[0], []).append(weight)
        self._modules = {module: median(weights) for module, weights in by_module.items()}
        self._usual = median(self._known.values()) if self._known else 1.0

    def of(self, region: str) -> float:
        """Return what one count of a region weighs."""
        known = self._known.get(region)
        return self._modules.get(region.partition(":")[0], self._usual) if known is None else known

    def work(self, counts: Mapping[str, int]) -> dict[str, float]:
        """Return the work of each region by its counts."""
        return {region: self.of(region) * count for region, count in counts.items()}


def learned_weights(samples: Mapping[str, float], counts: Mapping[str, int]) -> dict[str, float]:
    """Return the weight of each counted region by how often a profiler saw it run; empty where it saw too little.

    Both are of the same calls. Samples of a region are Poisson distributed around its weight times what its counts
    would get at the mean cost; with a Gamma prior of mean 1 that counts as one sample, the posterior mean is
    (1 + samples) / (1 + expected). It is never 0: no change of a count goes unseen.
    """
    seen = fsum(samples.get(region, 0.0) for region in counts)
    counted = sum(counts.values())
    if seen < FEWEST_SAMPLES or not counted:
        return {}
    per_count = seen / counted
    return {
        region: (PRIOR_SAMPLES + samples.get(region, 0.0)) / (PRIOR_SAMPLES + per_count * count)
        for region, count in counts.items()
    }


def moved_regions(before: Mapping[str, float], after: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the regions whose work, or other exact amount, differs, with after minus before, the largest first.

    What is in one of the two alone counts as 0 in the other: the differences sum to that of the totals.
    """
    found = {region: after.get(region, 0.0) - before.get(region, 0.0) for region in {*before, *after}}
    differing = [(region, difference) for region, difference in found.items() if difference]
    return sorted(differing, key=lambda one: (-abs(one[1]), one[0]))


@dataclass(frozen=True, slots=True)
class CountMove:
    """By how much the work, or another exact amount, differs between two revisions, as shares of all that was before.

    `relative` is by how much the sum does; `share` is what came or what went, whichever is more, so that what moves from one
    region to another counts though the sum stays. `regions` are those that differ, the largest difference first.
    """

    relative: float
    share: float
    regions: tuple[tuple[str, float], ...]

    @classmethod
    def between(cls, before: Mapping[str, float], after: Mapping[str, float]) -> Self:
        """Return the move from the amounts of one revision by region to those of another; infinite where there was nothing."""
        unit = fsum(before.values()) or (0.0 if any(after.values()) else 1.0)
        moved = [
            (region, difference / unit if unit else inf)
            for region, difference in moved_regions(before, after)
        ]
        came, went = (fsum(max(sign * one, 0.0) for _, one in moved) for sign in (1, -1))
        return cls(came - went, max(came, went), tuple(moved))


def most_telling(amounts: Mapping[int, Mapping[str, float]], candidates: Collection[int]) -> int | None:
    """Return which of the `candidates` to count next, where those with known `amounts` by region are; None without any.

    Both ends come first. Then the middle of the gap whose ends differ most; where no ends of a gap differ, that of the
    longest gap.
    """
    left = sorted(candidates)
    known = sorted(amounts)
    if not left:
        return None
    if not known or left[0] < known[0]:
        return left[0]
    if left[-1] > known[-1]:
        return left[-1]
    gaps = []
    for low, high in pairwise(known):
        inside = left[bisect_right(left, low) : bisect_left(left, high)]
        if inside:
            move = CountMove.between(amounts[low], amounts[high])
            gaps.append((move.share, len(inside), -low, inside[len(inside) // 2]))
    return max(gaps)[-1] if gaps else None


def next_to_count(values: Mapping[int, float | None], last: int) -> tuple[tuple[int, int], int | None]:
    """Search by halves which revision changed what is counted, without noise and so without an error probability.

    Return the two positions that the change lies between, and which to count next, None where no other is left.

    `values` (by position, None where one failed) hold both ends, 0 and `last`, which must differ. Of two halves the one
    whose ends differ more is searched, so its ends differ too: where there are several changes a true one is found, in
    ceil(log2(last)) counted positions.
    """
    low, high = 0, last
    while True:
        between = [at for at in range(low + 1, high) if at not in values or values[at] is not None]
        if not between:
            return (low, high), None
        middle = between[len(between) // 2]
        value, below, above = values.get(middle), values[low], values[high]
        if value is None or below is None or above is None:
            return (low, high), middle
        if abs(value - below) >= abs(above - value):
            high = middle
        else:
            low = middle
