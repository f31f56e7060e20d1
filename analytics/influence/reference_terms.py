"""The terms of a sum relative to another base: indicators of levels, multiplied out."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import union
from analytics.influence.times import FloatArray


def rebased(levels: IntArray, reach: Sequence[IntArray]) -> tuple[IntArray, FloatArray]:
    """The terms over the levels in `reach` that the terms `levels` (n_terms, n_options) become relative to another base.

    A term is a product of indicators [option = level]. Where the level is that of the new base, the indicator is
    1 - sum of [option = other level], over the levels that are within reach; multiplying out gives the new terms.
    `reach` gives for each option the level of the new base, then those it may change to. Returns the new terms,
    the intercept first, and the matrix (n_new, n_terms) that turns old coefficients into new ones.
    """
    intercept = np.full((1, len(reach)), UNTOUCHED, dtype=np.int8)
    parts = [_multiplied_out(row, reach) for row in levels]
    new, places = union([intercept, *(rows for rows, _ in parts)])
    matrix = np.zeros((len(new), len(levels)))
    for column, (place, (_, signs)) in enumerate(zip(places[1:], parts, strict=True)):
        matrix[place, column] = signs
    kept = np.flatnonzero(matrix.any(axis=1) | (np.arange(len(new)) == 0))
    return new[kept], matrix[kept]


def _multiplied_out(row: IntArray, reach: Sequence[IntArray]) -> tuple[IntArray, FloatArray]:
    """The new terms of one old term, shape (n, n_options), and the sign of each, shape (n,)."""
    touched = np.flatnonzero(row != UNTOUCHED)
    # What each indicator is over the levels in reach: levels to change to with their signs.
    choices = []
    for option in touched.tolist():
        base, *others = reach[option].tolist()
        if row[option] == base:
            choices.append([(UNTOUCHED, 1), *((other, -1) for other in others)])
        else:
            choices.append([(other, 1) for other in others if other == row[option]])
    made = list(product(*choices))
    rows = np.full((len(made), len(row)), UNTOUCHED, dtype=np.int8)
    signs = np.ones(len(made))
    for number, choice in enumerate(made):
        for option, (level, sign) in zip(touched.tolist(), choice, strict=True):
            rows[number, option] = level
            signs[number] *= sign
    return rows, signs
