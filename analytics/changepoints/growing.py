"""Changes of long histories, which grow: searched stretch by stretch, the last one while it grows.

Of more than 1,000 points no search sees all at once: what tells a step from noise, drift and walks lies within some hundred
points of it. At the 1,000th point and after every 500 further ones the last stretch is searched as a series of its own,
from the last settled change on or 1,000 points back; what lies 500 points behind its end is settled then and stays.
Between these points the last stretch is searched again only where something may have happened to its end: a cumulative sum
(E. Page, "Continuous inspection schemes", Biometrika 1954) has left the last level, points lie far from it, or a young
change has so many more points that its size is known better.
"""

from bisect import bisect_left
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analytics.changepoints.changes import ChangePoint, ChangePoints, ChangePointSettings, Undecided
from analytics.changepoints.elimination import proposals
from analytics.changepoints.last_level import NO_SUM, LastLevel
from analytics.changepoints.noise_search import modelled
from analytics.changepoints.places import NEAR
from analytics.changepoints.points import points_of
from analytics.histories.measurements import Measurements

# Up to so many points are searched as a whole.
LONGEST_WHOLE = 1_000
# After so many further points the last stretch is searched in any case; what lies so many behind its end is settled.
STRIDE, SETTLES = 500, 500
# So far a stretch reaches back behind its beginning's settled end at most: what a step is compared with (`evidence`).
CONTEXT = 1_000


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

    @property
    def is_open(self) -> bool:
        """Whether the last point was undecided when the stretch was searched, and is still the last."""
        undecided = self.found.undecided
        is_last = bool(undecided) and undecided[-1].last == self.stretch.positions[-1]
        return self.searched == self.count and is_last

    def place_of(self, position: int) -> int:
        """Return the number of points of the stretch before a position."""
        return int(np.searchsorted(self.stretch.positions, position))

    def appended(self, later: Measurements) -> "GrowingSearch":
        """Return the search with values measured at later positions; nearly always in constant time.

        Raises `HistoryError` for a position that is not later.
        """
        return search_together([(self.appending(later), self.settings)])[0]

    def appending(self, later: Measurements) -> "Searching":
        """As `appended`, for `search_together`."""
        grown, start = self, 0
        while start < len(later):
            due = grown.count + STRIDE - (grown.count - LONGEST_WHOLE) % STRIDE
            further = later.part(start, start + due - grown.count)
            last, followed, may_have_changed = grown.last.followed(
                further, int(grown.stretch.positions[-1]), is_open=grown.is_open
            )
            grown = replace(
                grown,
                count=grown.count + followed,
                stretch=grown.stretch.followed_by(further.part(0, followed)),
                last=last,
            )
            start += followed
            if grown.count == due:
                grown = _settled(_searched(grown, (yield grown.stretch)))
            elif may_have_changed:
                grown = _searched(grown, (yield grown.stretch))
        return grown


# A search that stops wherever a stretch is to be searched, and goes on with what was found there.
Searching = Generator[Measurements, tuple[ChangePoints, LastLevel], GrowingSearch]


def search_together(many: Sequence[tuple[Searching, ChangePointSettings]]) -> list[GrowingSearch]:
    """Return what several searches find, each with its settings: what stretches of all of them have in common is computed once."""
    found: dict[int, GrowingSearch] = {}
    answers: dict[int, tuple[ChangePoints, LastLevel] | None] = dict.fromkeys(range(len(many)))
    while answers:
        asked: dict[int, Measurements] = {}
        for at, answer in answers.items():
            try:
                asked[at] = next(many[at][0]) if answer is None else many[at][0].send(answer)
            except StopIteration as end:
                found[at] = end.value
        stretches = [(stretch, many[at][1]) for at, stretch in asked.items()]
        # Most of what grows asks for nothing.
        answers = dict(zip(asked, _search(stretches), strict=True)) if asked else {}
    return [found[at] for at in range(len(many))]


def search_growing(measurements: Measurements, settings: ChangePointSettings) -> GrowingSearch:
    """Return the changes of more than `LONGEST_WHOLE` points. O(n).

    The same as those of the first points with all others appended one by one: what is found between two searches of the last
    stretch moves nothing that is settled.
    """
    return search_together([(searching(measurements, settings), settings)])[0]


def searching(measurements: Measurements, settings: ChangePointSettings) -> Searching:
    """As `search_growing`, for `search_together`."""
    first = measurements.part(0, LONGEST_WHOLE)
    found, last = yield first
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
        grown = _settled(
            _searched(replace(grown, count=grown.count + STRIDE, stretch=stretch), (yield stretch))
        )
    return (yield from grown.appending(measurements.part(grown.count, len(measurements))))


def _searched(grown: GrowingSearch, answer: tuple[ChangePoints, LastLevel]) -> GrowingSearch:
    """The search with what was found in its last stretch anew: what is settled stays."""
    found, last = answer
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


def _search(
    stretches: Sequence[tuple[Measurements, ChangePointSettings]],
) -> list[tuple[ChangePoints, LastLevel]]:
    """Search stretches as series of their own."""
    given = [(*points_of(*one), one[1]) for one in stretches]
    begun = proposals([(points, settings) for points, _, settings in given])
    answers = []
    for points, is_known, settings in given:
        # What one begins with is not kept longer than it needs.
        found = modelled(points, settings, begun.pop(0))
        answers.append(
            (found.change_points(settings, enough_data=is_known), LastLevel.of(points, found, settings))
        )
    return answers
