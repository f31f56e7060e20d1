"""What a search found: its changes and what it leaves undecided, between the bounds of levels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from analytics.changepoints.changes import (
    CERTAIN,
    ChangePoint,
    ChangePoints,
    ChangePointSettings,
    Reference,
    Undecided,
)
from analytics.changepoints.places import likeliest_brackets, location_probabilities
from analytics.changepoints.points import Points
from analytics.histories.measurements import IntArray
from analytics.histories.noise import median
from analytics.histories.scale import ValueScale

# Half-width of a 95 % interval, in standard errors.
NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Found:
    """What a search gives, the points with the noise that it found."""

    changes: tuple[ChangePoint, ...]
    undecided: tuple[Undecided, ...]
    points: Points
    autocorrelation: float | None = None
    wanders: bool | None = None

    def change_points(self, settings: ChangePointSettings, *, enough_data: bool) -> ChangePoints:
        """Return what is told of the series."""
        if self.points.scale is ValueScale.LOG:
            reference = Reference.LEVEL_BEFORE
        else:
            is_given = settings.reference_level is not None
            reference = Reference.REFERENCE_LEVEL if is_given else Reference.MEDIAN_MAGNITUDE
        return ChangePoints(
            changes=self.changes,
            undecided=self.undecided,
            enough_data=enough_data,
            relative_to=reference,
            noise=math.sqrt(median(self.points.variances)) / self.points.unit,
            autocorrelation=self.autocorrelation,
            wanders=self.wanders,
        )


def change_at(
    points: Points,
    bounds: Sequence[int],
    inner: int,
    *,
    settings: ChangePointSettings,
    certainty: float,
    chance: float,
    phi: float = 0.0,
) -> ChangePoint:
    """Return the change at `bounds[inner]`, between the levels beside it, under noise of autocorrelation `phi`."""
    start, middle, end = bounds[inner - 1 : inner + 2]
    before, after = points.level(start, middle), points.level(middle, end)
    part = slice(start, end)
    probabilities = location_probabilities(
        points.positions[part], points.y[part], points.variances[part], phi
    )
    # The standard error of the step is larger where the points scatter more than their noise says.
    total = scatter = 0.0
    for side, level in ((slice(start, middle), before), (slice(middle, end), after)):
        weights = 1.0 / points.variances[side]
        total += 1.0 / float(weights.sum())
        scatter += float(weights @ (points.y[side] - level) ** 2)
    freedom = end - start - 2
    # The mean of n values of AR(1) noise varies as that of n (1 - phi) / (1 + phi) independent ones.
    total *= (1.0 + phi) / (1.0 - phi)
    error = float(np.sqrt(total * max(1.0, scatter / freedom if freedom else 1.0)))
    margin = NORMAL_95 * error
    before_plain, after_plain = points.plain(before), points.plain(after)
    first, last = likeliest_brackets(probabilities, middle - start - 1)
    return ChangePoint(
        bracket_before=int(points.positions[middle - 1]),
        bracket_after=int(points.positions[middle]),
        earliest=int(points.positions[start + first]),
        latest=int(points.positions[start + last + 1]),
        absolute_size=after_plain - before_plain,
        relative_size=points.relative(before, after),
        relative_low=points.relative(before, after - margin),
        relative_high=points.relative(before, after + margin),
        reference=before_plain if points.scale is ValueScale.LOG else points.unit,
        certainty=certainty,
        chance=chance,
        is_candidate=certainty < CERTAIN or chance > settings.certain_rate,
        location_probability=float(probabilities[middle - start - 1]),
    )


def undecided_points(
    points: Points,
    decided: IntArray,
    kept: Points,
    bounds: Sequence[int],
    changes: Sequence[ChangePoint],
) -> tuple[Undecided, ...]:
    """Describe the points set aside, run by run; those inside a change's bracket are part of that change.

    `kept` are the points of the `decided` indices, in segments between the bounds 0, ..., n.
    """
    if len(decided) == len(points):
        return ()
    segments = [
        (int(kept.positions[a]), int(kept.positions[b - 1]), kept.level(a, b)) for a, b in pairwise(bounds)
    ]
    aside = np.delete(np.arange(len(points)), decided)
    runs = np.split(aside, np.flatnonzero(np.diff(aside) > 1) + 1) if len(aside) else []
    found = []
    for run in runs:
        first, last = int(points.positions[run[0]]), int(points.positions[run[-1]])
        if any(c.bracket_before < first and last < c.bracket_after for c in changes):
            continue
        level = points.level(int(run[0]), int(run[-1]) + 1)
        *_, nearest = min(segments, key=lambda ends: max(ends[0] - last, first - ends[1], 0))
        size = points.relative(nearest, level)
        is_inside = len(run) > 1 and last < int(points.positions[-1])
        found.append(Undecided(first, last, size, went_away=is_inside))
    return tuple(found)
