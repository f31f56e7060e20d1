"""Matern histories without GPy: fit, evidence and prediction in O(n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from analytics.histories.fitted import Hyperparameters
from analytics.histories.hyperposterior import likeliest
from analytics.histories.state_space import StateSpace, log_evidence

if TYPE_CHECKING:
    from analytics.histories.dense import Standard
    from analytics.histories.measurements import FloatArray, IntArray
    from analytics.histories.noise import Noise
    from analytics.histories.settings import Kernel

# On the standardised scale, as for GPy: nothing is more than a thousand times the history.
VARIANCES = (1e-3, 1e3)
LONGEST_LENGTH_SCALE = 10.0


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
    """A conditioned Matern history; `log_evidence` is log p(y), in nats, on the fitted scale."""

    state: StateSpace
    standard: Standard
    log_evidence: float

    @classmethod
    def of(
        cls,
        kernels: tuple[Kernel, ...],
        parameters: Hyperparameters,
        measured: tuple[IntArray | FloatArray, FloatArray, FloatArray],
        standard: Standard,
    ) -> MaternPosterior:
        """Condition on positions, values and noise variances, each (n,)."""
        (kernel,) = kernels
        positions, y, variances = measured
        points = standard.places(positions), standard.values(y), variances / standard.sd**2
        state = StateSpace.of(kernel, parameters.variance, parameters.length_scale or 1.0, points)
        return cls(state, standard, state.log_evidence - len(y) * float(np.log(standard.sd)))

    def at(self, wanted: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """See `Posterior.at`."""
        means, variances = self.state.at(self.standard.places(wanted))
        sd = self.standard.sd
        return self.standard.mean + sd * means, sd**2 * variances, np.zeros(len(wanted))
