"""Describe segments, the changes between them, and what stays undecided, in the metric's own unit."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints.changes import ChangePoint, Undecided
from analytics.changepoints.location import location_probabilities
from analytics.histories.scale import ValueScale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analytics.changepoints.points import Points
    from analytics.histories.measurements import IntArray

# Half-width of a 95 % interval, in standard errors.
NORMAL_95 = 1.959963984540054


def describe_change(points: Points, start: int, middle: int, end: int) -> ChangePoint:
    """Return the change between the levels of start..middle-1 and middle..end-1."""
    before, after = points.level(start, middle), points.level(middle, end)
    part = slice(start, end)
    probabilities = location_probabilities(points.positions[part], points.y[part], points.variances[part])
    margin = NORMAL_95 * _step_error(points, start, middle, end)
    before_plain, after_plain = points.plain(before), points.plain(after)
    return ChangePoint(
        bracket_before=int(points.positions[middle - 1]),
        bracket_after=int(points.positions[middle]),
        absolute_size=after_plain - before_plain,
        relative_size=points.relative(before, after),
        relative_low=points.relative(before, after - margin),
        relative_high=points.relative(before, after + margin),
        reference=before_plain if points.scale is ValueScale.LOG else points.unit,
        location_probability=float(probabilities[middle - start - 1]),
    )


def describe_undecided(
    points: Points,
    decided: IntArray,
    kept: Points,
    bounds: Sequence[int],
    changes: tuple[ChangePoint, ...],
) -> tuple[Undecided, ...]:
    """Describe the points set aside, run by run; those inside a change's bracket are part of that change.

    `kept` are the points of the `decided` indices, in segments between the bounds 0, ..., n.
    """
    segments = [
        (int(kept.positions[a]), int(kept.positions[b - 1]), kept.level(a, b)) for a, b in pairwise(bounds)
    ]
    aside = np.setdiff1d(np.arange(len(points)), decided)
    runs = np.split(aside, np.flatnonzero(np.diff(aside) > 1) + 1) if len(aside) else []
    found = []
    for run in runs:
        first, last = int(points.positions[run[0]]), int(points.positions[run[-1]])
        if any(c.bracket_before < first and last < c.bracket_after for c in changes):
            continue
        level = points.level(int(run[0]), int(run[-1]) + 1)
        *_, nearest = min(segments, key=lambda ends: max(ends[0] - last, first - ends[1], 0))
        size = points.relative(nearest, level)
        found.append(Undecided(first, last, len(run), points.plain(level), size))
    return tuple(found)


def _step_error(points: Points, start: int, middle: int, end: int) -> float:
    """Return the standard error of a step; larger where the points scatter more than their noise says."""
    total = scatter = 0.0
    for a, b in ((start, middle), (middle, end)):
        weights = 1.0 / points.variances[a:b]
        total += 1.0 / float(weights.sum())
        scatter += float(weights @ (points.y[a:b] - points.level(a, b)) ** 2)
    freedom = end - start - 2
    return float(np.sqrt(total * max(1.0, scatter / freedom if freedom else 1.0)))
