"""Find the change points of one series: search, filter by effect and by number of points, describe."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.special import expit

from analytics.changepoints.changes import (
    ChangePoint,
    ChangePoints,
    ChangePointSettings,
    Reference,
    Undecided,
)
from analytics.changepoints.points import Points, points_of
from analytics.changepoints.search import Detector, penalty_of, segment_ends
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.scale import ValueScale

# Half-width of a 95 % interval, in standard errors.
NORMAL_95 = 1.959963984540054
# How large a step may be, in standard deviations of one value.
STEP_SCALES = np.array([1.0, 3.0, 10.0, 30.0, 100.0])


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
        _change(kept, start, middle, end)
        for start, middle, end in zip(bounds, bounds[1:], bounds[2:], strict=False)
    )
    if points.scale is ValueScale.LOG:
        reference = Reference.LEVEL_BEFORE
    else:
        is_given = settings.reference_level is not None
        reference = Reference.REFERENCE_LEVEL if is_given else Reference.MEDIAN_MAGNITUDE
    return ChangePoints(
        changes=changes,
        undecided=_undecided(points, decided, kept, bounds, changes),
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


def _change(points: Points, start: int, middle: int, end: int) -> ChangePoint:
    """Return the change between the levels of start..middle-1 and middle..end-1."""
    before, after = points.level(start, middle), points.level(middle, end)
    part = slice(start, end)
    probabilities = location_probabilities(points.positions[part], points.y[part], points.variances[part])
    # The standard error of the step is larger where the points scatter more than their noise says.
    total = scatter = 0.0
    for side, level in ((slice(start, middle), before), (slice(middle, end), after)):
        weights = 1.0 / points.variances[side]
        total += 1.0 / float(weights.sum())
        scatter += float(weights @ (points.y[side] - level) ** 2)
    freedom = end - start - 2
    error = float(np.sqrt(total * max(1.0, scatter / freedom if freedom else 1.0)))
    margin = NORMAL_95 * error
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


def _undecided(
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
        found.append(Undecided(first, last, size))
    return tuple(found)


def split_gains(y: FloatArray, variances: FloatArray) -> FloatArray:
    """Return by how much each of the n - 1 splits into two levels lowers the weighted squares."""
    weights = 1.0 / variances
    weight = np.cumsum(weights)
    first = np.cumsum(weights * (y - weights @ y / weight[-1]))
    return np.asarray(first[:-1] ** 2 * (1.0 / weight[:-1] + 1.0 / (weight[-1] - weight[:-1])))


def location_probabilities(positions: IntArray, y: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the probability that the one step of these points lies in each of the n - 1 brackets.

    All arguments have shape (n,), n >= 2. Both levels have flat priors and are integrated out, the noise is
    Gaussian, and each revision is as likely as any other to bring the step.
    """
    weight = np.cumsum(1.0 / variances)
    occam = np.log(weight[:-1] * (weight[-1] - weight[:-1]))
    log_posterior = 0.5 * split_gains(y, variances) - 0.5 * occam + np.log(np.diff(positions))
    shares = np.exp(log_posterior - log_posterior.max())
    return np.asarray(shares / shares.sum())


def change_probability(positions: IntArray, y: FloatArray, variances: FloatArray) -> float:
    """Return the probability that these points have a step at all, rather than one level.

    Both are equally likely beforehand, the step lies anywhere, and its size is a normal of mean zero whose
    scale is 1, 3, 10, 30 or 100 standard deviations of a value, each as likely: the posterior odds are then
    the mean Bayes factor (Kass & Raftery 1995). The level is integrated out. 0.5 for fewer than two points.
    """
    if len(y) < 2:
        return 0.5
    weight = np.cumsum(1.0 / variances)
    errors = 1.0 / weight[:-1] + 1.0 / (weight[-1] - weight[:-1])
    gains = split_gains(y, variances)
    sizes = (STEP_SCALES * np.sqrt(np.median(variances)))[:, None] ** 2
    shrink = sizes / (sizes + errors)
    logs = 0.5 * gains * shrink + 0.5 * np.log1p(-shrink)
    prior = np.diff(positions) / (positions[-1] - positions[0])
    largest = float(logs.max())
    # scipy's logsumexp takes ten times as long for arrays as short as these.
    mean_factor = float((np.exp(logs - largest) @ prior).mean())
    return float(expit(largest + np.log(mean_factor)))
