"""Terms as rows of levels, and the design matrix that a set of configurations gives for them."""

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.times import FloatArray


def design_matrix(levels: IntArray, configurations: IntArray, sums: FloatArray | None = None) -> FloatArray:
    """How often each term is on in each configuration, 0 or 1; shape (n_configurations, n_terms).

    `levels` (n_terms, n_options) holds the level each option changes to, or `UNTOUCHED`, as in `TermTable`;
    `configurations` has shape (n_configurations, n_options). A column is the product of the indicators of the
    term's levels, so the empty term, the intercept, is 1 everywhere. With `sums` (n_terms, n_columns) there is a column
    for each of these sums of terms instead.
    """
    on = np.ones((len(configurations), len(levels)), dtype=bool)
    # Of thousands of options terms name a few.
    for position in np.flatnonzero((levels != UNTOUCHED).any(axis=0)).tolist():
        touched = np.flatnonzero(levels[:, position] != UNTOUCHED)
        on[:, touched] &= configurations[:, position, np.newaxis] == levels[touched, position]
    design = on.astype(float)
    return design if sums is None else design @ sums


def terms_up_to(space: OptionSpace, degree: int, options: Iterable[int] | None = None) -> IntArray:
    """All terms of at most `degree` of the `options` (positions; None: all) relative to the reference, (n_terms, n_options).

    The intercept comes first, then by degree, options and levels, as in `TermTable`. A degree of 1 gives one term
    for each level off the reference.
    """
    positions = range(len(space.options)) if options is None else sorted(options)
    terms = [
        (chosen, levels)
        for size in range(degree + 1)
        for chosen in combinations(positions, size)
        for levels in product(*(range(1, space.sizes[option]) for option in chosen))
    ]
    rows = np.full((len(terms), len(space.options)), UNTOUCHED, dtype=np.int8)
    for row, (chosen, levels) in zip(rows, terms, strict=True):
        row[list(chosen)] = levels
    return rows
