"""Terms as rows of levels, and the design matrix that a set of configurations gives for them."""

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray


def design_matrix(levels: IntArray, configurations: IntArray) -> FloatArray:
    """How often each term is on in each configuration, 0 or 1; shape (n_configurations, n_terms).

    `levels` (n_terms, n_options) holds the level each option changes to, or `UNTOUCHED`, as in `TermTable`;
    `configurations` has shape (n_configurations, n_options). A column is the product of the indicators of the
    term's levels, so the empty term, the intercept, is 1 everywhere.
    """
    on = np.ones((len(configurations), len(levels)), dtype=bool)
    for position in range(levels.shape[1]):
        touched = np.flatnonzero(levels[:, position] != UNTOUCHED)
        on[:, touched] &= configurations[:, position, np.newaxis] == levels[touched, position]
    return on.astype(float)


def terms_up_to(space: OptionSpace, degree: int) -> IntArray:
    """All terms of at most `degree` options relative to the reference; shape (n_terms, n_options).

    The intercept comes first, then by degree, options and levels, as in `TermTable`. A degree of 1 gives one term
    for each level off the reference.
    """
    changes = [
        [level for level in range(size) if level != own]
        for size, own in zip(space.sizes, space.reference, strict=True)
    ]
    terms = [
        (options, levels)
        for size in range(degree + 1)
        for options in combinations(range(len(changes)), size)
        for levels in product(*(changes[option] for option in options))
    ]
    rows = np.full((len(terms), len(changes)), UNTOUCHED, dtype=np.int8)
    for row, (options, levels) in zip(rows, terms, strict=True):
        row[list(options)] = levels
    return rows


def terms_over(space: OptionSpace, options: Iterable[int], degree: int) -> IntArray:
    """`terms_up_to` over some options, by position; the others stay at their reference. Shape (n_terms, n_options)."""
    positions = sorted(options)
    inner = terms_up_to(OptionSpace(tuple(space.options[position] for position in positions)), degree)
    levels = np.full((len(inner), len(space.options)), UNTOUCHED, dtype=np.int8)
    levels[:, positions] = inner
    return levels
