"""Work: counts of a program's regions, each weighted by what one count of it costs.

A weight is relative: 1 is the mean of what a count costs. So work has the unit of counts, and two machines that differ
only in speed have the same weights. A weight that was learned once stays: a change of work is a change of counts.
"""

from collections.abc import Mapping
from math import fsum
from statistics import median

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
