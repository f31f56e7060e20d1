"""The lasso's path by least angle regression, with least squares over each set of columns on it.

Efron, Hastie, Johnstone, Tibshirani, Least angle regression, Annals of Statistics 32 (2004), in its lasso form. Each step
goes towards least squares over the active columns, so that the latter cost nothing more. Many values are fitted by the
same columns: their products are computed once.
"""

import numpy as np

from analytics.influence.times import FloatArray

# Relative: a column with less than this outside of the span of others depends on them; a smaller correlation is none.
_TINY = 1e-9


class LassoPath:
    """A path from the products of columns `gram` (n_columns, n_columns) and their products with the values (n_columns,).

    On the way `_residual` (n_columns,) are the columns' products with what is not explained yet, and `_inverse` is the
    inverse of the products of the `_active` columns.
    """

    def __init__(self, gram: FloatArray, products: FloatArray) -> None:
        self._gram, self._residual = gram, products
        self._active: list[int] = []
        self._inverse = np.zeros((0, 0))

    def steps(self, limit: int) -> tuple[FloatArray, FloatArray]:
        """The coefficients after each of at most `limit` steps, from none on, and least squares over the same columns."""
        width = len(self._residual)
        lasso, least = [np.zeros(width)], [np.zeros(width)]
        sizes = np.diag(self._gram)
        free = sizes > _TINY * max(float(sizes.max(initial=0.0)), _TINY)
        most = float(np.abs(self._residual[free]).max(initial=0.0))
        first, dropped = most, -1
        if most > 0:
            self._add(int(np.where(free, np.abs(self._residual), -1.0).argmax()), free)
        while len(lasso) <= limit and self._active and most > _TINY * first:
            at = np.array(self._active)
            direction = self._inverse @ np.sign(self._residual[at])
            falls = self._gram[:, at] @ direction
            entering, step = self._next(most, falls, free, dropped)
            # The first coefficient that becomes 0 leaves, if no column enters before that.
            with np.errstate(divide="ignore", invalid="ignore"):
                crossings = np.where(lasso[-1][at] * direction < 0, -lasso[-1][at] / direction, np.inf)
            leaving = int(crossings.argmin())
            now = lasso[-1].copy()
            dropped = -1
            if crossings[leaving] < step:
                step, dropped = float(crossings[leaving]), int(at[leaving])
            now[at] += step * direction
            self._residual = self._residual - step * falls
            most -= step
            squares = np.zeros(width)
            squares[at] = lasso[-1][at] + (most + step) * direction
            if dropped >= 0:
                self._remove(leaving)
                now[dropped] = 0.0
                at = np.array(self._active, dtype=np.intp)
                squares[:] = 0.0
                squares[at] = now[at] + self._inverse @ self._residual[at]
            elif entering >= 0:
                self._add(entering, free)
            lasso.append(now)
            least.append(squares)
        return np.array(lasso), np.array(least)

    def _next(self, most: float, falls: FloatArray, free: np.ndarray, dropped: int) -> tuple[int, float]:
        """The column that is next to correlate as much as the active ones, -1 for none, and the step to there.

        `dropped` is the one that has left in the step before, -1 for none.
        """
        others = free.copy()
        others[self._active] = False
        columns = np.flatnonzero(others)
        if not len(columns):
            return -1, most
        residual, fall = self._residual[columns], falls[columns]
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.concatenate([(most - residual) / (1 - fall), (most + residual) / (1 + fall)])
        down = np.concatenate([1 - fall, 1 + fall])
        steps = np.where(down > _TINY, np.maximum(steps, 0.0), np.inf)
        if dropped >= 0:
            # It correlates as much as the others still, with the sign that it has lost; it may return with the other one.
            at = int(np.flatnonzero(columns == dropped)[0])
            steps[at if self._residual[dropped] > 0 else at + len(columns)] = np.inf
        best = int(steps.argmin())
        if steps[best] >= most:
            return -1, most
        return int(columns[best % len(columns)]), float(steps[best])

    def _add(self, column: int, free: np.ndarray) -> None:
        """Make a column active; one that depends on the active ones is never tried again."""
        own = float(self._gram[column, column])
        cross = self._gram[self._active, column]
        projection = self._inverse @ cross
        rest = own - float(cross @ projection)
        if rest <= _TINY * own:
            free[column] = False
            return
        size = len(self._active)
        grown = np.empty((size + 1, size + 1))
        grown[:size, :size] = self._inverse + np.outer(projection, projection) / rest
        grown[:size, size] = grown[size, :size] = -projection / rest
        grown[size, size] = 1 / rest
        self._inverse = grown
        self._active.append(column)

    def _remove(self, index: int) -> None:
        keep = np.arange(len(self._active)) != index
        column = self._inverse[keep, index]
        rest = self._inverse[np.ix_(keep, keep)]
        self._inverse = rest - np.outer(column, column) / self._inverse[index, index]
        del self._active[index]
