"""Find the change points of one series: of few points by their known noise, of more those that survive noise and drift."""

from functools import partial
from itertools import pairwise

import numpy as np
from scipy.special import expit, ndtr, stdtr

from analytics.changepoints.changes import ChangePoints, ChangePointSettings
from analytics.changepoints.elimination import TELLS_AUTOCORRELATION
from analytics.changepoints.found import Found, change_at, undecided_points
from analytics.changepoints.growing import LONGEST_WHOLE, search_growing
from analytics.changepoints.noise_search import modelled
from analytics.changepoints.places import gains_within, settled, split_gains
from analytics.changepoints.points import Points, points_of
from analytics.changepoints.search import Detector, penalty_of, segment_ends
from analytics.histories.measurements import FloatArray, IntArray, Measurements

# From so many points on their noise is modelled; of fewer its autocorrelation cannot be told.
MODELLED_FROM = 20
# How large a step may be, in standard deviations of one value.
STEP_SCALES = np.array([1.0, 3.0, 10.0, 30.0, 100.0])


def find_change_points(
    measurements: Measurements,
    settings: ChangePointSettings | None = None,
    detector: Detector | None = None,
) -> ChangePoints:
    """Return the change points of one series, each with its bracket and its size. Deterministic.

    Of at least 20 points the noise may be autocorrelated, heavy-tailed, of several modes or in bursts, and levels may
    drift: a step is claimed where nothing of that explains it (`elimination`). More than 1,000 are searched stretch by stretch
    (`growing`).

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
        if len(points) > LONGEST_WHOLE:
            return search_growing(measurements, settings).change_points()
        found = modelled(points, settings)
    else:
        found = _independent(points, settings, detector or segment_ends, enough=enough)
    return found.change_points(settings, enough_data=enough)


def _independent(points: Points, settings: ChangePointSettings, detector: Detector, *, enough: bool) -> Found:
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
        changes.append(change_at(kept, bounds, i, settings=settings, certainty=certainty, chance=chance))
    return Found(tuple(changes), undecided_points(points, decided, kept, bounds, changes), points)


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
