"""What each candidate for a term would raise the likelihood by, while terms are chosen one after the other."""

import numpy as np

from analytics.configurations.options import IntArray
from analytics.influence.times import FloatArray

_ALIASED = 1e-9  # relative: what is left of a column that the chosen ones already tell
_EXACT = 1e-20  # relative: a rest this small is rounding
TIED = 1e-9  # relative: gains this close are equal but for rounding, and the first of them counts


class StepwiseFit:
    """The revisions that measured the same configurations, during the search.

    `configurations` (n, n_options) with their `values` (n, n_revisions), none NaN; what is left of the values and of the
    candidates' columns.
    """

    def __init__(self, configurations: IntArray, values: FloatArray) -> None:
        self.configurations, self.values = configurations, values
        self.rest = values - values.mean(axis=0)
        self.floor = np.maximum(_EXACT * (values**2).sum(axis=0), np.finfo(float).tiny)
        self.columns, self.sizes = np.empty((len(values), 0)), np.empty(0)
        # An orthonormal basis of the columns of the chosen terms, the intercept first.
        self.chosen = [np.full(len(values), len(values) ** -0.5)]

    def add(self, columns: FloatArray) -> None:
        """Append the columns of new candidates, without what the chosen terms already tell."""
        sizes = (columns**2).sum(axis=0)
        # Twice: once leaves too much of what rounding brings back.
        for _ in range(2):
            for own in self.chosen:
                columns = columns - np.outer(own, own @ columns)
        self.columns = np.hstack([self.columns, columns])
        self.sizes = np.concatenate([self.sizes, sizes])

    def gains(self) -> FloatArray:
        """How much each candidate would raise twice the log likelihood; shape (n_candidates,)."""
        left = (self.columns**2).sum(axis=0)
        free = left > _ALIASED * self.sizes
        taken = (self.columns.T @ self.rest) ** 2
        taken[free] /= left[free, np.newaxis]
        taken[~free] = 0.0
        sums = (self.rest**2).sum(axis=0)
        ratio = np.maximum(sums - taken, self.floor) / np.maximum(sums, self.floor)
        gains: FloatArray = -len(self.rest) * np.log(ratio).sum(axis=1)
        return gains

    def take(self, column: int) -> None:
        """Put a candidate into the model."""
        own = self.columns[:, column]
        size = float(own @ own)
        if size > _ALIASED * self.sizes[column]:
            own = own / np.sqrt(size)
            self.chosen.append(own)
            self.rest = self.rest - np.outer(own, own @ self.rest)
            self.columns = self.columns - np.outer(own, own @ self.columns)
        self.columns = np.delete(self.columns, column, axis=1)
        self.sizes = np.delete(self.sizes, column)
