"""Which revision to measure next while a step is searched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from analytics.bisection.errors import BisectionError
from analytics.bisection.posterior import Location, locate

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


# How often the two ends are measured first, and at most, until their difference is told from zero.
START, MOST_AT_ENDS = 3, 20
# So many measurements are made in all.
MOST = 300


def next_position(
    measured: Mapping[int, Sequence[float]],
    positions: int,
    unbuildable: Collection[int],
    error: float,
) -> tuple[int | None, Location | None]:
    """Return the position to measure next, and what is known of the step; None where the search has ended.

    It has ended when the step is located with the accepted probability `error` of naming the wrong revision (`unbuildable` revisions, which cannot be built, stay in
    the answer with their neighbour), when the ends do not differ, or after 300 measurements. The next position
    splits the probability as evenly as can be (Horstein 1963), and is measured again where it was measured before.
    Raises `BisectionError` on an error outside of 0 to 1.
    """
    if not 0 < error < 1:
        raise BisectionError(f"an error probability of {error} cannot be asked for: between 0 and 1")
    last = positions - 1
    for end in (0, last):
        if len(measured.get(end, ())) < START:
            return end, None
    location = locate(measured, positions, 1 - error / (MOST_AT_ENDS - START + 1))
    if not location.is_significant:
        shorter = min((0, last), key=lambda end: len(measured[end]))
        return (shorter if len(measured[shorter]) < MOST_AT_ENDS else None), location
    located = max(suspects(location, unbuildable).values()) >= 1 - error
    if located or sum(map(len, measured.values())) >= MOST:
        return None, location
    candidates = np.array([place for place in range(positions) if place not in unbuildable])
    share = np.cumsum(location.probabilities)[candidates]
    chosen = int(candidates[np.argmin(np.abs(share - 0.5))])
    # An end whose side was measured less often comes first: the chosen one must be told from both levels.
    before = sum(len(some) for place, some in measured.items() if place < chosen)
    after = sum(len(some) for place, some in measured.items() if place > chosen)
    if len(measured.get(chosen, ())) > min(before, after):
        chosen = 0 if before <= after else last
    return chosen, location


def suspects(location: Location, unbuildable: Collection[int]) -> dict[tuple[int, ...], float]:
    """Return the positions that can be told apart, each with the unbuildable ones right before it, and their probability."""
    groups: dict[tuple[int, ...], float] = {}
    waiting: list[int] = []
    for place, probability in enumerate(location.probabilities.tolist()):
        waiting.append(place)
        if place in unbuildable:
            continue
        groups[tuple(waiting)] = (
            float(np.sum(location.probabilities[waiting])) if len(waiting) > 1 else probability
        )
        waiting = []
    return groups
