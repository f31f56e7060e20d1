"""The search of series of many points: steps that survive noise, drift and excursions."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from analytics.changepoints.changes import ChangePointSettings
from analytics.changepoints.elimination import (
    SHORTEST,
    TELLS_AUTOCORRELATION,
    Proposal,
    proposals,
    surviving_steps,
)
from analytics.changepoints.found import Found, change_at, undecided_points
from analytics.changepoints.points import Points
from analytics.changepoints.robust import deviation

# Points that differ lie so many robust standard deviations from their level.
FAR = 4.0
# A series wanders whose random walk wins more than this (twice the log-likelihood) over its autocorrelated noise: of 80 series of 100
# and more points without drift or walk hardly one does, and nine in ten of those with one. Or it left its level for so many in a row.
WANDERS, LEFT = 4.0, 3


def modelled(points: Points, settings: ChangePointSettings, proposal: Proposal | None = None) -> Found:
    """Search with noise that may be autocorrelated; the last points may be the beginning of a level: undecided.

    `proposal` is given where it is known already.
    """
    steps = surviving_steps(points, settings, proposal or proposals([(points, settings)])[0])
    known, bounds = steps.points, steps.bounds
    changes = tuple(
        change_at(known, bounds, i, settings=settings, certainty=certainty, chance=chance, phi=steps.phi)
        for i, (certainty, chance) in enumerate(zip(steps.certainties, steps.chances, strict=True), 1)
    )
    kept = np.searchsorted(points.positions, known.positions)
    levelled = points.only(kept)
    runs = _far_runs(levelled, known, bounds, settings)
    decided = kept[~_is_open(levelled, runs)]
    undecided = undecided_points(points, decided, known, bounds, changes)
    wanders = None
    if steps.wander is not None:
        # A run that ends the series may be the beginning of a level.
        left = any(end - start >= LEFT and end < len(levelled) for start, end in runs)
        wanders = steps.wander > WANDERS or left or any(one.went_away for one in undecided)
    return Found(
        changes,
        undecided,
        known,
        steps.phi if len(known) >= TELLS_AUTOCORRELATION else None,
        wanders,
    )


def _far_runs(
    points: Points, known: Points, bounds: Sequence[int], settings: ChangePointSettings
) -> list[tuple[int, int]]:
    """The bounds of the runs of points that lie far on one side of their level, and that is worth telling."""
    levels = np.repeat([known.level(a, b) for a, b in pairwise(bounds)], np.diff(bounds))
    away = points.y - levels
    # Not the noise of the model: some points that lie together far away pass for autocorrelation there.
    weights = np.sqrt(known.variances / known.variances.mean())
    spread = deviation(away / weights, settings.noise_floor * points.unit) * weights
    least = np.maximum(FAR * spread, settings.minimum_effect * points.unit)
    sides = np.where(np.abs(away) > least, np.sign(away), 0)
    if not sides.any():
        return []
    edges = [0, *(np.flatnonzero(np.diff(sides)) + 1).tolist(), len(points)]
    return [(a, b) for a, b in pairwise(edges) if sides[a]]


def _is_open(points: Points, runs: list[tuple[int, int]]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each point is undecided, of the runs of points that lie far from their level.

    It is where a revision beside it that nobody measured would decide, and at the end, where those to come will.
    """
    is_open = np.zeros(len(points), dtype=bool)
    for a, b in runs:
        if b - a < SHORTEST:
            is_last = b == len(points) and b - a > 1
            gap = points.positions[min(b, len(points) - 1)] - points.positions[max(a - 1, 0)]
            is_open[a:b] = is_last or gap > b - a + 1
    return is_open
