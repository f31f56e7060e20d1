"""Changes of long histories, which grow: searched stretch by stretch, the last one while it grows.

Of more than 1,000 points no search sees all at once: what tells a step from noise, drift and walks lies within some hundred
points of it. At the 1,000th point and after every 500 further ones the last stretch is searched as a series of its own,
from the last settled change on or 1,000 points back; what lies 500 points behind its end is settled then and stays.
Between these points the last stretch is searched again only where something may have happened to its end: a cumulative sum
(E. Page, "Continuous inspection schemes", Biometrika 1954) has left the last level, points lie far from it, or a young
change has so many more points that its size is known better.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass, replace

import numpy as np

from analytics.changepoints.changes import ChangePoint, ChangePoints, ChangePointSettings, Undecided
from analytics.changepoints.noise_search import FAR, modelled
from analytics.changepoints.places import NEAR
from analytics.changepoints.points import points_of
from analytics.histories.measurements import Measurements
from analytics.histories.scale import ValueScale

# Up to so many points are searched as a whole.
LONGEST_WHOLE = 1_000
# After so many further points the last stretch is searched in any case; what lies so many behind its end is settled.
STRIDE, SETTLES = 500, 500
# So far a stretch reaches back behind its beginning's settled end at most: what a step is compared with (`evidence`).
CONTEXT = 1_000
# A cumulative sum of residuals, in long-run standard deviations of the noise: what it loses with each point, where it says that
# the level was left, and how much one point adds at most. One in 465 points of Gaussian noise says so where nothing happened.
SLACK, LEFT, MOST = 0.5, 5.0, 3.0
# Autocorrelated noise from here on hides a step from cumulative sums, but not the jump: what is left of a residual after what the one
# before it foretells lies so many of its standard deviations away. Then so many further points are waited for.
PERSISTENT, JUMP, WAITED = 0.7, 4.0, 66
# What may have happened is looked at again when so many points speak of it: each time nearly a third more.
LOOKS = frozenset(int(1.3**power) for power in range(6, 25))


@dataclass(frozen=True, slots=True)
class CumulativeSum:
    """A cumulative sum away from a level to one side, and the number of points since it was zero."""

    total: float = 0.0
    points: int = 0

    def after(self, distance: float) -> "CumulativeSum":
        """Return it with one more point, so many long-run standard deviations away to its side."""
        total = self.total + min(distance, MOST) - SLACK
        return CumulativeSum(total, self.points + 1) if total > 0.0 else NO_SUM

    @property
    def is_to_be_looked_at(self) -> bool:
        """Whether the points may have left the level, and are enough for another look."""
        return self.total > LEFT and self.points in LOOKS


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


@dataclass(frozen=True, slots=True, eq=False)
class GrowingSearch:
    """The changes of a history of more than `LONGEST_WHOLE` points, with what is needed to go on.

    `settled` are the changes and `passed` the undecided points that no later point moves; they lie before `limit`. `stretch` are the
    points that are searched, the last of `count`; `found` is what was found in them by the last search, at `searched` points.
    """

    settings: ChangePointSettings
    count: int
    searched: int
    settled: tuple[ChangePoint, ...]
    passed: tuple[Undecided, ...]
    limit: int
    stretch: Measurements
    found: ChangePoints
    last: LastLevel

    def change_points(self) -> ChangePoints:
        """Return all changes."""
        return replace(
            self.found,
            changes=(*self.settled, *self.found.changes),
            undecided=(*self.passed, *self.found.undecided),
        )

    def place_of(self, position: int) -> int:
        """Return the number of points of the stretch before a position."""
        return int(np.searchsorted(self.stretch.positions, position))

    def appended(self, later: Measurements) -> "GrowingSearch":
        """Return the search with values measured at later positions; nearly always in constant time.

        Raises `HistoryError` for a position that is not later.
        """
        grown, start = self, 0
        while start < len(later):
            due = grown.count + STRIDE - (grown.count - LONGEST_WHOLE) % STRIDE
            further = later.part(start, start + due - grown.count)
            last, followed, may_have_changed = _followed(grown, further)
            grown = replace(
                grown,
                count=grown.count + followed,
                stretch=grown.stretch.followed_by(further.part(0, followed)),
                last=last,
            )
            start += followed
            if grown.count == due:
                grown = _settled(_searched(grown))
            elif may_have_changed:
                grown = _searched(grown)
        return grown


def search_growing(measurements: Measurements, settings: ChangePointSettings) -> GrowingSearch:
    """Return the changes of more than `LONGEST_WHOLE` points. O(n).

    The same as those of the first points with all others appended one by one: what is found between two searches of the last
    stretch moves nothing that is settled.
    """
    first = measurements.part(0, LONGEST_WHOLE)
    found, last = _search(first, settings)
    grown = GrowingSearch(
        settings=settings,
        count=LONGEST_WHOLE,
        searched=LONGEST_WHOLE,
        settled=(),
        passed=(),
        limit=int(first.positions[0]),
        stretch=first,
        found=found,
        last=last,
    )
    grown = _settled(grown)
    while grown.count + STRIDE <= len(measurements):
        further = measurements.part(grown.count, grown.count + STRIDE)
        stretch = grown.stretch.followed_by(further)
        grown = _settled(_searched(replace(grown, count=grown.count + STRIDE, stretch=stretch)))
    return grown.appended(measurements.part(grown.count, len(measurements)))


def _followed(search: GrowingSearch, later: Measurements) -> tuple[LastLevel, int, bool]:
    """The last level with later values up to the first with which something may have happened, their number, and whether one did."""
    last, found, end = search.last, search.found.undecided, int(search.stretch.positions[-1])
    residual, jumped, side, above, below = last.residual, last.jumped, last.side, last.above, last.below
    was_open = search.searched == search.count and bool(found) and found[-1].last == end
    may_have_changed, count = False, 0
    for value, position in zip(later.values.tolist(), later.positions.tolist(), strict=True):
        count += 1
        if last.scale is ValueScale.LOG and value <= 0:
            may_have_changed, points = True, count - 1
            break
        before, was_at, points = residual, side, count
        residual = (math.log(value) if last.scale is ValueScale.LOG else value) - last.level
        side = 0 if abs(residual) <= last.far else 1 if residual > 0.0 else -1
        jumped = None if jumped is None or jumped >= WAITED else jumped + 1
        if last.phi >= PERSISTENT and abs(residual - last.phi * before) > JUMP * last.innovation:
            jumped = 1
        distance = residual / last.deviation
        above, below = above.after(distance), below.after(-distance)
        may_have_changed = (
            above.is_to_be_looked_at
            or below.is_to_be_looked_at
            # Far points are undecided where several follow one another, or where others beside them could be measured.
            or (side != 0 and (side == was_at or position - end > 1))
            or (count == 1 and was_open)
            or (last.points is not None and last.points + count in LOOKS)
            or jumped in LOOKS
        )
        if may_have_changed:
            break
        end = position
    after = replace(
        last,
        points=None if last.points is None else last.points + points,
        residual=residual,
        jumped=jumped,
        side=side,
        above=above,
        below=below,
    )
    return after, count, may_have_changed


def _searched(grown: GrowingSearch) -> GrowingSearch:
    """Search the last stretch anew: what is settled stays."""
    found, last = _search(grown.stretch, grown.settings)
    near = grown.place_of(grown.limit) - NEAR
    if grown.settled:
        # A step that is settled is not found again a little farther on.
        near = max(near, grown.place_of(grown.settled[-1].bracket_after) + NEAR)
    changes = tuple(one for one in found.changes if grown.place_of(one.bracket_after) >= near)
    undecided = tuple(one for one in found.undecided if one.last >= grown.limit)
    begins, began = (
        grown.place_of(some[-1].bracket_after) if some else 0 for some in (changes, grown.found.changes)
    )
    if abs(begins - began) < NEAR:
        # The same level: how long it may have been left is known already.
        was = grown.last
        last = replace(last, jumped=was.jumped, side=was.side, above=was.above, below=was.below)
    return replace(
        grown,
        searched=grown.count,
        found=replace(found, changes=changes, undecided=undecided),
        last=replace(last, points=len(grown.stretch) - begins if changes else None),
    )


def _settled(grown: GrowingSearch) -> GrowingSearch:
    """Settle what lies far enough behind the end, and cut the stretch to what the next search needs."""
    limit = int(grown.stretch.positions[-SETTLES])
    changes, undecided = grown.found.changes, grown.found.undecided
    kept = bisect_left(changes, limit, key=lambda one: one.bracket_after)
    told = bisect_left(undecided, limit, key=lambda one: one.last)
    settled = (*grown.settled, *changes[:kept])
    start = max(len(grown.stretch) - CONTEXT, 0)
    if settled:
        start = max(start, grown.place_of(settled[-1].bracket_after))
    return replace(
        grown,
        settled=settled,
        passed=(*grown.passed, *undecided[:told]),
        limit=limit,
        stretch=grown.stretch.part(start, len(grown.stretch)),
        found=replace(grown.found, changes=changes[kept:], undecided=undecided[told:]),
        last=replace(
            grown.last,
            points=grown.last.points if kept < len(changes) else None,
            jumped=None,
            side=0,
            above=NO_SUM,
            below=NO_SUM,
        ),
    )


def _search(stretch: Measurements, settings: ChangePointSettings) -> tuple[ChangePoints, LastLevel]:
    """Search a stretch as a series of its own."""
    points, is_known = points_of(stretch, settings)
    found = modelled(points, settings)
    known = found.points
    phi = found.autocorrelation or 0.0
    began = found.changes[-1].bracket_after if found.changes else stretch.positions[0]
    place, start = (int(np.searchsorted(some.positions, began)) for some in (stretch, known))
    deviation = float(np.sqrt(known.variances[-1]))
    level = known.level(start, len(known))
    return found.change_points(settings, enough_data=is_known), LastLevel(
        scale=points.scale,
        level=level,
        deviation=deviation * float(np.sqrt((1.0 + phi) / (1.0 - phi))),
        far=max(FAR * deviation, settings.minimum_effect * points.unit),
        points=len(stretch) - place if found.changes else None,
        phi=phi,
        innovation=deviation * float(np.sqrt(1.0 - phi * phi)),
        residual=float(points.y[-1]) - level,
    )
