"""Which of many series differ between two revisions beyond their noise, and by how much.

A difference is that of the two medians that the points of histories hold, and its noise is that of the history: what
repetitions scatter, and where they say too little, what neighbouring revisions differ by. Few values tell that badly, so each
variance is drawn towards those of its group as far as these are alike (Smyth 2004), and where neighbours tell it, tails are as
heavy as theirs. Of all that is told a known share is noise at most (Benjamini and Hochberg 1995).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, polygamma, stdtr, stdtrit
from scipy.stats import false_discovery_control

from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.noise import POOLED_FREEDOM, median, neighbour_variance, repetition_variances
from analytics.histories.scale import LARGEST_LOG, ValueScale, scale_and_unit
from analytics.histories.settings import HistorySettings, NoisePolicy
from analytics.power import changes_of_speed, slow_runs

# Of all series that are told to differ so many are noise, on average, at most.
FALSE_DISCOVERY_RATE = 0.05
# A median of absolute successive differences tells a variance as well as so many degrees of freedom for each of them.
FREEDOM_OF_DIFFERENCE = 0.25
# Fewer series tell nothing of one another's noise; fewer differences nothing of its tails.
FEWEST_SERIES, FEWEST_DIFFERENCES = 10, 200
# Neighbours are compared up to so many measured revisions apart.
FARTHEST = 4
# Fewer values tell no modes; and values that change between two groups less often than this made a step.
FEWEST_OF_MODES, FEWEST_CHANGES = 24, 4
# Degrees of freedom that are as good as any more; and the heaviest tails that are looked for.
MANY, FEW = 200.0, 1.0


@dataclass(frozen=True, slots=True, eq=False)
class ComparedSeries:
    """The points of one series around two revisions at the positions `before` and `after`, both measured.

    `settings` are those of its history. Series of one `group` are thought to be about equally noisy. Values of an `exact`
    one have no noise.
    """

    measurements: Measurements
    before: int
    after: int
    settings: HistorySettings
    group: Hashable
    exact: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RevisionDifferences:
    """What m series differ by, each (m,): from the earlier to the later revision.

    `relative` is a share of the value before, or of the reference level, with its 95 % interval `low` to `high`; `absolute` with
    `absolute_low` and `absolute_high` is the same in the metric's unit. NaN where the noise is not known. `false_discovery_rate` is the
    smallest share of noise among all that would be told with this one: 0 for exact values, NaN where nothing is known.
    """

    absolute: FloatArray
    absolute_low: FloatArray
    absolute_high: FloatArray
    relative: FloatArray
    low: FloatArray
    high: FloatArray
    false_discovery_rate: FloatArray

    @property
    def differs(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which differ beyond their noise, (m,): of these at most `FALSE_DISCOVERY_RATE` are noise on average."""
        return np.asarray((self.false_discovery_rate <= FALSE_DISCOVERY_RATE) & (self.absolute != 0))

    @property
    def at_least(self) -> FloatArray:
        """How much each differs at least, a share: the end of its interval that is nearer to zero; 0 where that holds zero, (m,)."""
        nearest = np.where(self.low > 0, self.low, np.where(self.high < 0, -self.high, 0.0))
        return np.asarray(np.nan_to_num(nearest))


@dataclass(frozen=True, slots=True, eq=False)
class _OneSeries:
    """A difference on the scale of the history, its variance, and how surely that is known.

    `neighbours` are the differences of neighbouring values, in their standard deviations. `own` is what repetitions of the two
    revisions scatter, a share of what those of all scatter, with `own_freedom`; 0 where that is not known.
    """

    difference: float
    variance: float
    freedom: float
    neighbours: FloatArray
    own: float
    own_freedom: float
    value: float
    unit: float
    is_log: bool

    @classmethod
    def of(cls, series: ComparedSeries) -> Self:
        """What one series tells of itself. Raises `HistoryError`."""
        points = series.measurements
        scale, unit = scale_and_unit(
            points.values,
            log_scale=series.settings.log_scale,
            reference_level=series.settings.reference_level,
        )
        levels = scale.forward(points.values)
        ends = np.searchsorted(points.positions, [series.before, series.after])
        apart = min(max(abs(int(ends[1]) - int(ends[0])), 1), FARTHEST)
        floor = (series.settings.noise_floor * unit) ** 2
        within = repetition_variances(points, scale)
        neighbours = np.zeros(0)
        if within is not None and series.settings.noise is NoisePolicy.REPETITIONS:
            variances, freedom = np.maximum(within, floor), _repeated(points)
        else:
            variances, freedom = cls.beside_neighbours(points, levels, apart, within)
            variances = np.maximum(variances, floor)
            if freedom > 0:
                neighbours = np.abs(levels[apart:] - levels[:-apart])
                neighbours /= np.sqrt(variances[apart:] + variances[:-apart])
        scatter = (points.spreads / points.values) ** 2
        known = scatter[~np.isnan(scatter)]
        # Of two revisions alone no scatter is unusual.
        usual = float(known.mean()) if len(known) > len(ends) else 0.0
        own = scatter[ends]
        return cls(
            difference=float(levels[ends[1]] - levels[ends[0]]),
            variance=float(variances[ends].sum()),
            freedom=freedom,
            neighbours=neighbours,
            own=float(own[~np.isnan(own)].sum()) / len(own) / usual if usual else 0.0,
            own_freedom=float((points.repetitions[ends] - 1).sum()),
            value=float(points.values[ends[0]]),
            unit=unit,
            is_log=scale is ValueScale.LOG,
        )

    @staticmethod
    def together(series: Sequence["_OneSeries"]) -> tuple[FloatArray, FloatArray]:
        """The variances of one group (k,) and their degrees of freedom, after what all of it tell of each and of the tails."""
        variances, freedom, own, own_freedom = (
            np.array([getattr(one, name) for one in series])
            for name in ("variance", "freedom", "own", "own_freedom")
        )
        known = (freedom > 0) & (variances > 0)
        if known.sum() < FEWEST_SERIES:
            return variances, freedom
        prior, common = prior_variance(variances[known], freedom[known])
        told = np.where(known, freedom, 0.0)
        moderated = (prior * common + told * np.where(known, variances, 0.0)) / (prior + told)
        sure = np.minimum(prior + told, MANY)
        # Where a revision's repetitions scatter now more, now less than they should, outliers are among them.
        scattered = (own > 0) & (own_freedom > 0)
        if scattered.sum() >= FEWEST_SERIES:
            sure = np.minimum(sure, prior_variance(own[scattered], own_freedom[scattered])[0] + own_freedom)
        scaled = [
            one.neighbours * np.sqrt(one.variance / after)
            for one, after in zip(series, moderated, strict=True)
        ]
        apart = np.concatenate(scaled)
        if len(apart) >= FEWEST_DIFFERENCES:
            middle, far = np.quantile(apart, [0.5, 0.95])
            heavy = freedom_of_tails(far / middle) if middle > 0 else FEW
            sure = np.minimum(sure, heavy)
            # Where neighbours differ by more than they should, so do any two.
            moderated *= max((middle / stdtrit(heavy, 0.75)) ** 2, 1.0)
        return moderated, sure

    @staticmethod
    def beside_neighbours(
        points: Measurements, levels: FloatArray, apart: int, within: FloatArray | None
    ) -> tuple[FloatArray, float]:
        """The variance of each value (n,), and its degrees of freedom; 0 where nothing tells it.

        Neighbours are compared as far `apart` as the two revisions are: autocorrelated noise moves further in more revisions.
        """
        between = neighbour_variance(levels, apart)
        of_neighbours = FREEDOM_OF_DIFFERENCE * (len(points) - apart) / apart if between is not None else 0.0
        if within is None:
            return np.full(len(points), between or 0.0), of_neighbours
        inside = median(within)
        outside = max((between or 0.0) - inside, 0.0)
        # Of a sum of two variances (Satterthwaite 1946).
        parts = inside**2 / max(_repeated(points), 1.0) + outside**2 / max(of_neighbours, 1.0)
        return within + outside, min((inside + outside) ** 2 / parts, MANY) if parts else MANY


def revision_differences(series: Sequence[ComparedSeries]) -> RevisionDifferences:
    """Compare each series at its two revisions. Raises `HistoryError`."""
    found = [_OneSeries.of(one) for one in series]
    difference, variance, freedom, value, unit = (
        np.array([getattr(one, name) for one in found], dtype=np.float64)
        for name in ("difference", "variance", "freedom", "value", "unit")
    )
    is_log = np.array([one.is_log for one in found], dtype=bool)
    exact = np.array([one.exact for one in series], dtype=bool)
    numbers = {group: number for number, group in enumerate(dict.fromkeys(one.group for one in series))}
    groups = np.array([numbers[one.group] for one in series], dtype=np.int64)
    for number in range(len(numbers)):
        own = np.flatnonzero((groups == number) & ~exact)
        variance[own], freedom[own] = _OneSeries.together([found[at] for at in own])
    known = freedom > 0
    wide, chance = np.full(len(found), np.nan), np.full(len(found), np.nan)
    spread = np.sqrt(variance[known])
    wide[known] = stdtrit(freedom[known], 0.975) * spread
    chance[known] = 2 * stdtr(freedom[known], -np.abs(difference[known]) / spread)
    share = np.full(len(found), np.nan)
    if known.any():
        share[known] = false_discovery_control(chance[known])
    wide[exact], share[exact] = 0.0, 0.0
    # The difference, and both ends of its interval.
    ends = [difference, difference - wide, difference + wide]
    relative = [np.where(is_log, np.expm1(np.minimum(end, LARGEST_LOG)), end / unit) for end in ends]
    absolute = [np.where(is_log, part * value, end) for part, end in zip(relative, ends, strict=True)]
    return RevisionDifferences(
        absolute=absolute[0],
        absolute_low=absolute[1],
        absolute_high=absolute[2],
        relative=relative[0],
        low=relative[1],
        high=relative[2],
        false_discovery_rate=share,
    )


def modes_apart(positions: IntArray, values: FloatArray, before: int, after: int) -> float | None:
    """Return how far two modes lie apart between which values (n,) at positions (n,) change, a share; None for one mode.

    What the two revisions at `before` and `after` differ by is taken out first: each value is compared with those nearer to
    the same one. None, too, where fewer than 24 values tell nothing, or not all are positive.
    """
    if len(values) < FEWEST_OF_MODES or not (values > 0).all():
        return None
    later = np.abs(positions - after) < np.abs(positions - before)
    level = np.where(later, np.median(values[later]), np.median(values[~later]))
    shares = values / level
    slow = slow_runs(shares)
    if slow is None or changes_of_speed(slow) < FEWEST_CHANGES:
        return None
    return float(np.median(shares[slow]) / np.median(shares[~slow])) - 1


def _repeated(points: Measurements) -> float:
    """The degrees of freedom of what repetitions scatter; standard errors come without, each counts as so many."""
    repeated = float(np.where(np.isnan(points.spreads), 0, points.repetitions - 1).sum())
    return min(repeated or POOLED_FREEDOM * float((~np.isnan(points.errors)).sum()), MANY)


def prior_variance(variances: FloatArray, freedom: FloatArray) -> tuple[float, float]:
    """The degrees of freedom that the variances of others stand for, and their common variance (Smyth 2004, section 6.2)."""
    half = freedom / 2
    logs = np.log(variances) - digamma(half) + np.log(half)
    beyond = float(logs.var(ddof=1) - polygamma(1, half).mean())
    # How far variances differ from one another beyond what few values make of them.
    low, high = (float(polygamma(1, end / 2)) for end in (MANY, FEW))
    if beyond <= low:
        prior = MANY
    else:
        prior = FEW if beyond >= high else float(brentq(lambda d: polygamma(1, d / 2) - beyond, FEW, MANY))
    return prior, float(np.exp(logs.mean() + digamma(prior / 2) - np.log(prior / 2)))


def freedom_of_tails(ratio: float) -> float:
    """Return the degrees of freedom of Student's t whose 97.5 % quantile is `ratio` times its 75 % quantile."""

    def apart(freedom: float) -> float:
        return float(stdtrit(freedom, 0.975) / stdtrit(freedom, 0.75)) - ratio

    if apart(MANY) >= 0:
        return MANY
    return FEW if apart(FEW) <= 0 else float(brentq(apart, FEW, MANY))
