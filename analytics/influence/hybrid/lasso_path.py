"""The lasso's path by least angle regression, with least squares over each set of columns on it.

Efron, Hastie, Johnstone, Tibshirani, Least angle regression, Annals of Statistics 32 (2004), in its lasso form. A step
goes from where it is towards least squares over the columns that it has, so that the latter come for nothing. Many
values are fitted by the same columns: what columns have in common is worked out once.
"""

from dataclasses import dataclass, field

import numpy as np

from analytics.influence.times import FloatArray

# Relative: a column of which this much is not told by others depends on them; a correlation this small is none.
_TINY = 1e-9


@dataclass(slots=True, eq=False)
class LassoPath:
    """The columns on the way by their products `gram` (n_columns, n_columns), with what is `left` to explain (n_columns,).

    `inverse` is that of the products of the `active` columns; `coefficients` (n_columns,).
    """

    gram: FloatArray
    left: FloatArray
    active: list[int] = field(default_factory=list)
    inverse: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    def steps(self, limit: int) -> tuple[FloatArray, FloatArray]:
        """The coefficients after each of at most `limit` steps, none first, and least squares over the same columns."""
        width = len(self.left)
        lasso, least = [np.zeros(width)], [np.zeros(width)]
        free = np.diag(self.gram) > _TINY * max(float(np.diag(self.gram).max(initial=0.0)), _TINY)
        most = float(np.abs(self.left[free]).max(initial=0.0))
        first, dropped = most, -1
        if most > 0:
            self._take(int(np.where(free, np.abs(self.left), -1.0).argmax()), free)
        while len(lasso) <= limit and self.active and most > _TINY * first:
            at = np.array(self.active)
            direction = self.inverse @ np.sign(self.left[at])
            falls = self.gram[:, at] @ direction
            entering, step = self._next(most, falls, free, dropped)
            crossing, leaving = self._crossing(lasso[-1][at], direction)
            now = lasso[-1].copy()
            dropped = -1
            if crossing < step:
                step, dropped = crossing, int(at[leaving])
            now[at] += step * direction
            self.left = self.left - step * falls
            most -= step
            squares = np.zeros(width)
            squares[at] = lasso[-1][at] + (most + step) * direction
            if dropped >= 0:
                self._drop(leaving)
                now[dropped] = 0.0
                at = np.array(self.active, dtype=np.intp)
                squares[:] = 0.0
                squares[at] = now[at] + self.inverse @ self.left[at]
            elif entering >= 0:
                self._take(entering, free)
            lasso.append(now)
            least.append(squares)
        return np.array(lasso), np.array(least)

    def _next(self, most: float, falls: FloatArray, free: np.ndarray, dropped: int) -> tuple[int, float]:
        """The column that is next to tell as much as the active ones, -1 for none, and how far that is.

        `dropped` is the one that has left in the step before, -1 for none.
        """
        others = free.copy()
        others[self.active] = False
        places = np.flatnonzero(others)
        if not len(places):
            return -1, most
        left, fall = self.left[places], falls[places]
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.concatenate([(most - left) / (1 - fall), (most + left) / (1 + fall)])
        down = np.concatenate([1 - fall, 1 + fall])
        ways = np.where(down > _TINY, np.maximum(ways, 0.0), np.inf)
        if dropped >= 0:
            # It tells as much as the others still, with the sign that it has lost; it may come back with the other one.
            at = int(np.flatnonzero(places == dropped)[0])
            ways[at if self.left[dropped] > 0 else at + len(places)] = np.inf
        best = int(ways.argmin())
        if ways[best] >= most:
            return -1, most
        return int(places[best % len(places)]), float(ways[best])

    @staticmethod
    def _crossing(coefficients: FloatArray, direction: FloatArray) -> tuple[float, int]:
        """How far it is to where the first coefficient becomes 0, and whose it is."""
        with np.errstate(divide="ignore", invalid="ignore"):
            ways = np.where(coefficients * direction < 0, -coefficients / direction, np.inf)
        at = int(ways.argmin())
        return float(ways[at]), at

    def _take(self, column: int, free: np.ndarray) -> None:
        """Add a column; one that depends on those that are there is never tried again."""
        own = float(self.gram[column, column])
        cross = self.gram[self.active, column]
        told = self.inverse @ cross
        rest = own - float(cross @ told)
        if rest <= _TINY * own:
            free[column] = False
            return
        size = len(self.active)
        grown = np.empty((size + 1, size + 1))
        grown[:size, :size] = self.inverse + np.outer(told, told) / rest
        grown[:size, size] = grown[size, :size] = -told / rest
        grown[size, size] = 1 / rest
        self.inverse = grown
        self.active.append(column)

    def _drop(self, place: int) -> None:
        keep = np.arange(len(self.active)) != place
        column = self.inverse[keep, place]
        self.inverse = (
            self.inverse[np.ix_(keep, keep)] - np.outer(column, column) / self.inverse[place, place]
        )
        del self.active[place]
