"""A history that grows by one measurement at a time: exact updates, and variances fitted anew now and then."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.brownian import RandomWalkSolver, predict_levels
from analytics.histories.dense import Standard
from analytics.histories.evidence import Evidence
from analytics.histories.history import fit
from analytics.histories.matern import TrackedMatern
from analytics.histories.measurements import Measurements
from analytics.histories.scale import ValueScale
from analytics.histories.state_space import PROCESSES

if TYPE_CHECKING:
    from collections.abc import Callable

    from analytics.histories.acquisition import Acquisition
    from analytics.histories.change_prior import ChangePrior
    from analytics.histories.fitted import FittedHistory
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.settings import HistorySettings

# The variances are fitted anew once the measurements grew by this share, and after each of the first few.
GROWTH = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class TrackedLevels:
    """The posterior of a Brownian history at n measured positions, given its variances.

    `positions` (or their prior weight), `means` and `variances` have shape (n,), `covariances` of neighbours
    (n - 1,), the latter on the fitted scale.
    """

    positions: FloatArray
    means: FloatArray
    variances: FloatArray
    covariances: FloatArray
    step_variance: float

    @classmethod
    def of(
        cls, positions: FloatArray, y: FloatArray, noise_variances: FloatArray, step_variance: float
    ) -> TrackedLevels:
        """Condition on positions, values and noise variances, (n,) each."""
        levels = RandomWalkSolver(np.diff(positions), y).posterior(
            noise_variances[None, :], np.array([step_variance])
        )
        found = levels.means[0], levels.variances[0], levels.covariances[0]
        return cls(positions, *found, step_variance)

    def absorb(self, position: float, y: float, noise_variance: float) -> TrackedLevels:
        """Return the levels after one more measurement, at a position without one. Exact, O(n).

        A Kalman update: the history is Markov, so the covariance of a far level with the new one is a product
        of neighbours' regressions.
        """
        place = int(np.searchsorted(self.positions, position))
        prior_mean, *parts = (float(part[0]) for part in self._prior(position))
        prior_variance = sum(parts)
        beside = self._covariances(position, place)
        share = 1.0 / (prior_variance + noise_variance)
        surprise = (y - prior_mean) * share
        means = self.means + beside * surprise
        variances = self.variances - beside**2 * share
        covariances = self.covariances - beside[:-1] * beside[1:] * share
        own = noise_variance * share
        joints = beside[max(place - 1, 0) : place + 1] * own
        return TrackedLevels(
            np.insert(self.positions, place, position),
            np.insert(means, place, prior_mean + prior_variance * surprise),
            np.insert(variances, place, prior_variance * own),
            np.concatenate([covariances[: max(place - 1, 0)], joints, covariances[place:]]),
            self.step_variance,
        )

    def _prior(self, position: float) -> tuple[FloatArray, FloatArray, FloatArray]:
        levels = (self.means, self.variances, self.covariances)
        return predict_levels(self.positions, levels, self.step_variance, np.array([position]))

    def _covariances(self, position: float, place: int) -> FloatArray:
        """The covariance of every level with the level at `position`, shape (n,)."""
        n = len(self.positions)
        left, right = place - 1, place
        found = np.empty(n)
        if left < 0 or right >= n:
            nearest = max(left, 0)
            at_left = at_right = float(self.variances[nearest])
            left, right = nearest, nearest
        else:
            joint = float(self.covariances[left])
            gap = float(self.positions[right] - self.positions[left])
            share = (position - float(self.positions[left])) / gap
            at_left = (1 - share) * float(self.variances[left]) + share * joint
            at_right = share * float(self.variances[right]) + (1 - share) * joint
        downward = self.covariances[:left] / self.variances[1 : left + 1]
        upward = self.covariances[right:] / self.variances[right:-1]
        found[: left + 1] = at_left * np.append(np.cumprod(downward[::-1])[::-1], 1.0)
        found[right:] = at_right * np.append(1.0, np.cumprod(upward))
        return found


def measure_actively(
    measure: Callable[[int], float],
    start: IntArray,
    candidates: IntArray,
    acquisition: Acquisition,
    *,
    samples: int,
    settings: HistorySettings | None = None,
    change_prior: ChangePrior | None = None,
) -> IntArray:
    """Return the positions in the order in which they were measured: those of `start`, then the chosen ones.

    `measure` gives the value of one run at a position. `candidates` are the sorted positions that can be
    measured. Stops after `samples` measurements, or when nothing is left to measure.
    """
    order = [int(position) for position in start]
    values = {position: measure(position) for position in order}
    left = np.setdiff1d(candidates, order)
    while len(order) < samples and len(left):
        places = np.array(sorted(order))
        points = Measurements.of(places, [values[int(place)] for place in places])
        fitted = fit(points, settings, change_prior=change_prior)
        count = min(samples - len(order), 1 + int(GROWTH * len(order)))
        found = _measure_some(fitted, left, count, measure, acquisition)
        if not found:
            break
        values |= found
        order += found
        left = np.setdiff1d(left, list(found), assume_unique=True)
    return np.array(order)


def _measure_some(
    fitted: FittedHistory,
    candidates: IntArray,
    count: int,
    measure: Callable[[int], float],
    acquisition: Acquisition,
) -> dict[int, float]:
    """Return the values of up to `count` chosen positions; the variances stay those of `fitted`."""
    points, unit, variances = fitted.measurements, fitted.unit, fitted.noise_variances
    levels = _tracked(fitted)
    noise, known = float(np.median(variances)), Evidence.of(fitted)
    measured = points.positions
    found: dict[int, float] = {}
    while len(found) < count:
        noises = np.full(len(levels.means), noise / unit**2)
        evidence = replace(known, positions=measured, levels=levels.means / unit, noise_variances=noises)
        best = acquisition(evidence, candidates)
        if best is None:
            break
        candidates = np.delete(candidates, np.searchsorted(candidates, best.position))
        found[best.position] = value = measure(best.position)
        if value <= 0 and fitted.scale is ValueScale.LOG:
            break  # the scale has to change first
        y_new = float(fitted.scale.forward(np.array([value]))[0])
        place = np.array([best.position])
        levels = levels.absorb(float(evidence.places(place)[0]), y_new, noise)
        measured = np.insert(measured, np.searchsorted(measured, best.position), best.position)
    return found


def _tracked(fitted: FittedHistory) -> TrackedLevels | TrackedMatern:
    """The levels of a fitted history, to go on from; of a dense kernel, those of Brownian motion that moves as much."""
    settings, unit, y = fitted.settings, fitted.unit, fitted.scale.forward(fitted.measurements.values)
    if settings.kernel in PROCESSES:
        standard = Standard.of(fitted.measurements.positions, y, settings.noise_floor * unit)
        measured = (fitted.places, y, fitted.noise_variances)
        return TrackedMatern.of(settings.kernel, fitted.hyperparameters, measured, standard)
    step_variance = Evidence.of(fitted).step_variance * unit**2
    return TrackedLevels.of(fitted.places, y, fitted.noise_variances, step_variance)
