"""Cost that moved between series of one domain while their sum stayed: neither a regression nor an improvement.

After the cost shift analysis of D. Yan et al. (FBDetect, SOSP 2024, section 5.4); how it is decided is our own.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from analytics.findings.level_steps import FEWEST, half_width, level_steps
from analytics.findings.rows import CostDomain, CostShift, SeriesChange
from analytics.histories.measurements import FloatArray, IntArray

# The most measured revisions on each side of a change that tell levels.
REACH = 60
# One series moved where chance shows a step as clear in this share of domains; the sum stayed within its 99 % interval, or where
# it differs by less than this share of what moved.
MOVED_BY_CHANCE, STAYED, ROUND = 0.002, 0.99, 0.1
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

    The levels are those between the nearest changes of the `others` in the domain that are no part of the move.
    """
    apart = [one for one in others if one.latest <= change.earliest or one.earliest >= change.latest]
    first = max((one.latest for one in apart if one.latest <= change.earliest), default=-1)
    last = min((one.earliest for one in apart if one.earliest >= change.latest), default=np.inf)
    at = domain.positions
    before = np.flatnonzero((at >= first) & (at <= change.earliest))[-REACH:]
    after = np.flatnonzero((at >= change.latest) & (at <= last))[:REACH]
    if min(len(before), len(after)) < FEWEST:
        return None
    split, window = len(before), np.concatenate([before, after])
    own = domain.series.index(change.series)
    scales = [domain.costs[:, window]]
    if domain.whole is not None:
        # As shares of the whole, too: the machine's speed leaves them as they are.
        whole = domain.whole[window]
        if (whole > 0).all() and scales[0].sum() <= LARGEST_SHARE * whole.sum():
            scales.append(scales[0] / whole)
    for values in scales:
        parent = values.sum(axis=0, keepdims=True)
        step, error = (float(one[0]) for one in level_steps(parent, split))
        level = float(parent[:, :split].mean())
        steps, errors = level_steps(values, split)
        for parts, movers in _movers(values, steps, errors, own, split):
            went, came = (abs(float(parts[way * parts > 0].sum())) for way in (-1, 1))
            left, left_error = level_steps(values[movers].sum(axis=0, keepdims=True), split)
            margin = max(half_width(STAYED) * float(left_error[0]), ROUND * max(went, came))
            if min(went, came) < BALANCED * max(went, came) or abs(float(left[0])) > margin:
                continue
            if abs(step) > max(margin, half_width(STAYED) * error):
                continue
            ranked = sorted(np.flatnonzero(movers), key=lambda one: -abs(steps[one]))
            return CostShift(
                domain=domain.name,
                sources=tuple(domain.series[one] for one in ranked if steps[one] < 0),
                targets=tuple(domain.series[one] for one in ranked if steps[one] > 0),
                share=min(went, came) / level,
                left=step / level,
                error=half_width(0.95) * error / level,
            )
    return None


def _movers(
    values: FloatArray, steps: FloatArray, errors: FloatArray, own: int, split: int
) -> Iterator[tuple[FloatArray, np.ndarray]]:
    """The steps of those that take part, and who they are, (k,) of booleans.

    First the series whose own steps are clear; then, of many that moved a little each, all of them: their sum against `own`.
    """
    clear = np.abs(steps) > half_width(1.0 - MOVED_BY_CHANCE / len(steps)) * errors
    clear[own] = True
    yield steps[clear], clear
    rest, error = level_steps(np.delete(values, own, axis=0).sum(axis=0, keepdims=True), split)
    if abs(float(rest[0])) > half_width(1.0 - MOVED_BY_CHANCE) * float(error[0]):
        yield np.array([steps[own], rest[0]]), np.ones(len(steps), dtype=bool)


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
