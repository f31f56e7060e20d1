"""Where a history is thought to move: the prior weight of a change at each step from one revision to the next, instead of one for all.

The regression needs nothing but distances between positions. Measured in prior weight, a step that moved other
histories is long, and all others are short: the level is expected to change there, and bisection goes there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, eq=False)
class ChangePrior:
    """The prior weight before each position of an order: `cumulative[i]` (n,), increasing, is that of `first + i`.

    A step has prior weight 1 on average, outside of the order exactly 1.
    """

    first: int
    cumulative: FloatArray

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
        known = np.isfinite(sizes)
        sizes = np.where(known, sizes, np.median(sizes[known]) if known.any() else ANY_CHANGE)
        if shares is not None:
            sizes = sizes * (COLD + shares)
        jumps = np.zeros(len(sizes))
        for before, after in brackets:
            low, high = max(before, first) - first, min(after, last) - first
            if low < high:
                jumps[low:high] += 1.0 / (after - before)
        own, total = sizes / sizes.sum(), float(jumps.sum())
        weights = EVEN_SHARE * own + (1 - EVEN_SHARE) * jumps / total if total else own
        return cls(first, np.append(0.0, np.cumsum(weights / weights.mean())))

    def per_step(self, first: int, last: int) -> "ChangePrior":
        """Return the same prior with weight 1 on average for a step between these two positions, last > first."""
        start, end = self.at([first, last])
        return ChangePrior(self.first, self.cumulative * ((last - first) / (end - start)))

    def at(self, positions: npt.ArrayLike) -> FloatArray:
        """Return the prior weight before each position, same shape."""
        places = np.asarray(positions, dtype=np.float64) - self.first
        last = len(self.cumulative) - 1
        inside = np.interp(places, np.arange(last + 1), self.cumulative)
        return np.asarray(inside + np.minimum(places, 0.0) + np.maximum(places - last, 0.0))


def places_of(positions: npt.NDArray[Any], change_prior: ChangePrior | None) -> FloatArray:
    """Return positions as the regression sees them, same shape: in prior weight where it is given."""
    return positions.astype(np.float64) if change_prior is None else change_prior.at(positions)


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
