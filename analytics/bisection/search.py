"""Which revision to measure next while a step is searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analytics.bisection.errors import BisectionError
from analytics.bisection.posterior import Location, locate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class BisectionSettings:
    """How long is searched.

    `error` is the accepted probability of naming the wrong revision. The two ends are measured `start` times first and
    up to `most_at_ends` times, until their difference is told from zero; `most` measurements are made in all.
    """

    error: float = 0.05
    start: int = 3
    most_at_ends: int = 20
    most: int = 300

    def __post_init__(self) -> None:
        if not 0 < self.error < 1:
            raise BisectionError(f"an error probability of {self.error} cannot be asked for: between 0 and 1")
        if not 2 <= self.start <= self.most_at_ends:
            raise BisectionError("start must be at least 2 and at most most_at_ends")


def next_position(
    measured: Mapping[int, Sequence[float]],
    positions: int,
    unbuildable: Collection[int],
    search: BisectionSettings,
) -> tuple[int | None, Location | None]:
    """Return the position to measure next, and what is known of the step; None where the search has ended.

    It has ended when the step is located with the accepted error (`unbuildable` revisions, which cannot be built, stay in
    the answer with their neighbour), when the ends do not differ, or after `search.most` measurements. The next position
    splits the probability as evenly as can be (Horstein 1963), and is measured again where it was measured before.
    """
    last = positions - 1
    for end in (0, last):
        if len(measured.get(end, ())) < search.start:
            return end, None
    found = locate(measured, positions, 1 - search.error / (search.most_at_ends - search.start + 1))
    if not found.is_significant:
        shorter = min((0, last), key=lambda end: len(measured[end]))
        return (shorter if len(measured[shorter]) < search.most_at_ends else None), found
    located = max(suspects(found, unbuildable).values()) >= 1 - search.error
    if located or sum(map(len, measured.values())) >= search.most:
        return None, found
    candidates = np.array([place for place in range(positions) if place not in unbuildable])
    share = np.cumsum(found.probabilities)[candidates]
    chosen = int(candidates[np.argmin(np.abs(share - 0.5))])
    return _balanced(measured, chosen, last), found


def _balanced(measured: Mapping[int, Sequence[float]], chosen: int, last: int) -> int:
    """The chosen position, or an end whose side was measured less often: it must be told from both levels."""
    own = len(measured.get(chosen, ()))
    before = sum(len(some) for place, some in measured.items() if place < chosen)
    after = sum(len(some) for place, some in measured.items() if place > chosen)
    if own <= min(before, after):
        return chosen
    return 0 if before <= after else last


def suspects(found: Location, unbuildable: Collection[int]) -> dict[tuple[int, ...], float]:
    """Return the positions that can be told apart, each with the unbuildable ones right before it, and their probability."""
    groups: dict[tuple[int, ...], float] = {}
    waiting: list[int] = []
    for place, probability in enumerate(found.probabilities.tolist()):
        waiting.append(place)
        if place in unbuildable:
            continue
        groups[tuple(waiting)] = (
            float(np.sum(found.probabilities[waiting])) if len(waiting) > 1 else probability
        )
        waiting = []
    return groups
