"""Steps that survive: a liberal search proposes, what noise, drift or a passing excursion explains goes, weakest first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
from scipy.special import bdtrc, expit

from analytics.changepoints.changes import ChangePointSettings
from analytics.changepoints.evidence import SeriesLikelihood, StepEvidence
from analytics.changepoints.places import INDEPENDENT, gains_within, placed_by_density, settled
from analytics.changepoints.points import Points
from analytics.changepoints.proposals import proposed_together
from analytics.changepoints.robust import CLIP, autocorrelation, clipped, deviation
from analytics.histories.measurements import FloatArray
from analytics.histories.noise import median

# A level has at least so many points; fewer are an excursion, or undecided at the end.
SHORTEST = 5
# A level of fewer points whose neighbours agree went away again and is set aside.
PASSING = 12
# The penalty of the search that proposes, in units of log n times the long-run variance.
PROPOSING = 1.5
# The false-alarm rate that the limits below were set for, by simulation (`benchmarks.bench_false_alarms`).
CALIBRATED_RATE = 0.01
# Twice the log-likelihood that a step must win over one level, over one level and the best drift together, or beyond a drift.
OVER_LEVEL, TOGETHER, BEYOND_DRIFT = 14.0, 28.0, 22.0
# Of the points of a level of fewer than so many, this share lies beyond half way.
SHORT_LEVEL, SHORT_LEVEL_SHARE = 12, 0.67
# Twice the log-likelihood that a step must win over a random walk, or beyond it: so much, and less where few points tell.
OVER_WANDER, WANDER_FEW, WANDER_POINTS = 14.0, 6.0, 12.0
# The log odds of a step: a logistic regression on the kinds of noise that limits were chosen with, half of the series with a
# step. Evidence beyond the largest says nothing more: what is left then is that a short level may be something else.
ODDS, ODDS_DRIFT, ODDS_WANDER, ODDS_SHARE = 0.8, 0.18, 0.08, 1.8
LARGEST_EVIDENCE, LONG_LEVEL = 25.0, 50
# What is less likely a step than not is not even a candidate.
LEAST_CERTAINTY = 0.5
# From so many points on a series tells the autocorrelation of its own noise.
TELLS_AUTOCORRELATION = 100
# How far the autocorrelation of a shorter one lies from that of alike series, which may differ; or from none, where nothing is known.
POOLED_SPREAD, ALONE_SPREAD = 0.25, 0.35
# A third of the kinds of noise behind the odds above wander. Where fewer alike series do, a short one's step is likelier by so much.
USUAL_WANDER, LEAST_WANDER = 1.0 / 3.0, 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """The steps of a series that survive.

    `points` (n,) are those of the levels: their outliers are clipped, their variances are those of their noise, and `phi` is
    its lag-one autocorrelation; `wander` is twice the log-likelihood that a random walk below the noise wins over that, None
    where points are too few. `bounds` are 0, ..., n; `certainties` are the probabilities that each inner bound is a
    step, (m,), `chances` the false-alarm rates at which each would just stand.
    """

    points: Points
    phi: float
    wander: float | None
    bounds: list[int]
    certainties: list[float]
    chances: list[float]


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """What the elimination of a series begins with: its values with clipped outliers, (n,), and the ends that are proposed."""

    clipped: FloatArray
    ends: list[int]


def proposals(given: Sequence[tuple[Points, ChangePointSettings]]) -> list[Proposal]:
    """Return what the eliminations of several series begin with: of many together in less time than one by one."""
    values: list[FloatArray] = []
    # By the fewest points of a level: which series, and the penalty of each.
    asked: dict[int, list[tuple[int, float]]] = {}
    for at, (points, settings) in enumerate(given):
        floor = settings.noise_floor * points.unit
        values.append(clipped(points.y, floor))
        phi, variance = autocorrelation(values[-1], floor)
        innovation = variance * (1.0 - phi)
        if settings.autocorrelation is not None and len(points) < TELLS_AUTOCORRELATION:
            phi = min(phi, settings.autocorrelation)
        penalty = PROPOSING * float(np.log(len(points))) * innovation * (1.0 + phi) / (1.0 - phi) ** 2
        asked.setdefault(_shortest(settings), []).append((at, penalty))
    ends: list[list[int]] = [[]] * len(values)
    for shortest, some in asked.items():
        centred = [values[at] - values[at].mean() for at, _ in some]
        proposed = proposed_together(centred, [penalty for _, penalty in some], shortest)
        for (at, _), own in zip(some, proposed, strict=True):
            ends[at] = own
    return [Proposal(*one) for one in zip(values, ends, strict=True)]


def surviving_steps(points: Points, settings: ChangePointSettings, proposal: Proposal) -> Steps:
    """Return the steps of a series of at least two times `SHORTEST` points, and its noise."""
    search = _Elimination(points, settings, proposal)
    while (passing := search.run()) is not None:
        kept = np.delete(np.arange(search.n), np.s_[passing[0] : passing[1]])
        if len(kept) < 2 * SHORTEST:
            break
        left = search.points.only(kept)
        search = _Elimination(left, settings, *proposals([(left, settings)]))
    phi = search.likelihood.autocorrelation(search.bounds)
    bounds = search.placed(phi)
    known = replace(
        search.points, y=search.clipped_about(bounds), variances=search.likelihood.variances(bounds)
    )
    wander = (
        search.likelihood.wander_of_levels(search.bounds) if len(known) >= TELLS_AUTOCORRELATION else None
    )
    return Steps(known, phi, wander, bounds, search.certainties, search.chances)


def _shortest(settings: ChangePointSettings) -> int:
    return max(SHORTEST, settings.minimum_points)


class _Elimination:
    """One search: the bounds of its levels get fewer until every step stands."""

    def __init__(self, points: Points, settings: ChangePointSettings, proposal: Proposal) -> None:
        self.points = points
        self.y = points.y
        self.n = len(points)
        self.effect = settings.minimum_effect
        self.shortest = _shortest(settings)
        self.floor = settings.noise_floor * points.unit
        self.rate = settings.false_alarm_rate
        self._median_of: dict[tuple[int, int], float] = {}
        self._chance_of: dict[tuple[int, int, int], float] = {}
        # A short series has the autocorrelation of others or, where nothing is known, rather little.
        prior = None if self.n >= TELLS_AUTOCORRELATION else settings.autocorrelation or 0.0
        spread = ALONE_SPREAD if settings.autocorrelation is None else POOLED_SPREAD
        self.likelihood = SeriesLikelihood(proposal.clipped, points.variances, self.floor, prior, spread)
        # The tail of twice a log-likelihood falls as exp(-x / 2).
        stricter = 2.0 * float(np.log(CALIBRATED_RATE / self.rate))
        self.least_over_level = OVER_LEVEL + stricter
        self.least_together = TOGETHER + stricter
        self.least_beyond_drift = BEYOND_DRIFT + stricter
        # Drifts look like steps where points are few: then less can be asked for.
        self.least_over_drift = min(10.0, max(1.5, 2.0 + (self.n - 40) / 20))
        self.least_over_wander = min(OVER_WANDER, WANDER_FEW + self.n / WANDER_POINTS) + stricter
        # The log odds that alike series add to those of a step.
        self.steadiness = 0.0
        if self.n < TELLS_AUTOCORRELATION and settings.wander is not None:
            self.steadiness = max(math.log(USUAL_WANDER / max(settings.wander, LEAST_WANDER)), 0.0)
        self.bounds = self._settled([0, *proposal.ends])
        self.certainties: list[float] = []
        self.chances: list[float] = []

    def run(self) -> tuple[int, int] | None:
        """Leave the bounds of the steps that stand, with their certainties; or return the bounds of a passing level."""
        while len(self.bounds) > 2:
            bounds = self.bounds
            over_level = self.likelihood.over_level(bounds)
            gone = self._weak(bounds, over_level)
            # A walk explains the only step: no drift need be asked.
            if (
                gone is None
                and len(bounds) == 3
                and self.likelihood.over_wander(bounds)[0] + 2.0 * self.steadiness < self.least_over_wander
            ):
                gone = 1
            if gone is None:
                evidence = self.likelihood.evidence(bounds, over_level)
                certainties = [self._certainty(one, bounds, i) for i, one in enumerate(evidence, 1)]
                gone = self._drifting(evidence, certainties, bounds)
                if gone is None:
                    medians = self._medians(bounds)
                    self.certainties = certainties
                    # The false-alarm rate at which noise and drifts would just not explain each.
                    margins = [
                        min(one.over_level - self.least_over_level, self._clear_of_drift(one, bounds))
                        for one in evidence
                    ]
                    self.chances = [
                        max(
                            self.rate * math.exp(-some / 2.0), self._chance_of_most_points(bounds, medians, i)
                        )
                        for i, some in enumerate(margins, 1)
                    ]
                    return self._passing(bounds)
            left = self.likelihood.without(bounds, gone)
            self.bounds = self._settled(left, range(max(gone - 1, 1), min(gone + 1, len(left) - 1)))
        return None

    def placed(self, phi: float) -> list[int]:
        """Return the bounds at their final places."""
        bounds = self.bounds
        if len(bounds) == 2:
            return bounds
        if phi <= INDEPENDENT:
            return placed_by_density(self.y, bounds, self.floor, self.shortest)
        for _ in range(2):
            gains_of = partial(gains_within, self.clipped_about(bounds), self.points.variances, phi)
            bounds = settled(gains_of, bounds, shortest=self.shortest)
        return bounds

    def clipped_about(self, bounds: list[int]) -> FloatArray:
        """Return the values (n,) with their residuals about the median of their level clipped."""
        levels = np.repeat(self._medians(bounds), np.diff(bounds))
        limit = CLIP * deviation(self.y - levels, self.floor)
        return np.asarray(levels + np.clip(self.y - levels, -limit, limit))

    def _settled(self, bounds: list[int], inner: range | None = None) -> list[int]:
        gains_of = partial(self.likelihood.split_gains, self.likelihood.autocorrelation(bounds))
        return settled(gains_of, bounds, shortest=self.shortest, inner=inner)

    def _medians(self, bounds: list[int]) -> list[float]:
        for a, b in pairwise(bounds):
            if (a, b) not in self._median_of:
                self._median_of[a, b] = median(self.y[a:b])
        return [self._median_of[stretch] for stretch in pairwise(bounds)]

    def _weak(self, bounds: list[int], over_level: FloatArray) -> int | None:
        """The step that noise of one level explains best, or the smallest effect, or few points; none if all stand."""
        weakest = int(over_level.argmin())
        if over_level[weakest] < self.least_over_level:
            return weakest + 1
        medians = self._medians(bounds)
        effects = [abs(self.points.relative(u, v)) for u, v in pairwise(medians)]
        smallest = effects.index(min(effects))
        if effects[smallest] < self.effect:
            return smallest + 1
        few = [
            i
            for i in range(1, len(bounds) - 1)
            if self._chance_of_most_points(bounds, medians, i) > self.rate
        ]
        return min(few, key=lambda i: float(over_level[i - 1]), default=None)

    def _chance_of_most_points(self, bounds: list[int], medians: list[float], inner: int) -> float:
        """A sign test: so many points of the shorter level lie beyond half way, at the rate of the longer one.

        The share of series that show the like anywhere by chance; 1 where too few points do.
        """
        start, middle, end = bounds[inner - 1 : inner + 2]
        if (known := self._chance_of.get((start, middle, end))) is not None:
            return known
        u, v = medians[inner - 1 : inner + 1]
        beyond = (self.y[start:end] - (u + v) / 2.0) * (v - u) > 0
        before, after = middle - start, end - middle
        out, up = np.count_nonzero(beyond[:before]), np.count_nonzero(beyond[before:])
        sides = ((before - out, before, after - up, after), (up, after, out, before))
        chance = 1.0
        if all(k >= self.shortest and (n >= SHORT_LEVEL or k >= SHORT_LEVEL_SHARE * n) for k, n, *_ in sides):
            k, n, wrong, longer = sides[int(after <= before)]
            chance = min(self.n * float(bdtrc(k - 1, n, (wrong + 1) / (longer + 2))), 1.0)
        self._chance_of[start, middle, end] = chance
        return chance

    def _drifting(
        self, evidence: list[StepEvidence], certainties: list[float], bounds: list[int]
    ) -> int | None:
        """The step that a drift explains best; none if no drift does."""
        drifting = [
            i
            for i, one in enumerate(evidence)
            if self._clear_of_drift(one, bounds) < 0.0 or certainties[i] < LEAST_CERTAINTY
        ]
        weakest = min(drifting, key=lambda i: evidence[i].over_drift + evidence[i].over_level, default=None)
        return None if weakest is None else weakest + 1

    def _clear_of_drift(self, one: StepEvidence, bounds: list[int]) -> float:
        """How far beyond the limits a step is clearer than a walk and any drift, or one level and the best drift together."""
        likelier = 2.0 * self._steadiness(bounds)
        beyond = one.beyond_drift - self.least_beyond_drift
        over_drift = one.over_drift + likelier
        if over_drift >= self.least_over_drift:
            beyond = max(beyond, over_drift + one.over_level - self.least_together)
        return min(beyond, one.over_wander + likelier - self.least_over_wander)

    def _steadiness(self, bounds: list[int]) -> float:
        """What alike series add to the log odds of a step: only where it is the only one, for several may be the stairs of a drift."""
        return self.steadiness if len(bounds) == 3 else 0.0

    def _passing(self, bounds: list[int]) -> tuple[int, int] | None:
        """The bounds of the first level of few points whose neighbours agree: within the effect, or half of its steps."""
        medians = self._medians(bounds)
        for i in range(1, len(bounds) - 2):
            u, v, w = medians[i - 1 : i + 2]
            near = max(self.effect * self.points.unit, 0.5 * min(abs(v - u), abs(v - w)))
            if bounds[i + 1] - bounds[i] < PASSING and abs(w - u) < near and (v - u) * (v - w) > 0:
                return bounds[i], bounds[i + 1]
        return None

    def _certainty(self, one: StepEvidence, bounds: list[int], inner: int) -> float:
        """The probability of a step, rather than noise, a drift, a random walk, or a short level that is none."""
        over_drift = max(one.over_drift, one.beyond_drift - BEYOND_DRIFT / 2.0)
        start, middle, end = bounds[inner - 1 : inner + 2]
        shorter = min(middle - start, end - middle, LONG_LEVEL)
        odds = ODDS + ODDS_SHARE * math.log(shorter / min(self.n, 2 * LONG_LEVEL))
        odds += ODDS_DRIFT * min(over_drift, LARGEST_EVIDENCE)
        odds += ODDS_WANDER * min(one.over_wander, LARGEST_EVIDENCE)
        odds += self._steadiness(bounds)
        return float(expit(odds))
