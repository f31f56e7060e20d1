"""Call trees of several runs, of one side or of two that are compared, with the interval of each difference."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.call_paths import CallPaths
from analytics.influence.terms import Estimate, margins
from analytics.influence.times import FloatArray

# The tree's root is no region: the whole call.
WHOLE = ""
# How often the probe's sampler looks: what a call does after its last look is on no path.
LOOK_SECONDS = 0.001
# A side: the call paths of its runs, each with the seconds of its call that no path holds.
Side = Sequence[tuple[CallPaths, float]]


@dataclass(frozen=True, slots=True)
class CallFrame:
    """A region as it was called on one path, with means over the runs of each side, in seconds.

    `parent` is the position of its caller in the tree, -1 for the whole call; `depth` counts callers. `times` are with
    all that it called, `own` without. `difference` is that of `times`, second side less first, None of a single side; it
    has an interval where both sides have two runs or more.
    """

    parent: int
    region: str
    depth: int
    times: tuple[float, ...]
    own: tuple[float, ...]
    difference: Estimate | None = None

    @property
    def width(self) -> float:
        """The mean time of the sides: those of all that it called and its own sum to it."""
        return sum(self.times) / len(self.times)

    @property
    def only_in(self) -> int | None:
        """The side, 0 or 1, where it was seen, if only at one of two."""
        seen = [side for side, time in enumerate(self.times) if time > 0]
        return seen[0] if len(self.times) > 1 and len(seen) == 1 else None


def call_tree(sides: Sequence[Side]) -> tuple[CallFrame, ...]:
    """The tree of one or two sides, callers first, and of what one called the longest first; the root is the whole call.

    A path that a run lacks took no time in it: a sampler sees nothing of what is short. Intervals are Welch's, of runs; those
    of paths are wider by what the last look leaves of a difference of the calls, in proportion to their time.
    """
    runs = [run for side in sides for run in side]
    ends = np.cumsum([len(side) for side in sides])[:-1]
    parents, regions, own = _joined(runs)
    total = own.copy()
    for at in range(len(parents) - 1, 0, -1):
        total[parents[at]] += total[at]
    means = [side.mean(axis=1) for side in np.split(total, ends, axis=1)]
    selfs = [side.mean(axis=1) for side in np.split(own, ends, axis=1)]
    differences = None
    if len(sides) > 1:
        unseen = min(abs(selfs[1][0] - selfs[0][0]), LOOK_SECONDS)
        hidden = means[0] + means[1]
        # The root is timed, not sampled.
        hidden[0] = 0.0
        hidden *= unseen / (hidden.max() or 1.0)
        differences = _differences(np.split(total, ends, axis=1), hidden)
    called: list[list[int]] = [[] for _ in parents]
    for at, parent in enumerate(parents[1:], 1):
        called[parent].append(at)
    nodes: list[CallFrame] = []
    waiting = [(0, -1, 0)]
    while waiting:
        at, parent, depth = waiting.pop()
        nodes.append(
            CallFrame(
                parent,
                regions[at],
                depth,
                tuple(float(one[at]) for one in means),
                tuple(float(one[at]) for one in selfs),
                None if differences is None else differences[at],
            )
        )
        place = len(nodes) - 1
        shortest_first = sorted(called[at], key=lambda one: (sum(mean[one] for mean in means), regions[one]))
        waiting += [(one, place, depth + 1) for one in shortest_first]
    return tuple(nodes)


def _joined(runs: Side) -> tuple[list[int], list[str], FloatArray]:
    """The union of the trees of runs below one root: parents, regions, and self times of shape (n_nodes, n_runs)."""
    places: dict[tuple[int, str], int] = {(-1, WHOLE): 0}
    held: list[dict[int, float]] = []
    for paths, rest in runs:
        own = {0: rest + paths.cut_seconds}
        here: list[int] = []
        for parent, region, seconds in paths.nodes:
            above = here[parent] if parent >= 0 else 0
            here.append(places.setdefault((above, region), len(places)))
            own[here[-1]] = seconds
        held.append(own)
    values = np.zeros((len(places), len(runs)))
    for run, own in enumerate(held):
        values[list(own), run] = list(own.values())
    keys = list(places)
    return [parent for parent, _ in keys], [region for _, region in keys], values


def _differences(sides: Sequence[FloatArray], unseen: FloatArray) -> list[Estimate]:
    """Second less first, with Welch's interval, made wider on both sides by what was `unseen` of each, shape (n_nodes,)."""
    first, second = sides
    change = second.mean(axis=1) - first.mean(axis=1)
    counts = [side.shape[1] for side in sides]
    if min(counts) < 2:
        return [Estimate(value) for value in change.tolist()]
    parts = [side.var(axis=1, ddof=1) / n for side, n in zip(sides, counts, strict=True)]
    variance = parts[0] + parts[1]
    free = parts[0] ** 2 / (counts[0] - 1) + parts[1] ** 2 / (counts[1] - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        half = margins(np.sqrt(variance), np.where(free > 0, variance**2 / free, 1.0))
    wide = half + unseen
    return [Estimate.of(value, margin) for value, margin in zip(change.tolist(), wide.tolist(), strict=True)]


def below(nodes: Sequence[CallFrame], wanted: Iterable[int]) -> frozenset[int]:
    """Those at `wanted` places, all that they called, and their callers up to the root."""
    found = set(wanted)
    kept = set(found)
    for at in found:
        caller = at
        while (caller := nodes[caller].parent) >= 0:
            kept.add(caller)
    for at, node in enumerate(nodes):
        if node.parent in found:
            found.add(at)
    return frozenset(kept | found)
