"""Where a step lies: what each place gains under autocorrelated noise, and the probability of each bracket."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.ndimage import gaussian_filter1d

from analytics.changepoints.robust import deviation
from analytics.histories.measurements import FloatArray, IntArray
from analytics.histories.noise import median

# Noise with less autocorrelation counts as independent: its density, whatever its shape, tells the place best.
INDEPENDENT = 0.1
# A step moves so many points at most when the density places it.
NEAR = 12
# The probability that a step lies outside of the brackets that are named for it.
LEFT_OUT = 0.05
# Bins of the density of residuals, and the share of points that may lie anywhere.
BINS, ANYWHERE = 512, 1e-3


def split_gains(y: FloatArray, variances: FloatArray, phi: float = 0.0) -> FloatArray:
    """Return by how much each of the n - 1 splits into two levels lowers the weighted squares.

    `y` and `variances` have shape (n,), n >= 2. With noise of lag-one autocorrelation `phi` they are the squares of
    what is left of each value after phi times the one before it (Prais & Winsten 1954).
    """
    own = 1.0 / np.sqrt(variances)
    plain = np.array((own, (y - y.mean()) * own))
    left = plain.copy()
    if phi:
        left[:, 1:] -= phi * plain[:, :-1]
        left[:, 0] *= math.sqrt(1.0 - phi * phi)
    # What comes after each split has these products with the level, and with what is left of y.
    after = np.cumsum((left * left[0])[:, ::-1], axis=1)[:, ::-1]
    all_ones, ones_with_rest = after[:, 0]
    # The first point of a step is not whitened: nothing of the step comes before it.
    first = own * left
    steps, with_ones, with_rest = own[1:] ** 2, first[0, 1:], first[1, 1:]
    steps[:-1] += after[0, 2:]
    with_ones[:-1] += after[0, 2:]
    with_rest[:-1] += after[1, 2:]
    explained = with_rest - with_ones * (ones_with_rest / all_ones)
    return np.asarray(explained**2 / (steps - with_ones**2 / all_ones))


def gains_within(y: FloatArray, variances: FloatArray, phi: float, start: int, end: int) -> FloatArray:
    """Return the `split_gains` of the points start..end-1 of these, (end - start - 1,)."""
    return split_gains(y[start:end], variances[start:end], phi)


def location_probabilities(
    positions: IntArray, y: FloatArray, variances: FloatArray, phi: float = 0.0
) -> FloatArray:
    """Return the probability that the one step of these points lies in each of the n - 1 brackets.

    Arrays have shape (n,), n >= 2. Both levels have flat priors and are integrated out, the noise is
    Gaussian with lag-one autocorrelation `phi`, and each revision is as likely as any other to bring the step.
    """
    weight = np.cumsum(1.0 / variances)
    occam = np.log(weight[:-1] * (weight[-1] - weight[:-1]))
    gains = split_gains(y, variances, phi) / (1.0 - phi * phi)
    log_posterior = 0.5 * gains - 0.5 * occam + np.log(np.diff(positions))
    shares = np.exp(log_posterior - log_posterior.max())
    return np.asarray(shares / shares.sum())


def likeliest_brackets(probabilities: FloatArray, told: int) -> tuple[int, int]:
    """Return the first and the last of the brackets that hold the step with 95 %, the `told` one among them.

    Half of what is left out lies before them, half behind.
    """
    total = np.cumsum(probabilities)
    first, last = np.searchsorted(total, (LEFT_OUT / 2.0, 1.0 - LEFT_OUT / 2.0))
    return min(int(first), told), max(min(int(last), len(probabilities) - 1), told)


def settled(
    gains_of: Callable[[int, int], FloatArray],
    bounds: list[int],
    *,
    shortest: int = 1,
    inner: range | None = None,
) -> list[int]:
    """Return the bounds 0, ..., n with each (or those of `inner`) at its best place between its neighbours.

    `gains_of` gives the `split_gains` of a stretch start..end-1.
    """
    bounds = list(bounds)
    for i in inner or range(1, len(bounds) - 1):
        start, end = bounds[i - 1], bounds[i + 1]
        gains = gains_of(start, end)
        least = min(shortest, (end - start) // 2)
        bounds[i] = start + least + int(gains[least - 1 : len(gains) - least + 1].argmax())
    return bounds


def placed_by_density(y: FloatArray, bounds: list[int], floor: float, shortest: int) -> list[int]:
    """Return the bounds where the density of all residuals makes the values near them likeliest.

    For independent noise of any shape: of values of two modes, squares place one step in seven too far away.
    """
    bounds = list(bounds)
    levels = [median(y[a:b]) for a, b in pairwise(bounds)]
    residuals = y - np.repeat(levels, np.diff(bounds))
    # Silverman's rule.
    width = 1.06 * deviation(residuals, floor) * len(y) ** -0.2
    edges = np.linspace(residuals.min() - 4.0 * width, residuals.max() + 4.0 * width, BINS + 1)
    counts = np.histogram(residuals, edges)[0].astype(np.float64)
    density = gaussian_filter1d(counts, width / (edges[1] - edges[0])) + ANYWHERE * len(y) / BINS
    middles, logs = (edges[1:] + edges[:-1]) / 2.0, np.log(density)
    for i in range(1, len(bounds) - 1):
        low = max(bounds[i - 1] + shortest, bounds[i] - NEAR)
        high = min(bounds[i + 1] - shortest, bounds[i] + NEAR)
        if low >= high:
            continue
        before, after = (np.interp(y[low:high] - levels[j], middles, logs) for j in (i - 1, i))
        bounds[i] = low + int(np.append(0.0, np.cumsum(before - after)).argmax())
    return bounds
