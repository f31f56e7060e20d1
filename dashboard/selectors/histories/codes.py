"""Revisions in line by their code: neighbours that hold the same code share a place, and their measurements.

A step from one place to the next is a change of code. So nothing can happen inside a place, and a measurement of one
of its revisions holds for all of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from analytics.histories import ChangePrior, Measurements, share_measurements
from analytics.histories.measurements import FloatArray

Bracket = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class CodeVersions:
    """The places of revisions. Where no code is known, every revision's place is its position.

    `version_at` gives the place of a position, `revisions_of` the first and the last position of a place. `groups` numbers the
    codes that stand at several places, as after an exact revert. `changed_lines` (n - 1,) are those of the step from
    each place to the next, NaN where unknown.
    """

    version_at: Mapping[int, int]
    revisions_of: Mapping[int, Bracket]
    groups: Mapping[int, int]
    changed_lines: FloatArray

    @property
    def length(self) -> int:
        """How many codes stand in line, neighbours told apart."""
        return len(self.revisions_of)

    def change_prior(self, brackets: Sequence[Bracket] = ()) -> ChangePrior | None:
        """Where the history is thought to move: by the size of each change, and in `brackets` of places.

        None where nothing is known of either.
        """
        if not len(self.changed_lines) or (np.isnan(self.changed_lines).all() and not brackets):
            return None
        return ChangePrior.of_changes(min(self.revisions_of), self.changed_lines, brackets)

    def by_version(self, measurements: Measurements) -> Measurements:
        """The measurements by place instead of position, at every place whose code they measured."""
        placed = Measurements.of(
            [self.version_at[position] for position in measurements.positions.tolist()],
            measurements.values,
            measurements.repetitions,
            measurements.spreads,
            measurements.errors,
        )
        return share_measurements(placed, self.groups) if self.groups else placed

    def between(self, bracket: Bracket) -> Bracket:
        """The closest positions around what happened between two places: the last before, the first after it."""
        return self.revisions_of[bracket[0]][1], self.revisions_of[bracket[1]][0]


@lru_cache(maxsize=16)
def code_versions(
    positions: tuple[int, ...], contents: tuple[str, ...], changed_lines: tuple[int | None, ...]
) -> CodeVersions:
    """The line of revisions at these positions, in order, by their contents ("": not known). Kept for the next time."""
    version_at: dict[int, int] = {}
    revisions_of: dict[int, Bracket] = {}
    codes: dict[str, list[int]] = {}
    steps: list[FloatArray] = []
    place = previous = positions[0] if positions else 0
    before = ""
    for position, content, lines in zip(positions, contents, changed_lines, strict=True):
        is_new = not revisions_of or not content or content != before
        if is_new and revisions_of:
            place += position - previous
            apart = position - previous
            # What changed since the revision before is spread over the positions in between, whoever they are.
            steps.append(np.full(apart, np.nan if lines is None else lines / apart))
        version_at[position] = place
        revisions_of[place] = (revisions_of[place][0] if not is_new else position, position)
        if is_new and content:
            codes.setdefault(content, []).append(place)
        previous, before = position, content
    several = [places for places in codes.values() if len(places) > 1]
    return CodeVersions(
        version_at=version_at,
        revisions_of=revisions_of,
        groups={place: group for group, places in enumerate(several) for place in places},
        changed_lines=np.concatenate(steps) if steps else np.zeros(0),
    )
