"""Matern 3/2 and 5/2 in state-space form: fit, evidence and exact posterior in O(n), by a Kalman filter and smoother.

The process and its first derivatives follow a linear stochastic differential equation (Hartikainen & Sarkka
2010, "Kalman filtering and smoothing solutions to temporal Gaussian process regression models"): a state of
two (3/2) or three (5/2) numbers. In units of the rate, `sqrt(3) / length` or `sqrt(5) / length`, its drift is a
constant matrix F with the only eigenvalue -1, so exp(F r) = exp(-r) (I + N r + N^2 r^2 / 2), N = F + I.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.fitted import Hyperparameters
from analytics.histories.hyperposterior import likeliest
from analytics.histories.settings import Kernel

if TYPE_CHECKING:
    from analytics.histories.dense import Standard
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.noise import Noise

LOG_TWO_PI = float(np.log(2 * np.pi))
# On the standardised scale, as for GPy: nothing is more than a thousand times the history.
VARIANCES = (1e-3, 1e3)
LONGEST_LENGTH_SCALE = 10.0

# Of variance 1 and rate 1: N = F + I (d, d), and the stationary covariance (d, d).
PROCESSES: dict[Kernel, tuple[FloatArray, FloatArray]] = {
    Kernel.MATERN32: (np.array([[1.0, 1.0], [-1.0, -1.0]]), np.eye(2)),
    Kernel.MATERN52: (
        np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [-1.0, -3.0, -2.0]]),
        np.array([[1.0, 0.0, -1 / 3], [0.0, 1 / 3, 0.0], [-1 / 3, 0.0, 1.0]]),
    ),
}


def fit_matern(
    kernels: tuple[Kernel, ...], x: FloatArray, z: FloatArray, noise: Noise, sd: float
) -> Hyperparameters:
    """Return the hyperparameters of largest likelihood.

    `x` (n,) lies in [0, 1], `z` (n,) has mean 0 and variance 1, `sd` is what the values were divided by.
    Known noise variances are kept; one common noise is fitted inside its bounds.
    """
    (kernel,) = kernels
    shortest = max(float(np.diff(x).min()) / 2, 1e-6)
    bounds = [VARIANCES, (shortest, LONGEST_LENGTH_SCALE)]
    if noise.fixed is None:
        bounds.append((noise.low, noise.high))

    def log_density(parameters: FloatArray) -> FloatArray:
        variances, length_scales = np.exp(parameters[:, 0]), np.exp(parameters[:, 1])
        factors = np.exp(parameters[:, 2:]) if noise.fixed is None else np.ones((len(parameters), 1))
        own = factors * np.ones_like(z) if noise.fixed is None else factors * noise.fixed
        return log_evidence(kernel, variances, length_scales, (x, z, own / sd**2))

    best = np.exp(likeliest(log_density, [(np.log(low), np.log(high)) for low, high in bounds]))
    return Hyperparameters(
        variance=float(best[0]),
        noise_factor=float(best[2]) if noise.fixed is None else noise.low,
        length_scale=float(best[1]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MaternPosterior:
    """A Matern process conditioned on n values; places and states are on the scale of `standard`.

    `rate` is per unit of place. `means` (n, d) and `covariances` (n, d, d) are of the state given the values up to and
    including each place; `pulls` (n, d) and `precisions` (n, d, d) are what each place and all later ones say (Durbin &
    Koopman 2012, sec. 4.4: r and N). `log_evidence` is log p(y), in nats, on the fitted scale.
    """

    kernel: Kernel
    variance: float
    rate: float
    standard: Standard
    places: FloatArray
    means: FloatArray
    covariances: FloatArray
    pulls: FloatArray
    precisions: FloatArray
    log_evidence: float

    @classmethod
    def of(
        cls,
        kernels: tuple[Kernel, ...],
        parameters: Hyperparameters,
        measured: tuple[IntArray | FloatArray, FloatArray, FloatArray],
        standard: Standard,
    ) -> MaternPosterior:
        """Condition on increasing positions, values and noise variances, (n,) each. O(n)."""
        (kernel,) = kernels
        positions, y, variances = measured
        places, z, noise = standard.places(positions), standard.values(y), variances / standard.sd**2
        nilpotent, stationary = PROCESSES[kernel]
        variance = parameters.variance
        rate = float(np.sqrt(2 * len(stationary) - 1)) / (parameters.length_scale or 1.0)
        moves = transitions(nilpotent, rate * np.diff(places, prepend=places[0]))
        added = variance * innovations(stationary, moves)
        n, d = len(z), len(stationary)
        means, covariances = np.zeros((n, d)), np.zeros((n, d, d))
        surprises, scales = np.zeros(n), np.zeros(n)
        mean, covariance = np.zeros(d), variance * stationary
        for i in range(n):
            mean, covariance = moves[i] @ mean, moves[i] @ covariance @ moves[i].T + added[i]
            surprises[i], scales[i] = z[i] - mean[0], covariance[0, 0] + noise[i]
            gain = covariance[:, 0] / scales[i]
            mean = mean + gain * surprises[i]
            # Joseph's form keeps the covariance symmetric and positive.
            rest = np.eye(d)
            rest[:, 0] -= gain
            covariance = rest @ covariance @ rest.T + noise[i] * np.outer(gain, gain)
            means[i], covariances[i] = mean, covariance
        evidence = -0.5 * float(np.sum(LOG_TWO_PI + np.log(scales) + surprises**2 / scales))
        later = _backward(moves, added, covariances, variance * stationary, (surprises, scales))
        evidence -= n * float(np.log(standard.sd))
        return cls(kernel, variance, rate, standard, places, means, covariances, *later, evidence)

    def at(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `Posterior.at`. O(n + m)."""
        nilpotent, stationary = PROCESSES[self.kernel]
        wanted = self.standard.places(wanted)
        n, d = self.means.shape
        after = np.searchsorted(self.places, wanted, side="left")
        before = after - 1
        # Before the first place nothing is known but the stationary state, which moves to itself.
        means = np.concatenate([np.zeros((1, d)), self.means])
        covariances = np.concatenate([self.variance * stationary[None], self.covariances])
        since = np.where(before >= 0, wanted - self.places[np.maximum(before, 0)], 0.0)
        until = np.where(after < n, self.places[np.minimum(after, n - 1)] - wanted, 0.0)
        move, back = (transitions(nilpotent, self.rate * distance) for distance in (since, until))
        mean = np.einsum("mij,mj->mi", move, means[after])
        covariance = move @ covariances[after] @ move.swapaxes(1, 2)
        covariance += self.variance * innovations(stationary, move)
        pulls = np.concatenate([self.pulls, np.zeros((1, d))])[after]
        precisions = np.concatenate([self.precisions, np.zeros((1, d, d))])[after]
        pull = np.einsum("mji,mj->mi", back, pulls)
        precision = back.swapaxes(1, 2) @ precisions @ back
        first = covariance[:, 0, :]
        spread = covariance[:, 0, 0] - np.einsum("mi,mij,mj->m", first, precision, first)
        means = mean[:, 0] + np.einsum("mi,mi->m", first, pull)
        sd = self.standard.sd
        return self.standard.mean + sd * means, sd**2 * np.maximum(spread, 0.0), np.zeros(len(wanted))


def transitions(nilpotent: FloatArray, distances: FloatArray) -> FloatArray:
    """Return exp(F r) for distances r in units of the rate: (..., d, d)."""
    r = distances[..., None, None]
    power = nilpotent @ nilpotent
    return np.asarray(np.exp(-r) * (np.eye(len(power)) + nilpotent * r + power * r * r / 2))


def innovations(stationary: FloatArray, moves: FloatArray) -> FloatArray:
    """Return the covariance that each of these transitions adds, (..., d, d)."""
    return np.asarray(stationary - moves @ stationary @ moves.swapaxes(-1, -2))


def log_evidence(
    kernel: Kernel,
    variances: FloatArray,
    length_scales: FloatArray,
    measured: tuple[FloatArray, FloatArray, FloatArray],
) -> FloatArray:
    """Return log p(z), in nats, for k variances, k length scales and noise variances (k, n): (k,).

    One pass of the filter for all: the loop over places costs the same for one and for a hundred.
    """
    nilpotent, stationary = PROCESSES[kernel]
    places, z, noise = measured
    rates = np.sqrt(2 * len(stationary) - 1) / length_scales
    moves: dict[float, tuple[FloatArray, FloatArray]] = {}
    mean = np.zeros((len(rates), len(stationary)))
    covariance = variances[:, None, None] * stationary
    total = np.zeros(len(rates))
    for distance, value, own in zip(np.diff(places, prepend=places[0]), z, noise.T, strict=True):
        if distance not in moves:
            move = transitions(nilpotent, rates * distance)
            moves[distance] = move, variances[:, None, None] * innovations(stationary, move)
        move, added = moves[distance]
        mean = (move @ mean[:, :, None])[:, :, 0]
        covariance = move @ covariance @ move.swapaxes(1, 2) + added
        scale = covariance[:, 0, 0] + own
        surprise = value - mean[:, 0]
        gain = covariance[:, :, 0] / scale[:, None]
        mean = mean + gain * surprise[:, None]
        covariance = covariance - gain[:, :, None] * covariance[:, None, 0, :]
        total += np.log(scale) + surprise**2 / scale
    return np.asarray(-0.5 * (total + len(z) * LOG_TWO_PI))


def _backward(
    moves: FloatArray,
    added: FloatArray,
    filtered: FloatArray,
    start: FloatArray,
    seen: tuple[FloatArray, FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Return what each place and all later ones say about the state there: (n, d) and (n, d, d)."""
    surprises, scales = seen
    n, d = filtered.shape[:2]
    pulls, precisions = np.zeros((n, d)), np.zeros((n, d, d))
    pull, precision = np.zeros(d), np.zeros((d, d))
    for i in range(n - 1, -1, -1):
        prior = moves[i] @ (filtered[i - 1] if i else start) @ moves[i].T + added[i]
        rest = np.eye(d)
        rest[:, 0] -= prior[:, 0] / scales[i]
        if i + 1 < n:
            pull, precision = moves[i + 1].T @ pull, moves[i + 1].T @ precision @ moves[i + 1]
        pull, precision = rest.T @ pull, rest.T @ precision @ rest
        pull[0] += surprises[i] / scales[i]
        precision[0, 0] += 1 / scales[i]
        pulls[i], precisions[i] = pull, precision
    return pulls, precisions
