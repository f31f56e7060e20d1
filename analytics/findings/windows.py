"""What the series of a cost domain did around a change of one of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analytics.findings.level_steps import FEWEST, level_steps
from analytics.findings.rows import CostDomain, SeriesChange
from analytics.histories.measurements import FloatArray

BoolArray = np.ndarray[tuple[int], np.dtype[np.bool_]]

# The most measured revisions on each side of a change that tell levels.
REACH = 60
# Changes so many positions apart are of different revisions.
APART = 1
# So many on each side of where a change lies with 95 % are left out: it may lie there all the same, and a jump at another
# place tells autocorrelated noise that there was none here.
BESIDE = 4
# So many on each side are close to it: what drifts did not move much there.
LOCAL = 15
# Of a domain that is a larger share of the whole, shares of the whole sum to about the same whatever happens.
LARGEST_SHARE = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The costs (k, m) of a domain at the measured revisions around a change of its series `own`, of which `split` are before it.

    So many revisions lie between both sides as `gap` says, one where none was left out; `there` (k,) tells which series have a
    change there.
    """

    costs: FloatArray
    split: int
    gap: int
    own: int
    there: BoolArray

    def steps(self) -> tuple[FloatArray, FloatArray]:
        """How far the level of each series differs, and the standard errors, (k,) each."""
        return level_steps(self.costs, self.split, self.gap)

    def sum_step(self, members: BoolArray, *, close: bool = False) -> tuple[float, float]:
        """How far the level of the sum of the members differs, and its standard error; of `close` revisions alone."""
        first = max(self.split - LOCAL, 0) if close else 0
        last = self.split + LOCAL if close else self.costs.shape[1]
        summed = self.costs[members, first:last].sum(axis=0, keepdims=True)
        (step,), (error,) = level_steps(summed, self.split - first, self.gap)
        return float(step), float(error)

    def close_steps(self) -> FloatArray:
        """How far the level of each series differs close to the change, (k,)."""
        first = max(self.split - LOCAL, 0)
        return level_steps(self.costs[:, first : self.split + LOCAL], self.split - first, self.gap)[0]


def windows_around(change: SeriesChange, domain: CostDomain, others: Sequence[SeriesChange]) -> list[Window]:
    """Return what a domain did around a change of one of its series: in costs, then as shares of the whole; of a share, only these.

    From the nearest change of the same series to the next; those of the `others` in the domain that came earlier or later are
    taken out. The machine's speed leaves shares as they are; a domain that is most of the whole has none. Nothing
    where too few revisions were measured on a side.
    """
    earlier = [one for one in others if one.latest <= change.earliest - APART]
    later = [one for one in others if one.earliest >= change.latest + APART]
    beside = [one for one in others if one not in earlier and one not in later]
    first = max((one.latest for one in earlier if one.series == change.series), default=-1)
    last = min((one.earliest for one in later if one.series == change.series), default=np.inf)
    at = domain.positions
    start, end = min(one.earliest for one in beside), max(one.latest for one in beside)
    before = np.flatnonzero((at >= first) & (at <= start))[-REACH:]
    after = np.flatnonzero((at >= end) & (at < last))[:REACH]
    if min(len(before), len(after)) < FEWEST:
        return []
    if min(len(before), len(after)) >= FEWEST + BESIDE:
        before, after = before[:-BESIDE], after[BESIDE:]
    kept = np.concatenate([before, after])
    costs = domain.costs[:, kept]
    for one in (*earlier, *later):
        costs[domain.series.index(one.series)] -= one.size * (at[kept] >= one.after)
    there = np.isin(domain.series, [one.series for one in beside])
    split, gap, own = len(before), int(after[0] - before[-1]), domain.series.index(change.series)
    windows = [Window(costs, split, gap, own, there)]
    if domain.whole is not None:
        whole = domain.whole[kept]
        if (whole > 0).all() and costs.sum() <= LARGEST_SHARE * whole.sum():
            windows.append(Window(costs / whole, split, gap, own, there))
    return windows[1:] if change.of_share else windows


def by_series(changes: Sequence[SeriesChange]) -> dict[int, list[SeriesChange]]:
    """The changes of each series, by its number."""
    found: dict[int, list[SeriesChange]] = {}
    for one in changes:
        found.setdefault(one.series, []).append(one)
    return found


def smallest_first(domains: Sequence[CostDomain]) -> dict[int, list[CostDomain]]:
    """The domains of each series, by its number, those of fewest series first."""
    found: dict[int, list[CostDomain]] = {}
    for domain in sorted(domains, key=lambda one: len(one.series)):
        for series in domain.series:
            found.setdefault(series, []).append(domain)
    return found
