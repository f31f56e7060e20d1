"""Slow drift: a line through the last level of a series that autocorrelated noise and a random walk do not explain.

Cosines are nearly the principal axes of AR(1) noise, and those of a random walk of unknown start (Strang 1999, "The
discrete cosine transform"): the coefficients of a series count as independent, with the variances of its spectrum.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct
from scipy.special import stdtr

from analytics.changepoints.changes import CERTAIN, ChangePoints, ChangePointSettings
from analytics.changepoints.drifts import log_product, waves_of
from analytics.changepoints.points import points_of
from analytics.changepoints.robust import clipped
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.scale import scale_and_unit

# A level of fewer points tells no drift from noise.
FEWEST = 40
SMALLEST = 1e-12
# What is made for so many points at most is kept.
LONGEST_KEPT = 1_000
# Autocorrelations that are tried, the last of them that of a random walk, and variances of it over that of independent noise.
PHIS = np.array([0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 1.0])
RATIOS = np.geomspace(1e-5, 1e3, 25)
# A random walk is thought to be so many times as likely as each autocorrelation beforehand; and what random walks of the size
# that is hardest to see showed more often than the mixture says, by simulation (`benchmarks.bench_drifts`).
WALK, HARDEST_WALK = 20.0, 4.0


@dataclass(frozen=True, slots=True)
class SlowDrift:
    """A line from the measured position `first` to `last`, through the level after the last step.

    `absolute_size` is by how much it rises over all of that, in the metric's unit, `relative_size` its share of where it starts, or
    of the reference of the series' changes, with its 95 % interval from `relative_low` to `relative_high`. `chance` is the
    share of series without a drift that show one as clear. `certainty` is the largest posterior
    probability of a drift that this chance allows where it is as likely as none beforehand (Sellke, Bayarri & Berger 2001,
    "Calibration of p values"); it is at least one half. A candidate has not what is needed to tell it as a fact, as of a change.
    """

    first: int
    last: int
    absolute_size: float
    relative_size: float
    relative_low: float
    relative_high: float
    certainty: float
    chance: float
    is_candidate: bool


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """How far a line through values rises over them, and the share of series without one that rise as clearly.

    The rise is a mixture of Student's t of so many degrees of `freedom` with these `weights`, `rises` and `errors`, (m,) each: one
    for each noise. Of the likeliest noise: the `precisions` of the cosines, the values' `waves` in them, (n - 1,) each, and by how much
    the line lowers their `squares`, `gain`.
    """

    weights: FloatArray
    rises: FloatArray
    errors: FloatArray
    freedom: int
    precisions: FloatArray
    waves: FloatArray
    squares: float
    gain: float

    @property
    def rise(self) -> float:
        """The mean of the mixture."""
        return float(self.weights @ self.rises)

    @property
    def chance(self) -> float:
        """The mixture's tail beyond nothing, as often as random walks have it."""
        tail, other = (
            float(self.weights @ stdtr(self.freedom, way * self.rises / self.errors)) for way in (-1.0, 1.0)
        )
        return min(2.0 * HARDEST_WALK * min(tail, other), 1.0)

    def over_step(self) -> float:
        """What the line wins over the best of steps at some fifty places: twice the logarithm of the likelihood, under the likeliest noise."""
        points = len(self.waves) + 1
        places = np.unique(np.linspace(5, points - 5, 50).astype(np.int64))
        steps = np.asarray(dct((np.arange(points) >= places[:, None]) * 1.0, norm="ortho", axis=1)[:, 1:])
        best = float(((steps @ (self.precisions * self.waves)) ** 2 / (steps**2 @ self.precisions)).max())
        unit = max(self.squares - max(self.gain, best), 0.0) + SMALLEST
        return self.freedom * (self.gain - best) / unit

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the rise."""
        from scipy.optimize import brentq  # noqa: PLC0415 -- few series have a drift, and every command would import it

        reach = 50.0 * float(self.errors.max()) + float(np.ptp(self.rises))

        def beyond(size: float, share: float) -> float:
            return float(self.weights @ stdtr(self.freedom, (size - self.rises) / self.errors)) - share

        low, high = (
            float(brentq(beyond, self.rise - reach, self.rise + reach, args=(share,)))
            for share in (0.025, 0.975)
        )
        return low, high


def find_drift(
    measurements: Measurements, found: ChangePoints, settings: ChangePointSettings
) -> SlowDrift | None:
    """Return the drift of the last level of a series whose changes were `found`; None where there is none.

    Points that are undecided are left out. None, too, where a step explains the points better, below the minimum effect,
    and where more series than the false-alarm rate show one as clear by chance.
    """
    kept = _last_level(measurements.positions, found, settings)
    if kept.sum() < FEWEST:
        return None
    scale, unit = scale_and_unit(
        measurements.values, log_scale=settings.log_scale, reference_level=settings.reference_level
    )
    values = clipped(scale.forward(measurements.values[kept]) / unit, settings.noise_floor)
    # Most series go here, in a fraction of the time.
    if _chance_if_independent(values) > settings.false_alarm_rate:
        return None
    points, is_known = points_of(measurements, settings)
    if not is_known:
        return None
    level = points.only(np.flatnonzero(kept))
    line = line_through(values)
    middle = float(np.median(level.y))
    half = line.rise * level.unit / 2.0
    before, after = middle - half, middle + half
    size, chance = level.relative(before, after), line.chance
    if chance > settings.false_alarm_rate or abs(size) < settings.minimum_effect or line.over_step() < 0.0:
        return None
    low, high = (before + end * level.unit for end in line.interval())
    certainty = 0.5
    if chance < 1.0 / np.e:
        certainty = float(1.0 / (1.0 - np.e * chance * np.log(max(chance, SMALLEST))))
    return SlowDrift(
        first=int(level.positions[0]),
        last=int(level.positions[-1]),
        absolute_size=level.plain(after) - level.plain(before),
        relative_size=size,
        relative_low=level.relative(before, low),
        relative_high=level.relative(before, high),
        certainty=certainty,
        chance=chance,
        is_candidate=certainty < CERTAIN or chance > settings.certain_rate,
    )


def _last_level(positions: IntArray, found: ChangePoints, settings: ChangePointSettings) -> NDArray[np.bool_]:
    """Which points (n,) are decided and lie behind the last change and break."""
    start = max(
        [one.bracket_after for one in found.changes[-1:]] + list(settings.breaks), default=positions[0]
    )
    kept = positions >= start
    for one in found.undecided:
        kept &= (positions < one.first) | (positions > one.last)
    return np.asarray(kept)


def _chance_if_independent(values: FloatArray) -> float:
    """The chance of the line through values (n,) under independent noise: autocorrelated noise makes it larger."""
    n = len(values)
    if np.ptp(values) < SMALLEST:
        return 1.0
    # As `corrcoef`, which takes three times as long for a hundred values.
    away, places = values - values.mean(), np.arange(n) - (n - 1) / 2.0
    shared = abs(float(away @ places)) / float(np.sqrt((away @ away) * (places @ places)))
    shared = min(shared, 1.0 - SMALLEST)
    clear = shared * np.sqrt((n - 2) / (1.0 - shared**2))
    return float(2.0 * HARDEST_WALK * stdtr(n - 2, -clear))


def line_through(values: FloatArray) -> Line:
    """Return the line through values (n,) without outliers, under every noise, weighed by its restricted likelihood."""
    n = len(values)
    # A long level grows: what was kept for its former length, of no use again, would fill the memory.
    noises = _noises if n <= LONGEST_KEPT else _noises.__wrapped__
    precisions, log_determinants, prior = noises(n)
    waves, line = dct(np.array((values, np.linspace(0.0, 1.0, n))), norm="ortho", axis=1)[:, 1:]
    squares, shared, own = (precisions @ np.stack((waves**2, waves * line, line**2), axis=1)).T
    freedom = n - 2
    left = np.maximum(squares - shared**2 / own, 0.0) + SMALLEST
    logs = -0.5 * (freedom * np.log(left) + log_determinants + np.log(own))
    weights = prior * np.exp(logs - logs.max())
    weights /= weights.sum()
    rises, errors = shared / own, np.sqrt(left / freedom / own)

    likeliest = int(weights.argmax())
    gain = float(shared[likeliest] ** 2 / own[likeliest])
    return Line(
        weights, rises, errors, freedom, precisions[likeliest], waves, float(squares[likeliest]), gain
    )


# Of a thousand points 1.8 MB.
@lru_cache(maxsize=16)
def _noises(points: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the precision of each cosine but the first under every noise, (m, n - 1), log determinants and priors, (m,)."""
    # A spectrum is phi times a wave and this; a random walk's has an increment of 1, any other one the variance 1.
    besides = (1.0 - PHIS) ** 2 / PHIS
    added = RATIOS[:, None] * np.where(PHIS == 1.0, 1.0, 1.0 - PHIS**2) / PHIS
    spectra = waves_of(points) + besides[:, None]
    precisions = (spectra / (spectra + added[:, :, None])).reshape(-1, points - 1)
    logs = log_product(besides + added, points) - log_product(besides, points)
    return precisions, logs.ravel(), np.tile(np.where(PHIS == 1.0, WALK, 1.0), len(RATIOS))
