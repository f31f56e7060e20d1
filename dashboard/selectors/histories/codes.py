"""Revisions in line by their code: neighbours that hold the same code share a place, and their measurements.

A step from one place to the next is a change of code. So nothing can happen inside a place, and a measurement of one
of its revisions holds for all of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.histories import Mass, Measurements, share_measurements
from analytics.histories.measurements import FloatArray

Bracket = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class CodeLine:
    """The places of revisions. Where no code is known, every revision's place is its position.

    `place_of` gives the place of a position, `spans` the first and the last position of a place. `groups` numbers the
    codes that stand at several places, as after an exact revert. `changed_lines` (n - 1,) are those of the step from
    each place to the next, NaN where unknown.
    """

    place_of: Mapping[int, int]
    spans: Mapping[int, Bracket]
    groups: Mapping[int, int]
    changed_lines: FloatArray

    @property
    def length(self) -> int:
        """How many codes stand in line, neighbours told apart."""
        return len(self.spans)

    def mass(self, brackets: Sequence[Bracket] = ()) -> Mass | None:
        """Where the history is thought to move: by the size of each change, and in `brackets` of places.

        None where nothing is known of either.
        """
        if not len(self.changed_lines) or (np.isnan(self.changed_lines).all() and not brackets):
            return None
        return Mass.of_changes(min(self.spans), self.changed_lines, brackets)

    def shared(self, measurements: Measurements) -> Measurements:
        """The measurements by place instead of position, at every place whose code they measured."""
        placed = Measurements.of(
            [self.place_of[position] for position in measurements.positions.tolist()],
            measurements.values,
            measurements.repetitions,
            measurements.spreads,
            measurements.errors,
        )
        return share_measurements(placed, self.groups) if self.groups else placed

    def between(self, bracket: Bracket) -> Bracket:
        """The closest positions around what happened between two places: the last before, the first after it."""
        return self.spans[bracket[0]][1], self.spans[bracket[1]][0]


@lru_cache(maxsize=16)
def code_line(
    positions: tuple[int, ...], contents: tuple[str, ...], changed_lines: tuple[int | None, ...]
) -> CodeLine:
    """The line of revisions at these positions, in order, by their contents ("": not known). Kept for the next time."""
    place_of: dict[int, int] = {}
    spans: dict[int, Bracket] = {}
    codes: dict[str, list[int]] = {}
    steps: list[FloatArray] = []
    place = previous = positions[0] if positions else 0
    before = ""
    for position, content, lines in zip(positions, contents, changed_lines, strict=True):
        is_new = not spans or not content or content != before
        if is_new and spans:
            place += position - previous
            apart = position - previous
            # What changed since the revision before is spread over the positions in between, whoever they are.
            steps.append(np.full(apart, np.nan if lines is None else lines / apart))
        place_of[position] = place
        spans[place] = (spans[place][0] if not is_new else position, position)
        if is_new and content:
            codes.setdefault(content, []).append(place)
        previous, before = position, content
    several = [places for places in codes.values() if len(places) > 1]
    return CodeLine(
        place_of=place_of,
        spans=spans,
        groups={place: group for group, places in enumerate(several) for place in places},
        changed_lines=np.concatenate(steps) if steps else np.zeros(0),
    )
