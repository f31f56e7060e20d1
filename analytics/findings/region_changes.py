"""The changes of regions that are searched together: of what they cost, and of their share of the whole where only that shows one."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from analytics.changepoints import ChangePointSettings
from analytics.changepoints.breaks import find_between_breaks
from analytics.findings.level_steps import FEWEST, half_width, level_steps
from analytics.findings.rows import SeriesChange
from analytics.findings.windows import REACH
from analytics.histories.measurements import FloatArray, IntArray, Measurements

# A region's share changed by itself where it did at least by this share of that beside the typical region, too.
OWN = 0.5
# The typical region is one of those that cost something at this share of the positions.
OFTEN = 0.9


def region_changes(
    numbers: Sequence[int],
    positions: IntArray,
    costs: FloatArray,
    settings: ChangePointSettings,
    *,
    more_is_worse: bool,
    check: Callable[[int], None] = lambda _at: None,
) -> list[SeriesChange]:
    """Return the changes of regions by their `numbers` (k,), whose `costs` (k, n) at these positions (n,) are 0 where there are none.

    The machine's speed leaves shares of the whole as they are, so they show what it hides. But a share changes, too,
    where the rest of the whole does: a change of a share counts where the typical region did not change likewise, and the cost shows no
    change there. `settings`
    are those of the costs; both searches of all regions make a suite that is twice as large. `check` is called with the place of each region before it is searched, and may raise.
    """
    search = partial(
        _changes, settings=replace(settings, suite=2 * settings.suite), more_is_worse=more_is_worse
    )
    whole, typical = costs.sum(axis=0), _typical(costs)
    found = []
    for at, (number, values) in enumerate(zip(numbers, costs, strict=True)):
        check(at)
        spent = (values > 0) & (whole > 0)
        if not spent.any():
            continue
        there, own = positions[spent], values[spent]
        of_cost = search(number, there, own)
        found += of_cost
        for one in search(number, there, own / whole[spent]):
            if any(other.earliest < one.latest and one.earliest < other.latest for other in of_cost):
                continue
            if _is_its_own(one, there, own, own / typical[spent]):
                before = float(np.median(own[there <= one.before]))
                found.append(replace(one, size=one.relative * before, of_share=True))
    return found


def _typical(costs: FloatArray) -> FloatArray:
    """What the median region costs at each position, as a multiple of its usual cost, (n,); 1 where none tells."""
    often = costs[(costs > 0).mean(axis=1) >= OFTEN]
    typical = np.ones(costs.shape[1])
    if len(often):
        spent = np.where(often > 0, often, np.nan)
        usual = np.nanmedian(spent, axis=1, keepdims=True)
        there = (often > 0).any(axis=0)
        typical[there] = np.nanmedian(spent[:, there] / usual, axis=0)
    return typical


def _changes(
    number: int,
    positions: IntArray,
    values: FloatArray,
    *,
    settings: ChangePointSettings,
    more_is_worse: bool,
) -> list[SeriesChange]:
    searched = find_between_breaks(Measurements.of(positions, values), settings).changes
    return [SeriesChange.of(number, one, more_is_worse=more_is_worse) for one in searched]


def _is_its_own(change: SeriesChange, positions: IntArray, costs: FloatArray, beside: FloatArray) -> bool:
    """Whether what a region cost beside the typical region changed as its share did, at least by half.

    Not where the cost itself is known to have stayed, by its 95 % interval: then the rest of the whole changed.
    """
    before = np.flatnonzero(positions <= change.earliest)[-REACH:]
    after = np.flatnonzero(positions >= change.latest)[:REACH]
    if min(len(before), len(after)) < FEWEST:
        return False
    gap = int(after[0] - before[-1])
    kept = np.concatenate([before, after])
    steps, errors = level_steps(np.log(np.stack([costs[kept], beside[kept]])), len(before), gap)
    of_cost, of_beside = steps * np.sign(change.relative)
    least = OWN * abs(np.log1p(change.relative))
    return bool(of_beside >= least and of_cost + half_width(0.95) * errors[0] >= least)
