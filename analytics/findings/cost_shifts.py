"""Cost that moved between series of one domain while their sum stayed: neither a regression nor an improvement.

After the cost shift analysis of D. Yan et al. (FBDetect, SOSP 2024, section 5.4); how it is decided is our own.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from analytics.findings.level_steps import half_width
from analytics.findings.rows import CostDomain, CostShift, SeriesChange
from analytics.findings.windows import BoolArray, Window, by_series, smallest_first, windows_around

# Of more series, some that have no change of their own seem to move with any other by chance.
MOST = 50
# A series took part, or all others together did, where chance shows a step as clear in this share of domains.
MOVED_BY_CHANCE = 0.002
# What took part stayed, as a sum, within its 99 % interval, or where it differs by less than this share of what moved.
STAYED, ROUND = 0.99, 0.1
# What came back elsewhere is at least this share of what went.
BALANCED = 0.5


def cost_shifts(
    changes: Sequence[SeriesChange], domains: Sequence[CostDomain]
) -> dict[SeriesChange, CostShift]:
    """Return the move that explains each change; changes that none explains are left out.

    Of several domains that hold its series the smallest is asked first.
    """
    of_series, at_series = smallest_first(domains), by_series(changes)
    found = {}
    for change in changes:
        for domain in of_series.get(change.series, ()):
            others = [one for series in domain.series for one in at_series.get(series, ())]
            windows = windows_around(change, domain, others)
            shift = next(filter(None, (_shift(domain, window) for window in windows)), None)
            if shift is not None:
                found[change] = shift
                break
    return found


def _shift(domain: CostDomain, window: Window) -> CostShift | None:
    """The move of a domain at a change of one of its series; None where its sum did not stay."""
    steps, _ = window.steps()
    own, split = window.own, window.split
    level = float(window.costs[:, :split].sum(axis=0).mean())
    # What others moved between one another says nothing of this one.
    moved = abs(float(steps[own]))
    for parts, movers in _movers(window):
        went, came = (abs(float(parts[way * parts > 0].sum())) for way in (-1, 1))
        left, left_error = window.sum_step(movers)
        margin = min(max(half_width(STAYED) * left_error, ROUND * moved), BALANCED * moved)
        if min(went, came) < BALANCED * moved or abs(left) > margin:
            continue
        shared = float(window.costs[movers, :split].sum(axis=0).mean())
        ranked = sorted(np.flatnonzero(movers), key=lambda one: -abs(steps[one]))
        return CostShift(
            domain=domain.name,
            sources=tuple(domain.series[one] for one in ranked if steps[one] < 0),
            targets=tuple(domain.series[one] for one in ranked if steps[one] > 0),
            share=min(went, came) / level,
            left=left / shared,
            error=half_width(0.95) * left_error / shared,
        )
    return None


def _movers(window: Window) -> Iterator[tuple[np.ndarray[tuple[int], np.dtype[np.float64]], BoolArray]]:
    """The steps of those that take part, and who they are, (k,) of booleans.

    First the series that have a change there, all of them and one by one; then those whose own steps are clear, and as large close to
    the revision: what drifts does not. Then, of many that moved a little each, all of them: their sum against the one that changed.
    """
    steps, errors = window.steps()
    own, there = window.own, window.there
    yield steps[there], there
    if len(steps) > MOST:
        return
    for other in np.flatnonzero(there & (steps * steps[own] < 0)):
        pair = np.isin(np.arange(len(steps)), (own, int(other)))
        yield steps[pair], pair
    clear = np.abs(steps) > half_width(1.0 - MOVED_BY_CHANCE / len(steps)) * errors
    clear &= window.close_steps() * np.sign(steps) >= 0.5 * np.abs(steps)
    clear[own] = True
    yield steps[clear], clear
    yield steps[clear | there], clear | there
    rest = np.arange(len(steps)) != own
    moved, error = window.sum_step(rest)
    close, _ = window.sum_step(rest, close=True)
    if abs(moved) > half_width(1.0 - MOVED_BY_CHANCE) * error and close * np.sign(moved) >= 0.5 * abs(moved):
        yield np.array([steps[own], moved]), np.ones(len(steps), dtype=bool)
