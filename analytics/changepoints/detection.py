"""Find the change points of one series: search, filter by effect and by number of points, describe."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints.changes import ChangePoints, Reference
from analytics.changepoints.description import describe_change, describe_undecided
from analytics.changepoints.location import change_probability, split_gains
from analytics.changepoints.points import points_of
from analytics.changepoints.search import penalty_of, segment_ends
from analytics.changepoints.settings import ChangePointSettings
from analytics.histories.scale import ValueScale

if TYPE_CHECKING:
    from analytics.changepoints.points import Points
    from analytics.changepoints.search import Detector
    from analytics.histories.measurements import IntArray, Measurements


def find_change_points(
    measurements: Measurements,
    settings: ChangePointSettings | None = None,
    detector: Detector = segment_ends,
) -> ChangePoints:
    """Return the change points of one series, each with its bracket and its size. Deterministic.

    The noise is the spread of repetitions plus what neighbouring revisions scatter beyond it, and at least
    the floor. The segments are found by the detector, by default
    PELT with the penalty of `penalty_of`; neighbouring levels closer than the minimum effect are joined, the closest first; levels of too few points are set
    aside as undecided, and the rest is searched again.
    """
    settings = settings or ChangePointSettings()
    points, noise_known = points_of(measurements, settings)
    penalty = penalty_of(len(points))
    enough = noise_known and len(points) >= 2 * settings.minimum_points
    everything = np.arange(len(points))
    decided, bounds = (
        _decide(points, penalty, settings, detector) if enough else (everything, [0, len(points)])
    )
    kept = points.only(decided)
    changes = tuple(
        describe_change(kept, start, middle, end)
        for start, middle, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
    )
    if points.scale is ValueScale.LOG:
        reference = Reference.LEVEL_BEFORE
    else:
        is_given = settings.reference_level is not None
        reference = Reference.REFERENCE_LEVEL if is_given else Reference.MEDIAN_MAGNITUDE
    return ChangePoints(
        changes=changes,
        undecided=describe_undecided(points, decided, kept, bounds, changes),
        enough_data=enough,
        relative_to=reference,
        noise=float(np.sqrt(np.median(points.variances))) / points.unit,
        probability=(change_probability(points.positions, points.y, points.variances) if enough else 0.5),
    )


def _decide(
    points: Points, penalty: float, settings: ChangePointSettings, detector: Detector
) -> tuple[IntArray, list[int]]:
    """Return the indices of the points with a decided level, and the bounds of the levels among them."""
    decided = np.arange(len(points))
    while len(decided) >= settings.minimum_points:
        kept = points.only(decided)
        ends = detector(kept.y, kept.variances, penalty)
        bounds = _join_small(kept, [0, *ends], settings.minimum_effect)
        sizes = np.diff(bounds)
        short = sizes < settings.minimum_points
        if not short.any():
            return decided, bounds
        decided = decided[np.repeat(~short, sizes)]
    return np.arange(len(points)), [0, len(points)]


def _join_small(points: Points, bounds: list[int], minimum_effect: float) -> list[int]:
    """Join neighbouring segments whose levels differ by less than the minimum effect, the closest first."""
    levels = [points.level(a, b) for a, b in pairwise(bounds)]
    while len(bounds) > 2:
        sizes = [abs(points.relative(a, b)) for a, b in pairwise(levels)]
        smallest = min(range(len(sizes)), key=sizes.__getitem__)
        if sizes[smallest] >= minimum_effect:
            break
        del bounds[smallest + 1], levels[smallest + 1]
        first = max(smallest - 1, 0)
        # Joining may leave the changes beside the joined segment beside their best places: they move there.
        for i in range(max(smallest, 1), min(smallest + 2, len(bounds) - 1)):
            part = slice(bounds[i - 1], bounds[i + 1])
            gains = split_gains(points.y[part], points.variances[part])
            bounds[i] = part.start + 1 + int(gains.argmax())
        levels[first : smallest + 2] = [points.level(a, b) for a, b in pairwise(bounds[first : smallest + 3])]
    return bounds
