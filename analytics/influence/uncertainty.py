"""Standard errors of terms from the repetitions.

A coefficient is a linear combination of what the runs measured. Runs are independent of each other, but the
regions of one run are not: a slow run is slow everywhere, and time that a profiler takes from one region it
gives to another. So repetition k of configuration c moves a global term by z[c, k], summed over all regions
first; the variance of the term is the sum over configurations of the variance of their mean z. Degrees of
freedom follow Welch (1947) and Satterthwaite (1946): the squared variance over the sum of each
configuration's squared variance per its degrees of freedom.

The interval covers noise between repetitions. It does not cover a wrong partition.
"""

from collections.abc import Sequence

import numpy as np

from analytics.configurations.formulas import BoolArray
from analytics.configurations.options import IntArray
from analytics.influence.moebius import TermWeights
from analytics.influence.subspaces import SubspaceTimes
from analytics.influence.times import FloatArray

_BLOCK = 1 << 23  # numbers held at once


def local_variances(group: SubspaceTimes, weights: TermWeights) -> tuple[FloatArray, FloatArray]:
    """Standard errors and degrees of freedom of local terms, shape (n_regions, n_terms) each."""
    variances = group.variances[:, weights.subspaces]
    fourths = group.fourths[:, weights.subspaces]
    squares = weights.weights.T**2
    unknown = _unknown(np.isnan(variances), weights)
    if unknown.all():  # no repetitions anywhere: thousands of terms need not be squared
        return _finish(np.zeros(unknown.shape), np.zeros(unknown.shape), unknown)
    return _finish(np.nan_to_num(variances) @ squares, np.nan_to_num(fourths) @ squares**2, unknown)


def global_variances(
    groups: Sequence[tuple[SubspaceTimes, TermWeights, IntArray]], repetitions: IntArray, n_terms: int
) -> tuple[FloatArray, FloatArray]:
    """Standard errors and degrees of freedom of the global terms, shape (n_terms,) each.

    Each group comes with its terms and with the global terms that these are; `repetitions` (n_configurations,)
    counts the runs of each configuration.
    """
    variances = np.zeros(n_terms)
    fourths = np.zeros(n_terms)
    unknown = np.zeros(n_terms, dtype=bool)
    for group, weight, rows in groups:
        single = np.isnan(group.variances.sum(axis=0))[np.newaxis, weight.subspaces]
        unknown[rows] |= _unknown(single, weight)[0]

    if unknown.all():
        return _finish(variances, fourths, unknown)
    n_repetitions = groups[0][0].residuals.shape[1]
    step = max(1, _BLOCK // (n_terms * n_repetitions))
    for start in range(0, len(repetitions), step):
        block = slice(start, start + step)
        # What the runs of these configurations move in each term.
        moved = np.zeros((n_terms, len(repetitions[block]), n_repetitions))
        for group, weight, rows in groups:
            if len(weight.subspaces):
                assigned = group.assigned[block]
                columns = np.minimum(np.searchsorted(weight.subspaces, assigned), len(weight.subspaces) - 1)
                # Configurations in subspaces outside the terms' reach move nothing.
                reached = weight.weights[:, columns] * (weight.subspaces[columns] == assigned)
                moved[rows] += reached[:, :, np.newaxis] * group.residuals[block]
        per_configuration = np.einsum("tck,tck->tc", moved, moved)
        variances += per_configuration.sum(axis=1)
        fourths += per_configuration**2 @ (1.0 / np.maximum(repetitions[block] - 1, 1))
    return _finish(variances, fourths, unknown)


def difference_variance(
    groups: Sequence[SubspaceTimes], repetitions: IntArray, before: IntArray, after: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Standard error and degrees of freedom of what `after` takes more than `before`, (n_options,) each.

    `repetitions` (n_configurations,) counts the runs of each configuration. NaN where one that matters ran only once.
    """
    moved = np.zeros((len(repetitions), groups[0].residuals.shape[1]))
    unknown = False
    for group in groups:
        first, second = group.partition.assign(np.stack([before, after]))
        if first != second:
            sign = (group.assigned == second).astype(float) - (group.assigned == first)
            moved += sign[:, np.newaxis] * group.residuals
            unknown |= bool(np.isnan(group.variances[:, [first, second]]).any())
    squares = (moved**2).sum(axis=1)
    fourths = squares**2 @ (1.0 / np.maximum(repetitions - 1, 1))
    return _finish(squares.sum(), fourths, np.asarray(unknown))


def _unknown(single: BoolArray, weights: TermWeights) -> BoolArray:
    """Which terms have no known variance, given the subspaces (n, n_covered) that have none."""
    if not single.any():
        return np.broadcast_to(~weights.determined, (len(single), len(weights.determined)))
    touched: BoolArray = (single @ (weights.weights.T != 0)) | ~weights.determined
    return touched


def _finish(variances: FloatArray, fourths: FloatArray, unknown: BoolArray) -> tuple[FloatArray, FloatArray]:
    errors = np.where(unknown, np.nan, np.sqrt(variances))
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = np.where(unknown, np.nan, variances**2 / fourths)
    return errors, freedom
