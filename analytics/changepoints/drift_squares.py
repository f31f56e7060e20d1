"""What smooth drifts leave of a stretch of values, alone and with a step: regressions on many shapes at once, under AR(1) noise."""

import numpy as np

from analytics.changepoints.drifts import Drifts
from analytics.changepoints.running_products import SMALLEST, quadratic
from analytics.histories.measurements import FloatArray, IntArray

# Pivots below this share of their column are none.
SINGULAR = 1e-9
# The columns before those of the shapes: ones, ones from the step on, and y.
STEP, Y, KNOWN = 1, 2, 3

Pairs = tuple[IntArray, IntArray]


def beside_drifts(shapes: Drifts, ones: FloatArray, y: FloatArray, middle: int) -> FloatArray:
    """Return the squares of y (n,) that each drift leaves, and each drift with a step at `middle`, (2, pairs, phis).

    `ones` (n,) is the column of levels; `shapes` are those over n points.
    """
    columns = np.empty((len(y), KNOWN + shapes.columns.shape[1]))
    columns[:, 0], columns[:, STEP], columns[:, Y] = ones, ones, y
    columns[:middle, STEP] = 0.0
    np.multiply(ones[:, None], shapes.columns, out=columns[:, KNOWN:])
    pairs, size = (shapes.firsts + KNOWN, shapes.seconds + KNOWN), columns.shape[1]
    products = products_of(columns, pairs)
    to_few = products[: KNOWN * size].reshape(KNOWN, size, -1)
    own, cross = products[KNOWN * size : (KNOWN + 1) * size], products[(KNOWN + 1) * size :]
    found = np.empty((2, len(shapes.pairs), products.shape[1]))
    for known in (0, STEP):
        # What is left of each column beside ones, then beside the step, too.
        share = to_few[0] / np.maximum(to_few[0, known], SMALLEST)
        own = own - to_few[0] * share
        cross = cross - to_few[0, pairs[0]] * share[pairs[1]]
        to_few = to_few[1:] - to_few[1:, known, None] * share
        found[known] = left_beside(to_few[-1], own, cross, pairs)[shapes.rows]
    return found


def products_of(columns: FloatArray, pairs: Pairs) -> FloatArray:
    """Return the whitened products of the known columns with all, of each with itself, and of pairs, one behind the other, (m, phis)."""
    first, second = columns[:, pairs[0]], columns[:, pairs[1]]
    later, earlier = columns[1:], columns[:-1]
    own = (columns[:, :KNOWN].T @ columns, _sums(columns, columns), _sums(first, second))
    lagged = (
        later[:, :KNOWN].T @ earlier + earlier[:, :KNOWN].T @ later,
        2.0 * _sums(later, earlier),
        _sums(first[1:], second[:-1]) + _sums(first[:-1], second[1:]),
    )
    ends = columns[[0, -1]]
    outer = (
        ends[:, :KNOWN].T @ ends,
        _sums(ends, ends),
        _sums(ends[:, pairs[0]], ends[:, pairs[1]]),
    )
    of_all = np.concatenate([one.ravel() for one in own])
    of_neighbours = np.concatenate([one.ravel() for one in lagged])
    return quadratic(of_all, of_neighbours, of_all - np.concatenate([one.ravel() for one in outer]))


def _sums(left: FloatArray, right: FloatArray) -> FloatArray:
    """The product of each column with the one at its place, (k,)."""
    return np.asarray(np.einsum("ni,ni->i", left, right))


def left_beside(to_y: FloatArray, own: FloatArray, cross: FloatArray, pairs: Pairs) -> FloatArray:
    """Return the squares of y that each column leaves alone, then each pair, (columns + pairs, phis).

    `to_y` are the products of all columns with y, `own` those with themselves, `cross` those of each pair.
    """
    i, j = pairs
    one = np.maximum(own, SMALLEST)
    alone = to_y[Y] - to_y**2 / one
    first, other = one[i], own[j]
    left = other - cross**2 / first
    beyond = (to_y[j] - cross * to_y[i] / first) ** 2 / np.maximum(left, SMALLEST)
    return np.concatenate((alone, alone[i] - np.where(left > SINGULAR * other, beyond, 0.0)))
