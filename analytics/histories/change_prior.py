"""Where a history is thought to move: the prior weight of a change at each step from one revision to the next, instead of one for all.

The regression needs nothing but distances between positions. Measured in prior weight, a step that moved other
histories is long, and all others are short: the level is expected to change there, and bisection goes there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.histories.measurements import FloatArray, Measurements

# How much of the prior weight is spread evenly: what moved elsewhere need not move here, and what did not may.
EVEN_SHARE = 0.5
# The prior weight of a step before scaling: what any change may do, and the more the larger it is, up to a limit.
ANY_CHANGE = 1.0
LARGEST_CHANGE = 10_000.0
SIZE_POWER = 0.25
# What changes nothing that takes time, as comments or a function that never runs, counts as much as what changes so large
# a share of the time. It is not zero: what is compiled otherwise or calls something else may matter all the same.
COLD = 0.05
# The places of so many positions are kept: histories of a suite were measured at the same ones.
FEWEST_KEPT, LONGEST_KEPT = 100, 10_000


@dataclass(frozen=True, slots=True, eq=False)
class ChangePrior:
    """The prior weight before each position of an order: `cumulative[i]` (n,), increasing, is that of `first + i`.

    A step has prior weight 1 on average, outside of the order exactly 1. Of each step, (n - 1,): the size of what it changed,
    NaN where unknown, what that is multiplied by, and how much of the brackets of others lies there.
    """

    first: int
    cumulative: FloatArray
    sizes: FloatArray
    shares: FloatArray
    jumps: FloatArray

    @classmethod
    def of_changes(
        cls,
        first: int,
        lines: npt.NDArray[np.floating],
        brackets: Sequence[tuple[int, int]] = (),
        shares: npt.NDArray[np.floating] | None = None,
    ) -> "ChangePrior":
        """Return the prior weight for steps that changed so many `lines` (n - 1,), NaN where unknown.

        A step has a floor and the fourth root of its lines, which count up to a limit; an unknown one counts as the
        median step. `shares` (n - 1,) are those of the time that is spent in what a step touches: its weight is in
        proportion to that, and a little. Where other histories changed, between before and after of each of `brackets`, half of the prior
        weight is theirs: a wide bracket spreads its share, one outside of the order is passed over.
        """
        last = first + len(lines)
        sizes = ANY_CHANGE + np.minimum(lines, LARGEST_CHANGE) ** SIZE_POWER
        jumps = np.zeros(len(sizes))
        for before, after in brackets:
            low, high = max(before, first) - first, min(after, last) - first
            if low < high:
                jumps[low:high] += 1.0 / (after - before)
        factors = np.ones(len(sizes)) if shares is None else COLD + np.asarray(shares, dtype=np.float64)
        return cls(first, np.zeros(1), sizes, factors, jumps).per_step(first, last)

    # Histories of a suite share theirs, and end at the same few milestones.
    @lru_cache(maxsize=16)  # noqa: B019 -- orders keep theirs, too
    def per_step(self, first: int, last: int) -> "ChangePrior":
        """Return the same prior with weight 1 on average for a step between these two positions, last > first; kept.

        The median step, and what half of the weight of the others is, go by the steps between these two alone: later ones
        of a longer order move nothing there.
        """
        if not len(self.sizes):
            return self
        start = min(max(first - self.first, 0), len(self.sizes) - 1)
        inside = slice(start, max(last - self.first, start + 1))
        known = self.sizes[inside][np.isfinite(self.sizes[inside])]
        median = np.median(known) if len(known) else ANY_CHANGE
        own = np.where(np.isnan(self.sizes), median, self.sizes) * self.shares
        own /= own[inside].mean()
        if total := float(self.jumps.sum()):
            own = EVEN_SHARE * own + (1 - EVEN_SHARE) * len(own[inside]) / total * self.jumps
        prior = replace(self, cumulative=np.append(0.0, np.cumsum(own)))
        before, after = prior.at([first, last])
        return replace(prior, cumulative=prior.cumulative * ((last - first) / (after - before)))

    def at(self, positions: npt.ArrayLike) -> FloatArray:
        """Return the prior weight before each position, same shape."""
        places = np.asarray(positions, dtype=np.float64) - self.first
        last = len(self.cumulative) - 1
        before = np.clip(places, 0, last).astype(np.int64)
        step = self.cumulative[np.minimum(before + 1, last)] - self.cumulative[before]
        inside = self.cumulative[before] + step * np.clip(places - before, 0.0, 1.0)
        return np.asarray(inside + np.minimum(places, 0.0) + np.maximum(places - last, 0.0))

    @lru_cache(maxsize=16)  # noqa: B019 -- as above
    def kept_at(self, kind: str, positions: bytes) -> FloatArray:
        """Return the same as `at` of positions of this numpy type, from their bytes; kept and read-only."""
        found = self.at(np.frombuffer(positions, kind))
        found.setflags(write=False)
        return found


def places_of(positions: npt.NDArray[Any], change_prior: ChangePrior | None) -> FloatArray:
    """Return positions (n,) as the regression sees them, same shape: in prior weight where it is given."""
    if change_prior is None:
        return positions.astype(np.float64)
    if not FEWEST_KEPT <= len(positions) <= LONGEST_KEPT:
        return change_prior.at(positions)
    return change_prior.kept_at(positions.dtype.str, positions.tobytes())


def share_measurements(measurements: Measurements, groups: Mapping[int, int]) -> Measurements:
    """Return the measurements with every member of a measured group at the group's pooled value.

    `groups` gives the group of a position: revisions whose relevant files are the same run the same code, so
    one measurement holds for all. A position without a group stands for itself. The value of a group is
    pooled over its measured members; its noise then counts once for each member, which is why a few pairs of
    one group are worth measuring on purpose.
    """
    members: dict[int, list[int]] = {}
    for position, group in groups.items():
        members.setdefault(group, []).append(position)
    positions = measurements.positions.tolist()
    # Each group has a key beyond all positions, so that its measured members merge.
    beyond = positions[-1] + 1
    pooled = measurements.moved([beyond + groups[one] if one in groups else one for one in positions])
    places = [members.get(key - beyond, [key]) for key in pooled.positions.tolist()]
    rows = np.repeat(np.arange(len(pooled)), [len(some) for some in places])
    return Measurements.of(
        np.concatenate(places),
        pooled.values[rows],
        pooled.repetitions[rows],
        pooled.spreads[rows],
        pooled.errors[rows],
    )
