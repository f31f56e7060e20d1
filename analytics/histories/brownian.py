"""Brownian regression with diffuse start: exact in O(n), because the precision of the levels is tridiagonal.

The model on the fitted scale: y_i = f(x_i) + e_i, e_i ~ N(0, v_i), where f has a flat prior on its start and
f(x) - f(x') ~ N(0, s2 |x - x'|). It is the local level model with exact diffuse initialisation (Durbin &
Koopman 2012, sections 2.2 and 2.9), and with v -> 0 it interpolates linearly. A fit averages it over every split of the data into steps and noise.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dpttrf, dpttrs

from analytics.histories.change_prior import ChangePrior, places_of
from analytics.histories.fitted import FittedHistory, Hyperparameters
from analytics.histories.hyperposterior import integrate, mixture_quantiles
from analytics.histories.measurements import FloatArray, IntArray, Measurements
from analytics.histories.noise import Noise
from analytics.histories.scale import ValueScale
from analytics.histories.settings import HistorySettings

# Means (k, n) and variances (k, n) of levels, and covariances of neighbours (k, n - 1).
Levels = tuple[FloatArray, FloatArray, FloatArray]
LOG_TWO_PI = float(np.log(2 * np.pi))
# The expected change counts as this many measured differences.
PRIOR_FREEDOM = 1.0
# How far, in nats, the step variance may lie below the smallest and above the largest that data suggest.
BELOW, ABOVE = 10.0, 6.0
# Steps smaller than this beside the noise of one value are no steps, and no float tells them apart.
SMALLEST_STEP = 1e-12
# Where wanted positions lie among so many measured ones at most is kept: histories of a suite were measured at the same revisions.
LONGEST_KEPT = 10_000
# So many numbers are worked on at once, which bounds the memory of long histories.
AT_ONCE = 1_000_000
# With one measured position and no known length, the expected change spreads over this many positions.
LENGTH_OF_A_SINGLE_POINT = 100


@dataclass(frozen=True, slots=True, eq=False)
class Variances:
    """What the data allow step variance and noise to be: pairs with their posterior weights, (k,) each.

    `factors` are those of the noise (`noise.Noise`). Weights sum to 1.
    """

    steps: FloatArray
    factors: FloatArray
    weights: FloatArray


def smallest_step(noise_variances: FloatArray) -> FloatArray:
    """The smallest step variance that floats tell from none beside noise variances (..., n): (...,)."""
    return np.asarray(SMALLEST_STEP / np.mean(1.0 / noise_variances, axis=-1))


class RandomWalkSolver:
    """The gaps between n measured positions, (n - 1,) positive, and the values (n,), ready for many pairs of variances.

    The precision of f is Q / s2 + diag(1 / v), Q tridiagonal. Several such matrices in a row are one
    tridiagonal matrix whose blocks do not touch, so one call of LAPACK solves them all. Noise variances are (k, n), or
    (1, n) where they are the same for all k step variances (k,).
    """

    def __init__(self, gaps: IntArray | FloatArray, y: FloatArray) -> None:
        self.gaps, self.links = gaps, 1.0 / gaps
        self.centre = float(np.mean(y))
        self.z = y - self.centre
        self.stiffness = np.append(self.links, 0.0)
        self.stiffness[1:] += self.links

    @cached_property
    def log_gaps(self) -> float:
        """The sum of the gaps' logarithms, which evidences need."""
        return float(np.log(self.gaps).sum())

    def log_evidence(self, noise_variances: FloatArray, step_variances: FloatArray) -> FloatArray:
        """Return the restricted log-likelihood, in nats, of each pair of variances, (k,)."""
        n = len(self.z)
        if n == 1:
            return np.zeros(len(step_variances))
        weights = 1.0 / noise_variances
        _, pivots, _, means = self._solve(weights, step_variances)
        # At the minimum of these squares an error of the means counts by its square only.
        squares = (means[:, 1:] - means[:, :-1]) ** 2 @ self.links / step_variances
        beside = (self.z - means) ** 2
        squares += beside @ weights[0] if len(weights) == 1 else np.einsum("kn,kn->k", weights, beside)
        log_determinant = np.log(pivots).sum(axis=1) - np.log(weights).sum(axis=1)
        log_determinant += (n - 1) * np.log(step_variances) + self.log_gaps
        return np.asarray(-0.5 * ((n - 1) * LOG_TWO_PI + log_determinant + squares))

    def posterior(self, noise_variances: FloatArray, step_variances: FloatArray) -> Levels:
        """Return the posterior of the levels, f at the measured positions, for each pair of variances. O(k n)."""
        weights = 1.0 / noise_variances
        if len(self.z) == 1:
            level = np.full((len(step_variances), 1), self.centre) + self.z
            return level, np.zeros_like(level) + noise_variances, level[:, :0]
        (diagonal, side), pivots, lower, means = self._solve(weights, step_variances)
        # The diagonal of an inverse, from one elimination in each direction.
        backward = dpttrf(diagonal.ravel()[::-1], side.ravel()[-2::-1])[0][::-1].reshape(diagonal.shape)
        variances = 1.0 / (pivots + backward - diagonal)
        covariances = -np.append(lower, 0.0).reshape(diagonal.shape)[:, :-1] * variances[:, 1:]
        return means + self.centre, variances, covariances

    def _solve(
        self, weights: FloatArray, step_variances: FloatArray
    ) -> tuple[tuple[FloatArray, FloatArray], FloatArray, FloatArray, FloatArray]:
        """The diagonal and what stands beside it, whose last column is zero, (k, n) each; pivots, (k, n); multipliers, (k n - 1,); centred means, (k, n)."""
        diagonal = self.stiffness / step_variances[:, None] + weights
        shape = diagonal.shape
        side = np.zeros(shape)
        np.divide(-self.links, step_variances[:, None], out=side[:, :-1])
        pivots, lower, _ = dpttrf(diagonal.ravel(), side.ravel()[:-1])
        values = np.empty(shape)
        np.multiply(weights, self.z, out=values)
        means = dpttrs(pivots, lower, values.ravel(), overwrite_b=True)[0]
        return (
            (diagonal, side),
            pivots.reshape(shape),
            lower,
            means.reshape(shape),
        )


class Places(NamedTuple):
    """Where m wanted positions lie among measured ones; every array has shape (m,).

    Each lies at or behind the level `left`, before `right`, at this `share` of the way. `weights` are what the variances of both and
    their covariance weigh in the variance there, `steps` what the variance of a step does. `is_measured`: all lie at measured ones.
    """

    left: IntArray
    right: IntArray
    share: FloatArray
    weights: tuple[FloatArray, FloatArray, FloatArray]
    steps: FloatArray
    is_measured: bool

    @staticmethod
    @lru_cache(maxsize=8)
    def of(measured: bytes, asked: bytes) -> "Places":
        """Return where the positions `asked` lie among those measured, floats both; kept."""
        places, wanted = np.frombuffer(measured), np.frombuffer(asked)
        last = len(places) - 1
        left = np.clip(np.searchsorted(places, wanted, side="right") - 1, 0, last)
        right = np.minimum(left + 1, last)
        gap = np.where(left == right, 1.0, places[right] - places[left])
        share = np.clip((wanted - places[left]) / gap, 0.0, 1.0)
        share[left == right] = 0.0
        outside = np.maximum(places[0] - wanted, 0.0) + np.maximum(wanted - places[-1], 0.0)
        weights = ((1 - share) ** 2, share**2, 2 * share * (1 - share))
        return Places(left, right, share, weights, gap * share * (1 - share) + outside, not share.any())


def predict_levels(
    positions: IntArray | FloatArray,
    posterior_levels: tuple[FloatArray, FloatArray, FloatArray],
    step_variance: float,
    wanted: FloatArray,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the mean of f at the wanted positions and the two parts of its variance, each of shape (m,).

    `posterior_levels` are means (n,), variances (n,) and covariances of neighbours (n - 1,) at the measured
    positions. Between two of them f is a Brownian bridge over their joint posterior; outside, the variance
    grows by s2 per position. The first part of the variance comes from those levels, the second from steps.
    """
    means, variances, covariances = posterior_levels
    places, wanted = (np.asarray(some, dtype=np.float64) for some in (positions, wanted))
    find = Places.of if len(places) + len(wanted) <= LONGEST_KEPT else Places.of.__wrapped__
    at = find(places.tobytes(), wanted.tobytes())
    if at.is_measured:
        return means[at.left], variances[at.left], step_variance * at.steps
    joint = np.append(covariances, 0.0)[at.left]
    own, next_, both = at.weights
    spread = own * variances[at.left] + next_ * variances[at.right] + both * joint
    return (1 - at.share) * means[at.left] + at.share * means[at.right], spread, step_variance * at.steps


def fit_brownian(
    measurements: Measurements,
    settings: HistorySettings,
    on_scale: tuple[ValueScale, float, Noise],
    change_prior: ChangePrior | None,
) -> tuple[FittedHistory, Variances, Levels]:
    """Return the posterior averaged over step variance and noise, these, and the levels under each pair; the noise stays inside its bounds. O(n).

    `on_scale` are the scale, the size of 100 % there, and the noise. The restricted likelihood is joined by a weak prior on
    the step variance, worth one measured difference of the size expected a priori, so that one, two or equal measurements do
    not claim a history that never moves, and by a flat prior on the logarithm of the noise.
    """
    scale, unit, noise = on_scale
    y = scale.forward(measurements.values)
    positions = places_of(measurements.positions, change_prior)
    span = int(measurements.positions[-1] - measurements.positions[0])
    length = settings.length if settings.length is not None else span or LENGTH_OF_A_SINGLE_POINT
    prior_step_variance = (settings.expected_change * unit) ** 2 / length
    walk = RandomWalkSolver(np.diff(positions), y)
    parameters, weights, log_evidence = _nodes(positions, walk, noise, prior_step_variance)
    factors = np.exp(parameters[:, -1])
    variances = noise.common_variances(factors)
    steps = _steps(parameters, variances)
    levels = level_means, level_variances, covariances = walk.posterior(variances, steps)
    # The moments of the mixture of the nodes' posteriors.
    means = weights @ level_means
    beside = level_means - means
    spreads = level_variances + beside**2
    of_levels, of_steps = mixture_quantiles(weights, np.array((spreads.mean(axis=1), steps)))
    factor = float(weights @ factors) if noise.fixed is None else noise.low
    fitted = FittedHistory(
        measurements=measurements,
        settings=settings,
        scale=scale,
        unit=unit,
        hyperparameters=Hyperparameters(float(weights @ steps), factor),
        noise_variances=variances[0] if len(variances) == 1 else weights @ variances,
        level_means=means,
        level_variances=weights @ spreads,
        level_covariances=weights @ (covariances + beside[:, :-1] * beside[:, 1:]),
        level_quantiles=of_levels,
        step_quantiles=of_steps,
        log_evidence=float(weights @ log_evidence),
        change_prior=change_prior,
    )
    return fitted, Variances(steps, factors, weights), levels


def _nodes(
    positions: IntArray | FloatArray, walk: RandomWalkSolver, noise: Noise, prior_step_variance: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return nodes over the logarithms of step variance and noise, their posterior weights, see `integrate`, and log evidences."""
    y = walk.z

    fixed = None if noise.fixed is None else (noise.fixed[None, :], smallest_step(noise.fixed))

    def evidence(parameters: FloatArray) -> FloatArray:
        if fixed is not None:
            return walk.log_evidence(fixed[0], np.maximum(np.exp(parameters[:, 0]), fixed[1]))
        variances = noise.common_variances(np.exp(parameters[:, -1]))
        return walk.log_evidence(variances, _steps(parameters, variances))

    def log_prior(parameters: FloatArray) -> FloatArray:
        log_steps = parameters[:, 0]
        return np.asarray(-0.5 * PRIOR_FREEDOM * (log_steps + prior_step_variance * np.exp(-log_steps)))

    def log_density(parameters: FloatArray) -> FloatArray:
        rows = max(AT_ONCE // len(y), 1)
        blocks = [parameters[first : first + rows] for first in range(0, len(parameters), rows)]
        return np.asarray(log_prior(parameters) + np.concatenate([evidence(block) for block in blocks]))

    span = float(positions[-1] - positions[0]) or 1.0
    differences = np.diff(y) ** 2 * walk.links
    typical = float(differences.mean() if len(differences) else 0.0) + prior_step_variance
    quiet = float(noise.common_variances(np.array([noise.low])).min()) / span
    bounds = [(np.log(min(prior_step_variance, quiet)) - BELOW, np.log(typical + quiet) + ABOVE)]
    if noise.fixed is None:
        bounds.append((np.log(noise.low), np.log(noise.high)))
    nodes, weights, densities = integrate(log_density, bounds)
    return nodes, weights, densities - log_prior(nodes)


def _steps(parameters: FloatArray, variances: FloatArray) -> FloatArray:
    """Return the step variance of every node, (k,)."""
    return np.asarray(np.maximum(np.exp(parameters[:, 0]), smallest_step(variances)))
