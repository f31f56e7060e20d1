"""Cost that moved between series of one domain while their sum stayed: neither a regression nor an improvement.

After the cost shift analysis of D. Yan et al. (FBDetect, SOSP 2024, section 5.4); how it is decided is our own.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from analytics.findings.level_steps import FEWEST, half_width, level_steps
from analytics.findings.rows import CostDomain, CostShift, SeriesChange
from analytics.histories.measurements import FloatArray, IntArray

BoolArray = np.ndarray[tuple[int], np.dtype[np.bool_]]

# The most measured revisions on each side of a change that tell levels.
REACH = 60
# Changes so many positions apart are of different revisions.
APART = 1
# So many on each side are close to it: what drifts did not move much there.
LOCAL = 15
# Of more series, some that have no change of their own seem to move with any other by chance.
MOST = 50
# A series took part, or all others together did, where chance shows a step as clear in this share of domains.
MOVED_BY_CHANCE = 0.002
# What took part stayed, as a sum, within its 99 % interval, or where it differs by less than this share of what moved.
STAYED, ROUND = 0.99, 0.1
# What came back elsewhere is at least this share of what went.
BALANCED = 0.5
# Of a domain that is a larger share of the whole, shares of the whole sum to about the same whatever happens.
LARGEST_SHARE = 0.5


def cost_moves(changes: Sequence[SeriesChange], domains: Sequence[CostDomain]) -> dict[int, CostShift]:
    """Return the move that explains each change, by its index; changes that none explains are left out.

    Of several domains that hold its series the smallest is asked first.
    """
    of_series: dict[int, list[CostDomain]] = {}
    for domain in sorted(domains, key=lambda one: len(one.series)):
        for series in domain.series:
            of_series.setdefault(series, []).append(domain)
    at_series: dict[int, list[SeriesChange]] = {}
    for change in changes:
        at_series.setdefault(change.series, []).append(change)
    found = {}
    for index, change in enumerate(changes):
        for domain in of_series.get(change.series, ()):
            others = [one for series in domain.series for one in at_series.get(series, ())]
            if (move := _move(change, domain, others)) is not None:
                found[index] = move
                break
    return found


def _move(change: SeriesChange, domain: CostDomain, others: Sequence[SeriesChange]) -> CostShift | None:
    """The move of a domain at a change of one of its series; None where its sum did not stay.

    `others` are the changes of its series.
    """
    found = _around(change, domain, others)
    if found is None:
        return None
    costs, split, window, there = found
    own = domain.series.index(change.series)
    scales = [costs]
    if domain.whole is not None:
        # As shares of the whole, too: the machine's speed leaves them as they are.
        whole = domain.whole[window]
        if (whole > 0).all() and costs.sum() <= LARGEST_SHARE * whole.sum():
            scales.append(costs / whole)
    for values in scales:
        level = float(values[:, :split].sum(axis=0).mean())
        steps, errors = level_steps(values, split)
        for parts, movers in _movers(values, (steps, errors), there, own, split):
            went, came = (abs(float(parts[way * parts > 0].sum())) for way in (-1, 1))
            left, left_error = level_steps(values[movers].sum(axis=0, keepdims=True), split)
            # What others moved between one another says nothing of this one.
            moved = abs(float(steps[own]))
            margin = min(max(half_width(STAYED) * float(left_error[0]), ROUND * moved), BALANCED * moved)
            if min(went, came) < BALANCED * moved or abs(float(left[0])) > margin:
                continue
            shared = float(values[movers, :split].sum(axis=0).mean())
            ranked = sorted(np.flatnonzero(movers), key=lambda one: -abs(steps[one]))
            return CostShift(
                domain=domain.name,
                sources=tuple(domain.series[one] for one in ranked if steps[one] < 0),
                targets=tuple(domain.series[one] for one in ranked if steps[one] > 0),
                share=min(went, came) / level,
                left=float(left[0]) / shared,
                error=half_width(0.95) * float(left_error[0]) / shared,
            )
    return None


def _around(
    change: SeriesChange, domain: CostDomain, others: Sequence[SeriesChange]
) -> tuple[FloatArray, int, IntArray, BoolArray] | None:
    """The costs (k, m) around a change, how many of them are before it, where (m,), and which series change there, (k,).

    From the nearest change of the same series to the next; those of the `others` in the domain that came earlier or later are
    taken out. None where too few revisions were measured on a side.
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
        return None
    window = np.concatenate([before, after])
    costs = domain.costs[:, window]
    for one in (*earlier, *later):
        costs[domain.series.index(one.series)] -= one.size * (at[window] >= one.after)
    there = np.isin(domain.series, [one.series for one in beside])
    return costs, len(before), window, there


def _movers(
    values: FloatArray, found: tuple[FloatArray, FloatArray], there: BoolArray, own: int, split: int
) -> Iterator[tuple[FloatArray, BoolArray]]:
    """The steps of those that take part, and who they are, (k,) of booleans, by the steps and errors that were `found`, (k,) each.

    First the series that have a change `there`, all of them and one by one; then those whose own steps are clear, and as large close to the revision: what
    drifts does not. Then, of many that moved a little each, all of them: their sum against `own`.
    """
    steps, errors = found
    yield steps[there], there
    if len(steps) > MOST:
        return
    for other in np.flatnonzero(there & (steps * steps[own] < 0)):
        pair = np.isin(np.arange(len(steps)), (own, int(other)))
        yield steps[pair], pair
    near, _ = level_steps(*_local(values, split))
    clear = np.abs(steps) > half_width(1.0 - MOVED_BY_CHANCE / len(steps)) * errors
    clear &= near * np.sign(steps) >= 0.5 * np.abs(steps)
    clear[own] = True
    yield steps[clear], clear
    yield steps[clear | there], clear | there
    rest = np.delete(values, own, axis=0).sum(axis=0, keepdims=True)
    (moved,), (error,) = level_steps(rest, split)
    (close,), _ = level_steps(*_local(rest, split))
    if abs(moved) > half_width(1.0 - MOVED_BY_CHANCE) * error and close * np.sign(moved) >= 0.5 * abs(moved):
        yield np.array([steps[own], moved]), np.ones(len(steps), dtype=bool)


def _local(values: FloatArray, split: int) -> tuple[FloatArray, int]:
    """The columns close to the revision, and how many of them are before it."""
    first = max(split - LOCAL, 0)
    return values[:, first : split + LOCAL], split - first


def cost_domains(
    keys: Sequence[str], numbers: Sequence[int], positions: IntArray, costs: FloatArray
) -> Iterator[CostDomain]:
    """The classes, modules and packages of at least two regions, and the whole program, by the regions' keys.

    A key is `package.module:Class.method`. A parent that holds what a smaller one holds is left out.
    """
    members: dict[str, list[int]] = {"the program": list(range(len(keys)))}
    for at, key in enumerate(keys):
        module, _, function = key.partition(":")
        parts = module.split(".")
        parents = [f"the package {'.'.join(parts[:length])}" for length in range(1, len(parts))]
        parents += [f"the module {module}"] if function else []
        parents += [f"the class {module}:{function.rpartition('.')[0]}"] if "." in function else []
        for parent in parents:
            members.setdefault(parent, []).append(at)
    whole = costs.sum(axis=0)
    seen = set()
    for name, own in sorted(members.items(), key=lambda one: (len(one[1]), one[0].startswith("the package"))):
        if len(own) > 1 and (held := tuple(own)) not in seen:
            seen.add(held)
            series = tuple(numbers[at] for at in own)
            yield CostDomain(name, series, positions, costs[own], whole if len(own) < len(keys) else None)
