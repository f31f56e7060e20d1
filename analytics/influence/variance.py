"""Which few options explain how far values spread: the variance of a conditional expectation over that of the values.

Sobol (1993), section 3. Over all combinations of levels it is exact for a sum of terms: every option takes each of
its levels equally often, independent of the others. Where constraints leave combinations out, it is taken over given
configurations instead, each of which counts alike.

Where runs were repeated, an analysis of variance tells which options change what a region takes beyond noise.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import fdtrc

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray, RegionTimes

# Every option is tried in every region: this rare, chance alone makes none of a thousand regions stand out.
_CHANCE = 1e-5
_ENOUGH = 0.9
_MOST_OPTIONS = 3
# Rows of the pairwise table that are held at once.
_ROWS = 256


def explain(table: TermTable) -> dict[str, float]:
    """The options that explain most over all combinations of levels, each with the share of it and those before it.

    Empty where a term is unknown or no option matters.
    """
    kept = (table.coefficients != 0) & (table.degrees > 0)
    levels, coefficients = table.levels[kept], table.coefficients[kept]
    if np.isnan(coefficients).any():
        return {}
    sizes = np.array(table.space.sizes)
    used = np.flatnonzero((levels != UNTOUCHED).any(axis=0)).tolist()
    total = _variance(levels, coefficients, sizes, np.arange(len(sizes)))
    return _chosen(
        table.space, used, total, lambda options: _variance(levels, coefficients, sizes, np.array(options))
    )


def explain_over(space: OptionSpace, configurations: IntArray, values: FloatArray) -> dict[str, float]:
    """The same of `values` (n,) over `configurations` (n, n_options)."""
    known = np.isfinite(values)
    rows, centred = (
        configurations[known],
        values[known] - values[known].mean() if known.any() else values[known],
    )
    if not len(rows):
        return {}
    used = np.flatnonzero(np.ptp(rows, axis=0) > 0).tolist()

    def between(options: Sequence[int]) -> float:
        _, group = np.unique(rows[:, list(options)], axis=0, return_inverse=True)
        sums = np.bincount(group.ravel(), weights=centred)
        return float((sums**2 / np.bincount(group.ravel())).sum() / len(rows))

    return _chosen(space, used, float(centred @ centred / len(rows)), between)


def _chosen(
    space: OptionSpace, used: Sequence[int], total: float, variance: Callable[[Sequence[int]], float]
) -> dict[str, float]:
    """At most three options, the largest share first; one is added while less than nine tenths are explained."""
    shares: dict[int, float] = {}
    share = 0.0
    while total > 0.0 and share < _ENOUGH and len(shares) < min(_MOST_OPTIONS, len(used)):
        together = {option: variance([*shares, option]) for option in used if option not in shares}
        best = max(together, key=lambda option: together[option])
        share = shares[best] = min(together[best] / total, 1.0)
    return {space.options[option].name: share for option, share in shares.items()}


def _variance(levels: IntArray, coefficients: FloatArray, sizes: IntArray, options: IntArray) -> float:
    """The variance of the expected value given the levels of `options`.

    `levels` (n_terms, n_options) with `coefficients` (n_terms,) and the number of levels `sizes` (n_options,).
    """
    touched = levels != UNTOUCHED
    others = np.ones(len(sizes), dtype=bool)
    others[options] = False
    # Options that are not given take part with the probability of their level.
    expected = coefficients * np.where(touched & others, 1.0 / sizes, 1.0).prod(axis=1)
    shapes, place = np.unique(levels[:, options], axis=0, return_inverse=True)
    weights = np.bincount(place.ravel(), weights=expected, minlength=len(shapes))
    chances = np.where(shapes != UNTOUCHED, 1.0 / sizes[options], 1.0)
    alone = chances.prod(axis=1)
    total = 0.0
    for start in range(0, len(shapes), _ROWS):
        rows = slice(start, start + _ROWS)
        together = np.ones((len(shapes[rows]), len(shapes)))
        for column in range(len(options)):
            ours, theirs = shapes[rows, column][:, None], shapes[:, column]
            both = (ours != UNTOUCHED) & (theirs != UNTOUCHED)
            chance = np.minimum(chances[rows, column][:, None], chances[:, column])
            together *= np.where(both & (ours != theirs), 0.0, chance)
        total += float(weights[rows] @ (together - np.outer(alone[rows], alone)) @ weights)
    return total


def options_beyond_noise(times: RegionTimes) -> BoolArray:
    """Which options change a region's time beyond what repetitions differ, shape (n_regions, n_options).

    An analysis of variance for each option: configurations that differ in it alone are compared with each other,
    and their spread is held against the spread of repetitions, pooled over all configurations (F test).
    """
    counts = times.ran.sum(axis=1)
    kept = np.where(times.ran, times.values, 0.0)
    means = kept.sum(axis=2) / counts
    within = np.where(times.ran, kept - means[:, :, np.newaxis], 0.0)
    freedom = int((counts - 1).sum())
    noise = (within**2).sum(axis=(1, 2)) / freedom
    changes = np.zeros((len(times.regions), len(times.space.options)), dtype=bool)
    for option in range(len(times.space.options)):
        others = np.delete(times.configurations, option, axis=1)
        _, group = np.unique(others, axis=0, return_inverse=True)
        # The sum of squares between configurations that agree in all others, for each region.
        belongs = np.eye(group.max() + 1)[group.ravel()] * counts[:, np.newaxis]
        centres = (means @ belongs) / belongs.sum(axis=0)
        spread = (counts * (means - centres[:, group.ravel()]) ** 2).sum(axis=1)
        between = len(group.ravel()) - centres.shape[1]  # its degrees of freedom
        if between:
            with np.errstate(divide="ignore", invalid="ignore"):
                ratio = np.nan_to_num(spread / between / noise, posinf=np.inf)
            changes[:, option] = fdtrc(between, freedom, ratio) < _CHANCE
    return changes
