"""The posterior of a kernel's parameters: a few nodes with weights, not one best value.

A handful of single runs cannot tell noise from steps. A band that takes the likeliest split of the two for
certain is too narrow; a band averaged over every split that the data allow is not.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from scipy.special import ndtr, ndtri

from analytics.histories.measurements import FloatArray

# Nodes along the only parameter, or along each of two.
NODES = {1: (13,), 2: (9, 7)}
# What is less likely than the best by this many nats is left out: its weight is below 1 in 3,000.
NEGLIGIBLE = 8.0
# The grid is fine enough once so many of its nodes along the first parameter matter.
ENOUGH_NODES = 4
ROUNDS = 8
# The likeliest parameters: points along each axis, and how often the grid closes in by half.
GRID, ZOOMS = 5, 9
# Half-widths of the ranges that hold 50 % and 95 %.
Quantiles = tuple[float, float]
# The quantiles that bound 50 % and 95 % of a symmetric distribution, and those of a normal one.
SHARES = np.array([0.75, 0.975])
NORMAL_QUANTILES: Quantiles = (float(ndtri(0.75)), float(ndtri(0.975)))
# Newton's steps end when one moves both quantiles by less than this; a dozen is usual.
CLOSE_ENOUGH = 1e-12
MOST_STEPS = 200


def integrate(
    log_density: Callable[[FloatArray], FloatArray], bounds: Sequence[tuple[float, float]]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return parameters (k, d), a row for each node, posterior weights (k,), which sum to 1, and log densities (k,), that stand for a density of one or two parameters inside `bounds`.

    `log_density` takes parameters (k, d) and returns log densities (k,), up to a constant. A regular grid is
    narrowed to where the density is not negligible until enough of its nodes are there (trapezoid rule on a
    grid, as in Rue et al. 2009, "Approximate Bayesian inference by nested Laplace approximations", sec. 3).
    Deterministic.
    """
    box = np.array(bounds, dtype=np.float64)
    for _ in range(ROUNDS):
        grid, spacing, numbers = _grid(box, NODES[len(box)])
        densities = log_density(grid)
        matter = densities > densities.max() - NEGLIGIBLE
        # Nodes along the first parameter come one behind the other.
        if np.count_nonzero(matter.reshape(numbers[0], -1).any(axis=1)) >= ENOUGH_NODES:
            break
        inside = grid[matter]
        box = _around(inside.min(axis=0), inside.max(axis=0), spacing, box)
    shares = np.exp(densities[matter] - densities.max())
    return grid[matter], shares / shares.sum(), densities[matter]


def likeliest(
    log_density: Callable[[FloatArray], FloatArray], bounds: Sequence[tuple[float, float]]
) -> FloatArray:
    """Return the parameters (d,) of largest density inside `bounds`, by ever finer grids. Deterministic."""
    outer = box = np.array(bounds, dtype=np.float64)
    best = box.mean(axis=1)
    for _ in range(ZOOMS):
        grid, spacing, _ = _grid(box, [GRID] * len(box))
        best = grid[int(np.argmax(log_density(grid)))]
        box = _around(best, best, spacing, outer)
    return np.asarray(best)


def _grid(box: FloatArray, counts: Sequence[int]) -> tuple[FloatArray, FloatArray, list[int]]:
    """Return the points (k, d) of a regular grid over `box` (d, 2), how far they are apart, (d,), and how many there are along each axis."""
    numbers, axes, spacing = [], [], []
    # As `linspace`, which takes four times as long for so few.
    for (low, high), count in zip(box.tolist(), counts, strict=True):
        numbers.append(count if high > low else 1)
        spacing.append((high - low) / max(numbers[-1] - 1, 1))
        axes.append([*(low + at * spacing[-1] for at in range(numbers[-1] - 1)), high])
    return np.array(list(product(*axes))), np.array(spacing), numbers


def _around(low: FloatArray, high: FloatArray, spacing: FloatArray, outer: FloatArray) -> FloatArray:
    """Return the box (d, 2) from one spacing below `low` to one above `high`, inside of `outer`."""
    return np.column_stack([np.maximum(low - spacing, outer[:, 0]), np.minimum(high + spacing, outer[:, 1])])


def mixture_quantiles(weights: FloatArray, variances: FloatArray) -> list[Quantiles]:
    """Return the 75 % and 97.5 % quantiles of some mixtures of centred normals, each in its standard deviations.

    `weights` have shape (k,), `variances` (m, k), all positive. Few measurements leave variances open:
    the mixture then has heavy tails, as Student's t. By Newton's method from the quantiles of the narrowest normal: beyond
    the centre the distribution function is concave, so that no step goes too far.
    """
    sds = np.sqrt(variances / (variances @ weights)[:, None])
    heights = (weights / (sds * np.sqrt(2 * np.pi)))[:, :, None]
    at = sds.min(axis=1)[:, None] * np.array(NORMAL_QUANTILES)
    for _ in range(MOST_STEPS):
        away = at[:, :, None] / sds[:, None]
        density = np.matmul(np.exp(-0.5 * away * away), heights)[:, :, 0]
        step = (ndtr(away) @ weights - SHARES) / density
        at = at - step
        if np.abs(step).max() < CLOSE_ENOUGH:
            break
    return [(half, wide) for half, wide in at.tolist()]
