"""What smooth drifts leave of a stretch of values, alone and with a step: regressions on many shapes at once, under AR(1) noise."""

import numpy as np

from analytics.changepoints.drifts import COSTS, Drifts
from analytics.changepoints.running_products import PHIS, SMALLEST, whitened
from analytics.histories.measurements import FloatArray

# Pivots below this share of their column are none.
SINGULAR = 1e-9
# The rows before those of the shapes: ones, ones from the step on, and y.
STEP, Y, KNOWN = 1, 2, 3


def beside_drifts(shapes: Drifts, ones: FloatArray, y: FloatArray, middle: int) -> FloatArray:
    """Return the squares of y (n,) that the best line, curve, other shape and wave leave, and each with a step at `middle`, (2, 4, phis).

    `ones` (n,) is the column of levels; `shapes` are those over n points.
    """
    rows = np.empty((KNOWN + len(shapes.rows), len(y)))
    rows[: STEP + 1], rows[Y] = ones, y
    rows[STEP, :middle] = 0.0
    np.multiply(shapes.rows, ones, out=rows[KNOWN:])
    size, firsts, seconds = len(rows), shapes.firsts, shapes.seconds
    products = products_of(rows, shapes)
    to_few = products[: KNOWN * size].reshape(KNOWN, size, -1)
    own, cross = products[KNOWN * size : (KNOWN + 1) * size - KNOWN], products[(KNOWN + 1) * size - KNOWN :]
    # What is left of each shape beside ones, then beside the step, too.
    left, shared = np.empty((2, *own.shape)), np.empty((2, *cross.shape))
    to_y, squares = np.empty((2, *own.shape)), np.empty((2, 1, len(PHIS)))
    for known in (0, STEP):
        share = to_few[0] / np.maximum(to_few[0, known], SMALLEST)
        to_one, of_one = to_few[0, KNOWN:], share[KNOWN:]
        own = np.subtract(own, to_one * of_one, out=left[known])
        cross = np.subtract(cross, to_one[firsts] * of_one[seconds], out=shared[known])
        to_few = to_few[1:] - to_few[1:, known, None] * share
        squares[known], to_y[known] = to_few[-1, Y], to_few[-1, KNOWN:]
    return best_beside(shapes, squares, to_y, left, shared)


def products_of(rows: FloatArray, shapes: Drifts) -> FloatArray:
    """Return the whitened products of the known rows with all, of each shape with itself, and of pairs, one behind the other, (m, phis)."""
    known, further = rows[:KNOWN], rows[KNOWN:]
    firsts, seconds = further[shapes.firsts], further[shapes.seconds]
    size, end = KNOWN * len(rows), KNOWN * len(rows) + len(further)
    # The products of all points, of neighbours and of the points inside.
    parts = np.empty((3, end + len(firsts)))
    # Each known row, and the sum of what stands before and behind each of its points.
    several = np.zeros((2, *known.shape))
    several[0] = known
    several[1, :, :-1] = known[:, 1:]
    several[1, :, 1:] += known[:, :-1]
    parts[:2, :size] = (several.reshape(2 * KNOWN, -1) @ rows.T).reshape(2, -1)
    np.einsum("in,in->i", further, further, out=parts[0, size:end])
    np.einsum("in,in->i", firsts, seconds, out=parts[0, end:])
    parts[1, size:end] = 2.0 * np.einsum("in,in->i", further[:, 1:], further[:, :-1])
    parts[1, end:] = np.einsum("in,in->i", firsts[:, 1:], seconds[:, :-1])
    parts[1, end:] += np.einsum("in,in->i", firsts[:, :-1], seconds[:, 1:])
    ends = rows[:, :: len(rows[0]) - 1]
    outer, inner = ends[KNOWN:], parts[2]
    np.matmul(ends[:KNOWN], ends.T, out=inner[:size].reshape(KNOWN, -1))
    np.einsum("in,in->i", outer, outer, out=inner[size:end])
    np.einsum("in,in->i", outer[shapes.firsts], outer[shapes.seconds], out=inner[end:])
    np.subtract(parts[0], inner, out=inner)
    return whitened(parts)


def best_beside(
    shapes: Drifts, squares: FloatArray, to_y: FloatArray, own: FloatArray, cross: FloatArray
) -> FloatArray:
    """Return the least squares of y that the shapes of each kind leave, (..., 4, phis), in the order of `drifts.COSTS`.

    `squares` (..., 1, phis) are those of y, `to_y` the products of all shapes with it and `own` those with themselves, (..., c, phis),
    `cross` those of each pair.
    """
    firsts, seconds, line = shapes.firsts, shapes.seconds, shapes.alone
    one = np.maximum(own, SMALLEST)
    alone = squares - to_y**2 / one
    share, other = cross / one[..., firsts, :], own[..., seconds, :]
    left = other - cross * share
    beyond = (to_y[..., seconds, :] - share * to_y[..., firsts, :]) ** 2 / np.maximum(left, SMALLEST)
    both = alone[..., firsts, :] - np.where(left > SINGULAR * other, beyond, 0.0)
    best = np.empty((*squares.shape[:-2], len(COSTS), squares.shape[-1]))
    best[..., 0, :], best[..., 1, :] = alone[..., line, :], both[..., 0, :]
    alone[..., :line, :].min(axis=-2, out=best[..., 2, :])
    both[..., 1:, :].min(axis=-2, out=best[..., 3, :])
    return best
