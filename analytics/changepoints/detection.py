"""Find the change points of one series: search, filter by effect and by number of points, describe."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints.changes import ChangePoints, Reference
from analytics.changepoints.description import describe_change, describe_segments, describe_undecided
from analytics.changepoints.location import split_gains
from analytics.changepoints.points import points_of
from analytics.changepoints.search import penalty_of, segment_ends
from analytics.changepoints.settings import ChangePointSettings
from analytics.histories.scale import Scale

if TYPE_CHECKING:
    from analytics.changepoints.points import Points
    from analytics.histories.measurements import IntArray, Measurements


def find_change_points(
    measurements: Measurements, settings: ChangePointSettings | None = None
) -> ChangePoints:
    """Return the change points of one series, each with its bracket and its size. Deterministic.

    The noise is the spread of repetitions plus what neighbouring revisions scatter beyond it, and at least
    the floor. The cheapest segmentation is found by PELT with the penalty of `penalty_of`; neighbouring
    levels closer than the minimum effect are joined, the closest first; levels of too few points are set
    aside as undecided, and the rest is searched again.
    """
    settings = settings or ChangePointSettings()
    points, noise_known = points_of(measurements, settings)
    penalty = penalty_of(len(points))
    enough = noise_known and len(points) >= 2 * settings.minimum_points
    everything = np.arange(len(points))
    decided, bounds = _decide(points, penalty, settings) if enough else (everything, [0, len(points)])
    kept = points.only(decided)
    segments = describe_segments(kept, bounds)
    changes = tuple(
        describe_change(kept, start, middle, end)
        for start, middle, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
    )
    return ChangePoints(
        changes=changes,
        undecided=describe_undecided(points, decided, segments, changes),
        segments=segments,
        enough_data=enough,
        scale=points.scale,
        relative_to=_reference(points.scale, settings),
        noise=float(np.sqrt(np.median(points.variances))) / points.unit,
        penalty=penalty,
    )


def _decide(points: Points, penalty: float, settings: ChangePointSettings) -> tuple[IntArray, list[int]]:
    """Return the indices of the points with a decided level, and the bounds of the levels among them."""
    decided = np.arange(len(points))
    while len(decided) >= settings.minimum_points:
        kept = points.only(decided)
        ends = segment_ends(kept.y, kept.variances, penalty)
        bounds = _join_small(kept, [0, *ends], settings.minimum_effect)
        sizes = np.diff(bounds)
        short = sizes < settings.minimum_points
        if not short.any():
            return decided, bounds
        decided = decided[np.repeat(~short, sizes)]
    return np.arange(len(points)), [0, len(points)]


def _join_small(points: Points, bounds: list[int], minimum_effect: float) -> list[int]:
    """Join neighbouring segments whose levels differ by less than the minimum effect, the closest first."""
    while len(bounds) > 2:
        levels = [points.level(a, b) for a, b in pairwise(bounds)]
        sizes = [abs(points.relative(a, b)) for a, b in pairwise(levels)]
        smallest = int(np.argmin(sizes))
        if sizes[smallest] >= minimum_effect:
            break
        bounds = _settle(points, [*bounds[: smallest + 1], *bounds[smallest + 2 :]])
    return bounds


def _settle(points: Points, bounds: list[int]) -> list[int]:
    """Move each change to the best place between its neighbours: joining levels may leave it beside."""
    settled = list(bounds)
    for i in range(1, len(bounds) - 1):
        part = slice(settled[i - 1], settled[i + 1])
        settled[i] = part.start + 1 + int(np.argmax(split_gains(points.y[part], points.variances[part])))
    return settled


def _reference(scale: Scale, settings: ChangePointSettings) -> Reference:
    if scale is Scale.LOG:
        return Reference.LEVEL_BEFORE
    return Reference.MEDIAN_MAGNITUDE if settings.reference_level is None else Reference.REFERENCE_LEVEL
