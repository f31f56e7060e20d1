"""Counters as multiples of other counters: turns as entries times turns per entry.

A loop inside of a loop, or a function called for each piece of a text, counts as often as its surroundings, times
a factor that depends on a few options. As a sum of terms over options such a product is long, and needs as many runs to
be learned; relative to the count of its surroundings it is short. Counts have no noise, so that any counter may be tried
as a factor of any other, wherever it stands in the program; cross-validation decides which ones help.

An extension of ours to the study that the hybrid model comes from.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analytics.configurations.options import IntArray, OptionSpace
from analytics.influence.design import design_matrix, terms_up_to
from analytics.influence.hybrid.fits import CountFit, poorly_fitted
from analytics.influence.hybrid.relaxed import Columns, column_scales
from analytics.influence.moebius import UNTOUCHED
from analytics.influence.terms import summed_terms
from analytics.influence.times import FloatArray

# A product of products over many options may have thousands of terms, which nobody reads: such a one is discarded.
MOST_TERMS = 256
ROUNDS = 2  # so that a product may itself be a factor once
TRIED = 2  # factors for each counter, after ranking all of them
# Of the squared error that the counter has without a factor: chance alone improves it a little.
ENOUGH = 0.8
# Scales of the columns of a factor, and of a factor with an option (see `column_scales`).
_FACTOR = (3.0, 2.0)
# Ridge of constant, options, factor and factor with options where factors are ranked; columns lie between 0 and 1.
_RIDGE = (1e-6, 0.3, 1e-3, 0.1)


def with_products(
    space: OptionSpace, configurations: IntArray, fits: Sequence[CountFit], interaction_scale: float
) -> tuple[CountFit, ...]:
    """`fits` of `configurations` (n, n_options), some as products where these predict held-out runs better.

    Each round tries the poorly fitted ones with their best factors.
    """
    singles = design_matrix(terms_up_to(space, 1)[1:], configurations)
    improved = list(fits)
    for _ in range(ROUNDS):
        poor = poorly_fitted(improved)
        factors = [fit for fit in improved if np.ptp(fit.pattern) > 0]
        if not poor or not factors:
            break
        ranks = _ranks(singles, [improved[at] for at in poor], factors)
        for at, errors in zip(poor, ranks.T, strict=True):
            for number in np.argsort(errors, kind="stable")[:TRIED]:
                factor = factors[int(number)]
                # Not by the counter itself, up to a straight line, where that is fitted no better.
                alike = abs(float(np.corrcoef(improved[at].pattern, factor.pattern)[0, 1])) > 1 - 1e-5
                if not alike or factor.relative_deviation < improved[at].relative_deviation:
                    improved[at] = _better(space, configurations, improved[at], factor, interaction_scale)
    return tuple(improved)


def _ranks(singles: FloatArray, poor: Sequence[CountFit], factors: Sequence[CountFit]) -> FloatArray:
    """The squared error of each factor for each counter, each run left out once; shape (n_factors, n_poor).

    Left out in closed form, from a ridge regression on the options' columns `singles` (n, n_levels), the factor, and
    their products.
    """
    width = singles.shape[1]
    penalty = np.diag(np.repeat(_RIDGE, (1, width, 1, width)))
    values = np.column_stack([fit.pattern for fit in poor])
    means = values.mean(axis=0)
    ranks = []
    for factor in factors:
        part = factor.pattern / factor.pattern.max()
        columns = np.column_stack([np.ones(len(part)), singles, part, part[:, np.newaxis] * singles])
        hat = columns @ np.linalg.solve(columns.T @ columns + penalty, columns.T)
        alone = np.maximum(1 - np.diag(hat), np.finfo(float).eps)[:, np.newaxis]
        errors = (((values - hat @ values) / alone) ** 2).mean(axis=0)
        ranks.append(errors + (factor.relative_deviation * means) ** 2)
    return np.array(ranks)


def _better(
    space: OptionSpace, configurations: IntArray, fit: CountFit, factor: CountFit, interaction_scale: float
) -> CountFit:
    """`fit`, or the same counter with `factor` if that is clearly better."""
    terms, rates = terms_up_to(space, 2)[1:], terms_up_to(space, 1)
    weights = column_scales(terms, interaction_scale, fit.options)
    kinds = np.repeat(_FACTOR, (1, len(rates) - 1)) * column_scales(rates, 1.0, fit.options)
    plain = design_matrix(terms, configurations) * weights
    size = float(factor.pattern.max())
    multiples = design_matrix(rates, configurations) * kinds
    columns = np.column_stack([plain, multiples * (factor.pattern / size)[:, np.newaxis]])
    learned = Columns(columns, fit.weights).relaxed_lasso(fit.pattern)
    # A prediction has the factor's prediction only: its error counts as well.
    off = multiples * ((factor.held - factor.pattern) / size)[:, np.newaxis]
    split = plain.shape[1]
    held = np.maximum(learned.held + off @ learned.coefficients[split:], 0.0)
    if not fit.is_beaten_by(held, ENOUGH):
        return fit
    own = np.concatenate([[learned.intercept], learned.coefficients[:split] * weights])
    sizes = learned.coefficients[split:] * kinds / size
    products = multiplied((rates, sizes), (factor.levels, factor.coefficients))
    levels, coefficients = summed_terms(
        np.concatenate([terms_up_to(space, 0), terms, products[0]]), np.concatenate([own, products[1]])
    )
    if len(levels) > MOST_TERMS:
        return fit
    return replace(fit, levels=levels, coefficients=coefficients, method="product", held=held)


def multiplied(
    some: tuple[IntArray, FloatArray], others: tuple[IntArray, FloatArray]
) -> tuple[IntArray, FloatArray]:
    """The product of two sums of terms as a sum of terms; levels (n_terms, n_options), coefficients (n_terms,).

    Two levels of one option never hold together: their product is 0.
    """
    left, right = (levels[coefficients != 0] for levels, coefficients in (some, others))
    sizes = np.outer(some[1][some[1] != 0], others[1][others[1] != 0]).ravel()
    width = some[0].shape[1]
    one = np.broadcast_to(left[:, np.newaxis, :], (len(left), len(right), width)).reshape(-1, width)
    two = np.broadcast_to(right[np.newaxis, :, :], (len(left), len(right), width)).reshape(-1, width)
    possible = ((one == two) | (one == UNTOUCHED) | (two == UNTOUCHED)).all(axis=1)
    return summed_terms(np.maximum(one, two)[possible], sizes[possible])
