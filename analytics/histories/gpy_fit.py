"""The one module that uses GPy: it fits the hyperparameters of the paper's kernels.

GPy takes seconds to import, so this module is imported only when such a kernel is asked for.
"""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

with warnings.catch_warnings():
    # GPy warns that it finds no plotting library; nothing is plotted here.
    warnings.filterwarnings("ignore", message="Plotting library", category=ImportWarning)
    import GPy

from analytics.histories.dense import START_VARIANCE
from analytics.histories.fitted import Hyperparameters
from analytics.histories.measurements import FloatArray
from analytics.histories.noise import Noise
from analytics.histories.settings import Kernel

__all__ = ["GPy", "fit_with_gpy"]

# The optimiser's limit in the paper.
ITERATIONS = 1000
# Bounds on the standardised scale: nothing is more than a thousand times the history, or a thousandth of it.
VARIANCE_BOUNDS = (1e-3, 1e3)
POWER_BOUNDS = (1e-2, 1e2)
LONGEST_LENGTH_SCALE = 10.0
# Where the search for the length scale begins, in shares of the history: one start alone stays where it is.
STARTS = (0.02, 0.1, 0.5)
STATIONARY = {
    Kernel.RBF: GPy.kern.RBF,
    Kernel.MATERN32: GPy.kern.Matern32,
    Kernel.MATERN52: GPy.kern.Matern52,
    Kernel.RATIONAL_QUADRATIC: GPy.kern.RatQuad,
    Kernel.EXPONENTIAL: GPy.kern.Exponential,
}


def fit_with_gpy(
    kernels: tuple[Kernel, ...], x: FloatArray, y: FloatArray, noise: Noise, sd: float
) -> Hyperparameters:
    """Return the hyperparameters of largest likelihood of a sum of kernels, on the standardised scale.

    `x` (n,) lies in [0, 1], `y` (n,) has mean 0 and variance 1, `sd` is what the values were divided by.
    Known noise variances are kept; one common noise is fitted inside its bounds.
    """
    shortest = max(float(np.diff(x).min()) / 2, 1e-6)
    starts = STARTS if any(kernel in STATIONARY for kernel in kernels) else STARTS[:1]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # While it searches, GPy steps over the edge of what a float holds and comes back.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        models = [_optimised(_sum(kernels, start, shortest), (x, y), noise, sd) for start in starts]
    best = min(models, key=lambda model: float(model.objective_function()))
    factor = noise.low if noise.fixed is not None else float(best.likelihood.variance[0]) * sd**2
    found = [part for part in getattr(best.kern, "parts", [best.kern]) if not isinstance(part, GPy.kern.Bias)]
    first, *further = [
        Hyperparameters(
            variance=float(
                np.ravel(part.variances if isinstance(part, GPy.kern.Linear) else part.variance)[0]
            ),
            noise_factor=factor,
            length_scale=float(part.lengthscale[0]) if hasattr(part, "lengthscale") else None,
            power=float(part.power[0]) if hasattr(part, "power") else None,
        )
        for part in found
    ]
    return replace(first, plus=tuple(further))


def _optimised(prior: Any, data: tuple[FloatArray, FloatArray], noise: Noise, sd: float) -> Any:
    """Return a GPy model optimised from the parameters of its prior kernel; deterministic."""
    x, y = (array[:, None] for array in data)
    if noise.fixed is not None:
        model = GPy.models.GPHeteroscedasticRegression(x, y, prior)
        model.likelihood.variance[:] = noise.fixed[:, None] / sd**2
        model.likelihood.variance.fix(warning=False)
    else:
        low, high = noise.low / sd**2, noise.high / sd**2
        model = GPy.models.GPRegression(x, y, prior, noise_var=float(np.sqrt(low * high)))
        model.likelihood.variance.constrain_bounded(low, high, warning=False)
    model.optimize(max_iters=ITERATIONS)
    return model


def _sum(kernels: tuple[Kernel, ...], start: float, shortest: float) -> Any:
    """The sum of kernels in GPy's classes; Brownian motion and a line come with a wide prior on their start."""
    parts, levels = [], []
    for kernel in kernels:
        if kernel in STATIONARY:
            part = STATIONARY[kernel](1, lengthscale=max(start, 2 * shortest))
            part.lengthscale.constrain_bounded(shortest, LONGEST_LENGTH_SCALE, warning=False)
            scale = part.variance
        else:
            part = GPy.kern.Linear(1) if kernel is Kernel.LINEAR else GPy.kern.Brownian(1)
            scale = part.variances if kernel is Kernel.LINEAR else part.variance
            level = GPy.kern.Bias(1, variance=START_VARIANCE)
            level.variance.fix(warning=False)
            levels.append(level)
        scale.constrain_bounded(*VARIANCE_BOUNDS, warning=False)
        if kernel is Kernel.RATIONAL_QUADRATIC:
            part.power.constrain_bounded(*POWER_BOUNDS, warning=False)
        parts.append(part)
    return parts[0] if len(parts + levels) == 1 else GPy.kern.Add(parts + levels)
