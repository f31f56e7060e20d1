"""Find the change points of one series: search, filter by effect and by number of points, describe."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from analytics.changepoints.changes import ChangePoint, ChangePoints, Reference, Segment, Undecided
from analytics.changepoints.location import likely_range, location_probabilities
from analytics.changepoints.search import penalty_of, segment_ends
from analytics.changepoints.settings import ChangePointSettings
from analytics.histories.noise import neighbour_variance, repetition_variances
from analytics.histories.scale import Scale, choose_scale, unit_of

if TYPE_CHECKING:
    from analytics.histories.measurements import FloatArray, IntArray, Measurements

# Half-width of a 95 % interval, in standard errors.
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class _Points:
    """Measured points on the searched scale; all arrays have shape (n,)."""

    positions: IntArray
    y: FloatArray
    variances: FloatArray
    scale: Scale
    unit: float

    def only(self, chosen: IntArray) -> _Points:
        return _Points(self.positions[chosen], self.y[chosen], self.variances[chosen], self.scale, self.unit)

    def level(self, start: int, end: int) -> float:
        weights = 1.0 / self.variances[start:end]
        return float(weights @ self.y[start:end] / weights.sum())

    def relative(self, before: float, after: float) -> float:
        """Return the relative size of a step between two levels of this scale."""
        return float(np.expm1(after - before)) if self.scale is Scale.LOG else (after - before) / self.unit

    def plain(self, level: float) -> float:
        return float(self.scale.backward(np.array(level)))


def find_change_points(
    measurements: Measurements, settings: ChangePointSettings | None = None
) -> ChangePoints:
    """Return the change points of one series, each with its bracket and its size. Deterministic.

    The noise is the spread of repetitions plus what neighbouring revisions scatter beyond it, and at least the
    floor. The cheapest segmentation is found by PELT with the penalty of `penalty_of`; neighbouring levels closer
    than the minimum effect are joined, the closest first; levels of too few points are set aside as undecided,
    and the rest is searched again. Raises `ChangePointError`.
    """
    settings = settings or ChangePointSettings()
    scale = choose_scale(measurements.values, log_scale=settings.log_scale)
    unit = unit_of(scale, measurements.values, settings.reference_level)
    variances = _variances(measurements, scale, unit, settings)
    enough = variances is not None and len(measurements) >= 2 * settings.minimum_points
    if variances is None:
        variances = np.full(len(measurements), (settings.noise_floor * unit) ** 2)
    points = _Points(measurements.positions, scale.forward(measurements.values), variances, scale, unit)
    penalty = penalty_of(len(measurements))
    decided, ends = (
        _decide(points, penalty, settings) if enough else (np.arange(len(measurements)), [len(measurements)])
    )
    kept = points.only(decided)
    starts = [0, *ends[:-1]]
    segments = tuple(
        Segment(int(kept.positions[a]), int(kept.positions[b - 1]), b - a, kept.plain(kept.level(a, b)))
        for a, b in zip(starts, ends, strict=True)
    )
    bounds = [0, *ends]
    changes = tuple(_describe(kept, *bounds[i : i + 3]) for i in range(len(ends) - 1))
    return ChangePoints(
        changes=changes,
        undecided=_undecided(points, decided, segments, changes),
        segments=segments,
        enough_data=enough,
        scale=scale,
        relative_to=_reference(scale, settings),
        noise=float(np.sqrt(np.median(variances))) / unit,
        penalty=penalty,
    )


def _variances(
    measurements: Measurements, scale: Scale, unit: float, settings: ChangePointSettings
) -> FloatArray | None:
    """Return the variance of each value around its level, or None where nothing tells it."""
    repeated = repetition_variances(measurements, scale)
    neighbours = neighbour_variance(scale.forward(measurements.values))
    if repeated is None and neighbours is None:
        return None
    own = np.zeros(len(measurements)) if repeated is None else repeated
    beyond = max((neighbours or 0.0) - float(np.median(own)), 0.0)
    return np.maximum(own + beyond, (settings.noise_floor * unit) ** 2)


def _decide(points: _Points, penalty: float, settings: ChangePointSettings) -> tuple[IntArray, list[int]]:
    """Return the indices of the points with a decided level, and the segment ends among them."""
    decided = np.arange(len(points.y))
    while True:
        kept = points.only(decided)
        ends = _join_small(kept, segment_ends(kept.y, kept.variances, penalty), settings.minimum_effect)
        sizes = np.diff([0, *ends])
        short = sizes < settings.minimum_points
        if not short.any():
            return decided, ends
        decided = decided[np.repeat(~short, sizes)]
        if len(decided) < settings.minimum_points:
            return np.arange(len(points.y)), [len(points.y)]


def _join_small(points: _Points, ends: list[int], minimum_effect: float) -> list[int]:
    """Join neighbouring segments whose levels differ by less than the minimum effect, the closest first."""
    ends = list(ends)
    while len(ends) > 1:
        bounds = [0, *ends]
        levels = [points.level(a, b) for a, b in zip(bounds, ends, strict=False)]
        sizes = [abs(points.relative(a, b)) for a, b in pairwise(levels)]
        smallest = int(np.argmin(sizes))
        if sizes[smallest] >= minimum_effect:
            break
        del ends[smallest]
    return ends


def _describe(points: _Points, start: int, middle: int, end: int) -> ChangePoint:
    before, after = points.level(start, middle), points.level(middle, end)
    part = slice(start, end)
    probabilities = location_probabilities(points.positions[part], points.y[part], points.variances[part])
    low, high = likely_range(probabilities, middle - start - 1)
    margin = NORMAL_95 * _step_error(points, start, middle, end)
    before_plain, after_plain = points.plain(before), points.plain(after)
    return ChangePoint(
        bracket_before=int(points.positions[middle - 1]),
        bracket_after=int(points.positions[middle]),
        before_level=before_plain,
        after_level=after_plain,
        absolute_size=after_plain - before_plain,
        relative_size=points.relative(before, after),
        relative_low=points.relative(before, after - margin),
        relative_high=points.relative(before, after + margin),
        reference=before_plain if points.scale is Scale.LOG else points.unit,
        points_before=middle - start,
        points_after=end - middle,
        location_probability=float(probabilities[middle - start - 1]),
        likely_before=int(points.positions[start + low]),
        likely_after=int(points.positions[start + high + 1]),
    )


def _step_error(points: _Points, start: int, middle: int, end: int) -> float:
    """Return the standard error of a step; larger where the points scatter more than their noise says."""
    total = scatter = 0.0
    for a, b in ((start, middle), (middle, end)):
        weights = 1.0 / points.variances[a:b]
        total += 1.0 / float(weights.sum())
        scatter += float(weights @ (points.y[a:b] - points.level(a, b)) ** 2)
    freedom = end - start - 2
    return float(np.sqrt(total * max(1.0, scatter / freedom if freedom else 1.0)))


def _undecided(
    points: _Points, decided: IntArray, segments: tuple[Segment, ...], changes: tuple[ChangePoint, ...]
) -> tuple[Undecided, ...]:
    """Describe the points set aside, run by run; those inside a change's bracket are part of that change."""
    aside = np.setdiff1d(np.arange(len(points.y)), decided)
    runs = np.split(aside, np.flatnonzero(np.diff(aside) > 1) + 1) if len(aside) else []
    found = []
    for run in runs:
        first, last = int(points.positions[run[0]]), int(points.positions[run[-1]])
        if any(c.bracket_before < first and last < c.bracket_after for c in changes):
            continue
        level = points.level(int(run[0]), int(run[-1]) + 1)
        nearest = min(segments, key=lambda s: max(s.first - last, first - s.last, 0))
        reference = float(points.scale.forward(np.array(nearest.level)))
        size = points.relative(reference, level)
        found.append(Undecided(first, last, len(run), points.plain(level), size))
    return tuple(found)


def _reference(scale: Scale, settings: ChangePointSettings) -> Reference:
    if scale is Scale.LOG:
        return Reference.LEVEL_BEFORE
    return Reference.MEDIAN_MAGNITUDE if settings.reference_level is None else Reference.REFERENCE_LEVEL
