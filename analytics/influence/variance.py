"""Which few options explain how far values spread: the variance of a conditional expectation over that of the values.

Sobol (1993), section 3. Over all combinations of levels it is exact for a sum of terms: every option takes each of
its levels equally often, independent of the others. Where constraints leave combinations out, it is taken over given
configurations instead, each of which counts alike.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import TermTable
from analytics.influence.times import FloatArray

_ENOUGH = 0.9
_MOST_OPTIONS = 3
# Rows of the pairwise table that are held at once.
_ROWS = 256


@dataclass(frozen=True, slots=True)
class Explained:
    """The share of the variance that `options` explain together."""

    options: tuple[str, ...]
    share: float


def explain(table: TermTable) -> Explained | None:
    """The options that explain most over all combinations of levels; None where a term is unknown or none matters."""
    kept = (table.coefficients != 0) & (table.degrees > 0)
    levels, coefficients = table.levels[kept], table.coefficients[kept]
    if np.isnan(coefficients).any():
        return None
    sizes = np.array(table.space.sizes)
    used = np.flatnonzero((levels != UNTOUCHED).any(axis=0)).tolist()
    total = _variance(levels, coefficients, sizes, np.arange(len(sizes)))
    return _chosen(
        table.space, used, total, lambda options: _variance(levels, coefficients, sizes, np.array(options))
    )


def explain_over(space: OptionSpace, configurations: IntArray, values: FloatArray) -> Explained | None:
    """The options that explain most of `values` (n,) over `configurations` (n, n_options); None where none matters."""
    known = np.isfinite(values)
    rows, centred = (
        configurations[known],
        values[known] - values[known].mean() if known.any() else values[known],
    )
    if not len(rows):
        return None
    used = np.flatnonzero(np.ptp(rows, axis=0) > 0).tolist()

    def between(options: Sequence[int]) -> float:
        _, group = np.unique(rows[:, list(options)], axis=0, return_inverse=True)
        sums = np.bincount(group.ravel(), weights=centred)
        return float((sums**2 / np.bincount(group.ravel())).sum() / len(rows))

    return _chosen(space, used, float(centred @ centred / len(rows)), between)


def _chosen(
    space: OptionSpace, used: Sequence[int], total: float, variance: Callable[[Sequence[int]], float]
) -> Explained | None:
    """At most three options, most telling first; one is added while less than nine tenths are explained."""
    if total <= 0.0:
        return None
    options: list[int] = []
    share = 0.0
    while share < _ENOUGH and len(options) < min(_MOST_OPTIONS, len(used)):
        found = {option: variance([*options, option]) for option in used if option not in options}
        best = max(found, key=lambda option: found[option])
        options.append(best)
        share = found[best] / total
    return Explained(tuple(space.options[option].name for option in options), min(share, 1.0))


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
