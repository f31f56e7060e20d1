"""Find the change points of one series: of few points by their known noise, of more those that survive noise and drift."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.special import expit, ndtr, stdtr

from analytics.changepoints.changes import (
    CERTAIN,
    ChangePoint,
    ChangePoints,
    ChangePointSettings,
    Reference,
    Undecided,
)
from analytics.changepoints.elimination import SHORTEST, TELLS_AUTOCORRELATION, surviving_steps
from analytics.changepoints.places import (
    gains_within,
    likeliest_brackets,
    location_probabilities,
    settled,
    split_gains,
)
from analytics.changepoints.points import Points, points_of
from analytics.changepoints.robust import deviation
from analytics.changepoints.search import Detector, penalty_of, segment_ends
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.scale import ValueScale

# Half-width of a 95 % interval, in standard errors.
NORMAL_95 = 1.959963984540054
# From so many points on their noise is modelled; of fewer its autocorrelation cannot be told.
MODELLED_FROM = 20
# Points that differ lie so many robust standard deviations from their level.
FAR = 4.0
# How large a step may be, in standard deviations of one value.
STEP_SCALES = np.array([1.0, 3.0, 10.0, 30.0, 100.0])


def find_change_points(
    measurements: Measurements,
    settings: ChangePointSettings | None = None,
    detector: Detector | None = None,
) -> ChangePoints:
    """Return the change points of one series, each with its bracket and its size. Deterministic.

    Of at least 20 points the noise may be autocorrelated, heavy-tailed, of several modes or in bursts, and levels may
    drift: a step is claimed where nothing of that explains it (`elimination`).

    The noise is independent of fewer points, where it is known, with a detector, and below 100 points where repetitions
    explain what neighbours scatter. It is the spread of repetitions plus what neighbouring revisions scatter beyond it,
    and at least the floor. Segments are then found by the detector, by default PELT with the penalty of `penalty_of`.
    Neighbouring levels closer than the minimum effect are joined, the closest first. Levels of too few points are set
    aside as undecided, and the rest is searched again.
    """
    settings = settings or ChangePointSettings()
    points, noise_known = points_of(measurements, settings)
    enough = noise_known and len(points) >= 2 * settings.minimum_points
    # Runs of several revisions are made in random order: what their repetitions explain is independent.
    is_known = settings.known_noise is not None or (
        points.is_explained and len(points) < TELLS_AUTOCORRELATION
    )
    if detector is None and not is_known and len(points) >= MODELLED_FROM:
        found = _modelled(points, settings)
    else:
        found = _independent(points, settings, detector or segment_ends, enough=enough)
    if points.scale is ValueScale.LOG:
        reference = Reference.LEVEL_BEFORE
    else:
        is_given = settings.reference_level is not None
        reference = Reference.REFERENCE_LEVEL if is_given else Reference.MEDIAN_MAGNITUDE
    return ChangePoints(
        changes=found.changes,
        undecided=found.undecided,
        enough_data=enough,
        relative_to=reference,
        noise=float(np.sqrt(np.median(found.points.variances))) / points.unit,
        autocorrelation=found.autocorrelation,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What either search gives, and the points with the noise that it found."""

    changes: tuple[ChangePoint, ...]
    undecided: tuple[Undecided, ...]
    points: Points
    autocorrelation: float | None = None


def _modelled(points: Points, settings: ChangePointSettings) -> _Found:
    """Search with noise that may be autocorrelated; the last points may be the beginning of a level: undecided."""
    steps = surviving_steps(points, settings)
    known, bounds = steps.points, steps.bounds
    changes = tuple(
        _change(known, bounds, i, settings=settings, certainty=certainty, chance=chance, phi=steps.phi)
        for i, (certainty, chance) in enumerate(zip(steps.certainties, steps.chances, strict=True), 1)
    )
    kept = np.searchsorted(points.positions, known.positions)
    decided = kept[~_is_open(points.only(kept), known, bounds, settings)]
    return _Found(
        changes,
        _undecided(points, decided, known, bounds, changes),
        known,
        steps.phi if len(known) >= TELLS_AUTOCORRELATION else None,
    )


def _is_open(
    points: Points, known: Points, bounds: Sequence[int], settings: ChangePointSettings
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether each point lies far from its level, and that is worth telling.

    It is where a revision beside it that nobody measured would decide, and at the end, where those to come will.
    """
    levels = np.repeat([known.level(a, b) for a, b in pairwise(bounds)], np.diff(bounds))
    away = points.y - levels
    # Not the noise of the model: some points that lie together far away pass for autocorrelation there.
    weights = np.sqrt(known.variances / known.variances.mean())
    spread = deviation(away / weights, settings.noise_floor * points.unit) * weights
    least = np.maximum(FAR * spread, settings.minimum_effect * points.unit)
    sign = np.where(np.abs(away) > least, np.sign(away), 0)
    is_open = np.zeros(len(points), dtype=bool)
    for a, b in pairwise([0, *(np.flatnonzero(np.diff(sign)) + 1), len(points)]):
        if sign[a] and b - a < SHORTEST:
            is_last = b == len(points) and b - a > 1
            gap = points.positions[min(b, len(points) - 1)] - points.positions[max(a - 1, 0)]
            is_open[a:b] = is_last or gap > b - a + 1
    return is_open


def _independent(
    points: Points, settings: ChangePointSettings, detector: Detector, *, enough: bool
) -> _Found:
    """Search with independent noise of known size."""
    everything = np.arange(len(points))
    penalty = penalty_of(len(points))
    decided, bounds = (
        _decide(points, penalty, settings, detector) if enough else (everything, [0, len(points)])
    )
    kept = points.only(decided)
    changes = []
    for i in range(1, len(bounds) - 1):
        part = kept.only(np.arange(bounds[i - 1], bounds[i + 1]))
        chance = chance_of_step(part, len(points))
        # The probability knows nothing of how few values may tell the noise.
        certainty = min(change_probability(part.positions, part.y, part.variances), 1.0 - chance)
        changes.append(_change(kept, bounds, i, settings=settings, certainty=certainty, chance=chance))
    return _Found(tuple(changes), _undecided(points, decided, kept, bounds, changes), points)


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
        moving = range(max(smallest, 1), min(smallest + 2, len(bounds) - 1))
        bounds = settled(partial(gains_within, points.y, points.variances, 0.0), bounds, inner=moving)
        levels[first : smallest + 2] = [points.level(a, b) for a, b in pairwise(bounds[first : smallest + 3])]
    return bounds


def _change(
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


def _undecided(
    points: Points,
    decided: IntArray,
    kept: Points,
    bounds: Sequence[int],
    changes: Sequence[ChangePoint],
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
        is_inside = len(run) > 1 and run[-1] < len(points) - 1
        found.append(Undecided(first, last, size, went_away=is_inside))
    return tuple(found)


def chance_of_step(points: Points, places: int) -> float:
    """Return the share of series of so many `places`, without any step, that show one as clear as these points do.

    The contrast of two means in standard errors, under Gaussian noise or Student's where few values tell the noise, at
    the best of all places (Bonferroni): rather too large, since neighbouring places resemble one another.
    """
    if len(points) < 2:
        return 1.0
    clear = float(np.sqrt(points.enlarged * split_gains(points.y, points.variances).max()))
    tail = ndtr(-clear) if np.isinf(points.freedom) else stdtr(points.freedom, -clear)
    return min(2.0 * (places - 1) * float(tail), 1.0)


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
