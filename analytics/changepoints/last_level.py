"""The last level of a long history, followed value by value: whether something may have happened to it."""

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from analytics.changepoints.changes import ChangePointSettings
from analytics.changepoints.found import Found
from analytics.changepoints.noise_search import FAR
from analytics.changepoints.points import Points
from analytics.histories.measurements import Measurements
from analytics.histories.scale import ValueScale

# A cumulative sum of residuals, in long-run standard deviations of the noise: what it loses with each point, where it says that
# the level was left, and how much one point adds at most. One in 465 points of Gaussian noise says so where nothing happened.
SLACK, LEFT, MOST = 0.5, 5.0, 3.0
# Autocorrelated noise from here on hides a step from cumulative sums, but not the jump: what is left of a residual after what the one
# before it foretells lies so many of its standard deviations away. Then so many further points are waited for.
PERSISTENT, JUMP, WAITED = 0.7, 4.0, 66
# What may have happened is looked at again when so many points speak of it: each time nearly a third more.
LOOKS = frozenset(int(1.3**power) for power in range(6, 25))


class CumulativeSum(NamedTuple):
    """A cumulative sum away from a level to one side, and the number of points since it was zero."""

    total: float = 0.0
    points: int = 0


NO_SUM = CumulativeSum()


@dataclass(frozen=True, slots=True)
class LastLevel:
    """The level at the end of a stretch, on the scale of its search.

    `deviation` is the long-run standard deviation of its noise, `far` how far away a point is far. `side` is that on which the
    last point lies far, 0 where it does not, `points` the number of those since the change that began the level, None where
    that is settled. `phi` is the autocorrelation of the noise, `innovation` the standard deviation of what is new in each value,
    `residual` that of the last value; `jumped` counts the points since a jump, None where there was none.
    """

    scale: ValueScale
    level: float
    deviation: float
    far: float
    points: int | None
    phi: float
    innovation: float
    residual: float = 0.0
    jumped: int | None = None
    side: int = 0
    above: CumulativeSum = NO_SUM
    below: CumulativeSum = NO_SUM

    @classmethod
    def of(cls, points: Points, found: Found, settings: ChangePointSettings) -> "LastLevel":
        """Return the level at the end of a stretch with these points, of which some are left out of the levels."""
        known = found.points
        phi = found.autocorrelation or 0.0
        began = found.changes[-1].bracket_after if found.changes else points.positions[0]
        place, start = (int(np.searchsorted(some.positions, began)) for some in (points, known))
        deviation = float(np.sqrt(known.variances[-1]))
        level = known.level(start, len(known))
        return cls(
            scale=points.scale,
            level=level,
            deviation=deviation * float(np.sqrt((1.0 + phi) / (1.0 - phi))),
            far=max(FAR * deviation, settings.minimum_effect * points.unit),
            points=len(points) - place if found.changes else None,
            phi=phi,
            innovation=deviation * float(np.sqrt(1.0 - phi * phi)),
            residual=float(points.y[-1]) - level,
        )

    def followed(self, later: Measurements, end: int, *, is_open: bool) -> tuple["LastLevel", int, bool]:
        """Return it with later values up to the first with which something may have happened, their number, and whether one did.

        `end` is the position before them; `is_open` says that what was measured there is undecided. Far points
        are undecided where several follow one another, or where others beside them could be measured.
        """
        residual, jumped, side = self.residual, self.jumped, self.side
        (above, above_points), (below, below_points) = self.above, self.below
        may_have_changed, count, points = False, 0, 0
        for value, position in zip(later.values.tolist(), later.positions.tolist(), strict=True):
            count += 1
            if self.scale is ValueScale.LOG and value <= 0:
                may_have_changed = True
                break
            before, was_at, points = residual, side, count
            residual = (math.log(value) if self.scale is ValueScale.LOG else value) - self.level
            side = 0 if abs(residual) <= self.far else 1 if residual > 0.0 else -1
            jumped = None if jumped is None or jumped >= WAITED else jumped + 1
            if self.phi >= PERSISTENT and abs(residual - self.phi * before) > JUMP * self.innovation:
                jumped = 1
            distance = residual / self.deviation
            above = above + min(distance, MOST) - SLACK
            above, above_points = (above, above_points + 1) if above > 0.0 else (0.0, 0)
            below = below + min(-distance, MOST) - SLACK
            below, below_points = (below, below_points + 1) if below > 0.0 else (0.0, 0)
            may_have_changed = (
                (above > LEFT and above_points in LOOKS)
                or (below > LEFT and below_points in LOOKS)
                or (side != 0 and (side == was_at or position - end > 1))
                or (count == 1 and is_open)
                or (self.points is not None and self.points + count in LOOKS)
                or jumped in LOOKS
            )
            if may_have_changed:
                break
            end = position
        after = replace(
            self,
            points=None if self.points is None else self.points + points,
            residual=residual,
            jumped=jumped,
            side=side,
            above=CumulativeSum(above, above_points),
            below=CumulativeSum(below, below_points),
        )
        return after, count, may_have_changed
