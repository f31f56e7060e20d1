"""Matern 3/2 and 5/2 in state-space form: fit, evidence and exact posterior in O(n), by a Kalman filter and smoother.

The process and its first derivatives follow a linear stochastic differential equation (Hartikainen & Sarkka
2010, "Kalman filtering and smoothing solutions to temporal Gaussian process regression models"): a state of
two (3/2) or three (5/2) numbers. In units of the rate, `sqrt(3) / length` or `sqrt(5) / length`, its drift is a
constant matrix F with the only eigenvalue -1, so exp(F r) = exp(-r) (I + N r + N^2 r^2 / 2), N = F + I.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from analytics.histories.fitted import Hyperparameters
from analytics.histories.hyperposterior import likeliest
from analytics.histories.measurements import FloatArray
from analytics.histories.noise import Noise
from analytics.histories.settings import Kernel

LOG_TWO_PI = float(np.log(2 * np.pi))
# On the standardised scale, as for GPy: nothing is more than a thousand times the history.
VARIANCES = (1e-3, 1e3)
LONGEST_LENGTH_SCALE = 10.0
# So much of a distance in [0, 1] is no rounding.
DIGITS = 14

# Of variance 1 and rate 1: N = F + I (d, d), and the stationary covariance (d, d).
PROCESSES: dict[Kernel, tuple[FloatArray, FloatArray]] = {
    Kernel.MATERN32: (np.array([[1.0, 1.0], [-1.0, -1.0]]), np.eye(2)),
    Kernel.MATERN52: (
        np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [-1.0, -3.0, -2.0]]),
        np.array([[1.0, 0.0, -1 / 3], [0.0, 1 / 3, 0.0], [-1 / 3, 0.0, 1.0]]),
    ),
}


def fit_matern(kernel: Kernel, x: FloatArray, z: FloatArray, noise: Noise, sd: float) -> Hyperparameters:
    """Return the hyperparameters of largest likelihood.

    `x` (n,) lies in [0, 1], `z` (n,) has mean 0 and variance 1, `sd` is what the values were divided by.
    Known noise variances are kept; one common noise is fitted inside its bounds.
    """
    shortest = max(float(np.diff(x).min()) / 2, 1e-6)
    bounds = [VARIANCES, (shortest, LONGEST_LENGTH_SCALE)]
    if noise.fixed is None:
        bounds.append((noise.low, noise.high))

    def log_density(parameters: FloatArray) -> FloatArray:
        variances, length_scales = np.exp(parameters[:, 0]), np.exp(parameters[:, 1])
        common = np.exp(parameters[:, 2:]) if noise.fixed is None else noise.fixed
        own = np.broadcast_to(common, (len(parameters), len(z)))
        return log_evidence(kernel, variances, length_scales, (x, z, own / sd**2))

    best = np.exp(likeliest(log_density, [(np.log(low), np.log(high)) for low, high in bounds]))
    return Hyperparameters(
        variance=float(best[0]),
        noise_factor=float(best[2]) if noise.fixed is None else noise.low,
        length_scale=float(best[1]),
    )


class MaternPosterior:
    """A Matern process conditioned on values `z` (n,) with `noise` variances (n,) at increasing `places` (n,), standardised.

    `log_evidence` is log p(z), in nats. O(n).
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        parameters: Hyperparameters,
        measured: tuple[FloatArray, FloatArray, FloatArray],
    ) -> None:
        (kernel,) = kernels
        self._places, z, noise = measured
        length_scale = parameters.length_scale or 1.0
        self._nilpotent, stationary = PROCESSES[kernel]
        self._stationary = parameters.variance * stationary
        n, d = len(z), len(stationary)
        self._rate = float(np.sqrt(2 * d - 1)) / length_scale
        single = np.array([parameters.variance]), np.array([length_scale])
        steps = filtered(kernel, *single, (self._places, z, noise[None, :]))
        moves, predicted, means, covariances, surprises, scales = (
            np.array(part)[:, 0] for part in zip(*steps, strict=True)
        )
        self.log_evidence = -0.5 * float(np.sum(LOG_TWO_PI + np.log(scales) + surprises**2 / scales))
        # The state given the values up to and including each place; before the first it is the stationary one.
        self._means = np.concatenate([np.zeros((1, d)), means])
        self._covariances = np.concatenate([self._stationary[None], covariances])
        # What each place and all later ones say about the state there (Durbin & Koopman 2012, sec. 4.4: r and N).
        self._pulls, self._precisions = np.zeros((n + 1, d)), np.zeros((n + 1, d, d))
        onward = np.eye(d)
        for i in range(n - 1, -1, -1):
            rest = np.eye(d)
            rest[:, 0] -= predicted[i][:, 0] / scales[i]
            back = onward @ rest
            self._pulls[i] = back.T @ self._pulls[i + 1]
            self._precisions[i] = back.T @ self._precisions[i + 1] @ back
            self._pulls[i, 0] += surprises[i] / scales[i]
            self._precisions[i, 0, 0] += 1 / scales[i]
            onward = moves[i]

    def at(self, places: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and variance at the places, (m,) each. O(n + m)."""
        n = len(self._places)
        after = np.searchsorted(self._places, places, side="left")
        since = np.where(after > 0, places - self._places[np.maximum(after - 1, 0)], 0.0)
        until = np.where(after < n, self._places[np.minimum(after, n - 1)] - places, 0.0)
        move, back = (transitions(self._nilpotent, self._rate * distance) for distance in (since, until))
        mean = np.einsum("mij,mj->mi", move, self._means[after])
        covariance = move @ self._covariances[after] @ move.swapaxes(1, 2)
        covariance += innovations(self._stationary, move)
        pull = np.einsum("mji,mj->mi", back, self._pulls[after])
        precision = back.swapaxes(1, 2) @ self._precisions[after] @ back
        first = covariance[:, 0, :]
        spread = covariance[:, 0, 0] - np.einsum("mi,mij,mj->m", first, precision, first)
        return mean[:, 0] + np.einsum("mi,mi->m", first, pull), spread


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
    """Return log p(z), in nats, for k variances, k length scales and noise variances (k, n): (k,)."""
    total = np.zeros(len(variances))
    for *_, surprise, scale in filtered(kernel, variances, length_scales, measured):
        total += LOG_TWO_PI + np.log(scale) + surprise**2 / scale
    return -0.5 * total


def filtered(
    kernel: Kernel,
    variances: FloatArray,
    length_scales: FloatArray,
    measured: tuple[FloatArray, FloatArray, FloatArray],
) -> Iterator[tuple[FloatArray, ...]]:
    """Yield the steps of a Kalman filter over places (n,) and values (n,), for k processes with noise variances (k, n).

    Of each place the transition to it (k, d, d), the covariance of the state without its value, mean and covariance with
    it, what the value differs by from what was expected (k,), and the variance of that. One pass for all: the loop over
    places costs the same for one and for a hundred.
    """
    nilpotent, stationary = PROCESSES[kernel]
    places, z, noise = measured
    rates = np.sqrt(2 * len(stationary) - 1) / length_scales
    moves: dict[float, tuple[FloatArray, FloatArray]] = {}
    mean = np.zeros((len(rates), len(stationary)))
    covariance = variances[:, None, None] * stationary
    # Rounded, so that equal gaps of positions have one transition.
    distances = np.round(np.diff(places, prepend=places[0]), DIGITS).tolist()
    for distance, value, own in zip(distances, z, noise.T, strict=True):
        if distance not in moves:
            move = transitions(nilpotent, rates * distance)
            moves[distance] = move, variances[:, None, None] * innovations(stationary, move)
        move, added = moves[distance]
        mean = (move @ mean[:, :, None])[:, :, 0]
        predicted = move @ covariance @ move.swapaxes(1, 2) + added
        scale = predicted[:, 0, 0] + own
        surprise = value - mean[:, 0]
        gain = predicted[:, :, 0] / scale[:, None]
        mean = mean + gain * surprise[:, None]
        covariance = predicted - gain[:, :, None] * predicted[:, None, 0, :]
        yield move, predicted, mean, covariance, surprise, scale
